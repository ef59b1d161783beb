"""One fit in a process of its own: reads a table of bench/wide and fits it, and prints what that took as one line of JSON.

    python peers.py FOLDER METHOD

FOLDER is written by `write`. The methods are those of METHODS. Seconds are those of the processor, and start when the table is in memory; so does the count
of memory, which tells what the fit takes beside the table.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"  # before anything that reads them

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from tables import Table  # noqa: E402

HERE = Path(__file__).parent
PATH_LENGTH = 50  # penalties of an L1 path
SMALLEST = 0.1  # the last penalty is this part of the first


def write(folder: Path, table: Table) -> None:
    folder.mkdir(parents=True)
    for name in ("X", "new_X"):
        matrix = getattr(table, name)
        if sp.issparse(matrix):
            for part in ("data", "indices", "indptr", "shape"):
                np.save(folder / f"{name}.{part}.npy", np.asarray(getattr(matrix, part)))
        else:
            np.save(folder / f"{name}.npy", matrix)
    np.savez(folder / "rest.npz", **{key: getattr(table, key) for key in ("y", "signal", "new_y", "new_signal", "effects", "is_logistic")})


def read(folder: Path) -> Table:
    def matrix(name):
        if (folder / f"{name}.npy").exists():
            return np.load(folder / f"{name}.npy")
        data, indices, start, shape = (np.load(folder / f"{name}.{part}.npy") for part in ("data", "indices", "indptr", "shape"))
        return sp.csc_array((data, indices, start), shape=tuple(shape))

    rest = np.load(folder / "rest.npz")
    return Table(matrix("X"), rest["y"], rest["signal"], matrix("new_X"), rest["new_y"], rest["new_signal"], rest["effects"], bool(rest["is_logistic"]))


def size_of(X):
    return (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sp.issparse(X) else X.nbytes) / 2**20


def standardised(X):
    """A dense X as double, centred and scaled, for programs that want it so; a sparse X scaled only."""
    if sp.issparse(X):
        X = X.astype(float)  # a copy
        X.data /= np.repeat(_sds(X), np.diff(X.indptr))
        return X
    X = X.astype(float)
    X -= X.mean(0)
    X /= np.maximum(X.std(0), 1e-12)
    return np.asfortranarray(X)


def _sds(X):
    n = X.shape[0]
    mean = np.asarray(X.sum(axis=0)).ravel() / n
    square = np.add.reduceat(np.append(X.data**2, 0.0), X.indptr[:-1]) * (np.diff(X.indptr) > 0) / n
    return np.sqrt(np.maximum(square - mean**2, 1e-24))


# ---- what a fit found --------------------------------------------------------------------------------------------------------------------------------

def found_by_inclusion(inclusion, table):
    chosen = np.flatnonzero(np.asarray(inclusion) > 0.5)
    return {"named": len(chosen), "true": int(np.isin(chosen, table.effects).sum())}


def found_by_path(coefficients, table):
    """[penalties, columns], the largest penalty first: of the first columns to enter, as many as have an effect, how many are true."""
    entered = np.where((coefficients != 0).any(0), (coefficients != 0).argmax(0), len(coefficients))
    size = -np.abs(coefficients[-1])
    first = np.lexsort((size, entered))[: len(table.effects)]
    first = first[entered[first] < len(coefficients)]
    return {"named": len(first), "true": int(np.isin(first, table.effects).sum())}


def objectives(table, coefficients, penalties):
    """[penalties] What an L1 path minimises, and lower bounds of the minimum by the dual problem (docs/math/l1.md, L1.16).

    coefficients: [penalties, columns] of standardised columns, sparse or not; penalties: [penalties] the factor of sum |w|, beside the sum over the rows. The
    intercept is the best one for these coefficients.
    """
    from scipy.special import entr, expit, log_expit

    X, y = table.X, table.y
    mean = np.asarray(X.mean(axis=0), float).ravel()
    sd = _sds(X) if sp.issparse(X) else np.maximum(X.std(axis=0, dtype=float), 1e-12)
    W = sp.csr_array(coefficients)
    values, rows = [], []
    for at, penalty in enumerate(penalties):
        w = W[[at]].toarray().ravel()
        kept = np.flatnonzero(w)
        m = X[:, kept].astype(float) @ (w / sd)[kept] - (mean / sd)[kept] @ w[kept]
        if table.is_logistic:
            for _ in range(50):
                p = expit(m)
                m += (y - p).sum() / (p * (1 - p)).sum()
            loss = -(y * log_expit(m) + (1 - y) * log_expit(-m)).sum()
            rows.append(y - expit(m))
        else:
            rows.append(y - y.mean() - (m - m.mean()))
            loss = 0.5 * (rows[-1] ** 2).sum()
        values.append(loss + penalty * np.abs(w).sum())
    R = np.column_stack(rows)
    most, block = np.zeros(len(penalties)), 5000
    for first in range(0, X.shape[1], block):
        some = slice(first, first + block)
        g = (X[:, some].astype(float).T @ R - np.outer(mean[some], R.sum(0))) / sd[some, None]
        most = np.maximum(most, np.abs(g).max(0))
    U = R * np.minimum(1, penalties / most)
    P = y[:, None] - U
    return np.array(values), (entr(P) + entr(1 - P)).sum(0) if table.is_logistic else y @ U - 0.5 * (U**2).sum(0)


def quality(model, table):
    """Error of x'w on new rows relative to the spread of the signal, and coverage of 95% intervals."""
    if table.is_logistic:
        from scipy.special import expit

        p, truth = model.predict_proba(table.new_X)[:, 1], expit(table.new_signal)
        loss = np.mean(truth * np.log(truth / np.clip(p, 1e-12, 1)) + (1 - truth) * np.log((1 - truth) / np.clip(1 - p, 1e-12, 1)))
        return {"error": float(loss)}
    mean, sd = model.predict(table.new_X, return_std=True)
    inside = np.abs(table.new_y - mean) <= 1.959964 * sd
    return {"error": float(np.mean((mean - table.new_signal) ** 2) / np.var(table.new_signal)), "coverage": float(np.mean(inside))}


# ---- ours --------------------------------------------------------------------------------------------------------------------------------------------

def ours(prior):
    def fit(table):
        from ardvark import BayesianLinearRegression, BayesianLogisticRegression

        model = (BayesianLogisticRegression if table.is_logistic else BayesianLinearRegression)(prior=prior).fit(table.X, table.y)

        def describe():
            sets = model.alternatives_
            holds = [bool(np.isin(s.columns, table.effects).any()) for s in sets if s.inclusion > 0.5]
            return {**found_by_inclusion(model.inclusion_, table), "sets": len(holds), "sets_true": sum(holds), **quality(model, table)}

        return describe

    return fit


def our_path(table):
    from ardvark import _core

    path = _core.path(table.X, table.y, count=PATH_LENGTH, smallest=SMALLEST, model="logistic" if table.is_logistic else "linear")
    assert set(path.value("status")) == {"converged"}

    def describe():
        sd = _sds(table.X) if sp.issparse(table.X) else table.X.std(axis=0, dtype=float)
        coefficients = path.array("mean") * sd
        return {**found_by_path(coefficients, table), "objectives": objectives(table, coefficients, path.array("lambda").ravel())}

    return describe


# ---- others ------------------------------------------------------------------------------------------------------------------------------------------

def adelie_path(table):
    import adelie as ad

    X = table.X
    if sp.issparse(X):
        kept = sp.csc_matrix(X.astype(float, copy=False))  # adelie reads its arrays, and does not keep them
        matrix = ad.matrix.sparse(kept, method="naive", copy=False)
    elif X.dtype == np.int8:
        folder = tempfile.mkdtemp()
        ad.io.snp_unphased(f"{folder}/x.snpdat").write(X)
        matrix = ad.matrix.snp_unphased(ad.io.snp_unphased(f"{folder}/x.snpdat"), dtype=np.float64)
    else:
        matrix = ad.matrix.dense(X, method="naive")
    mean = np.asarray(X.mean(axis=0), float).ravel()  # standardize() takes 0 and 1 for genotypes
    matrix = ad.matrix.standardize(matrix, centers=mean, scales=_sds(X) if sp.issparse(X) else np.maximum(X.std(axis=0, dtype=float), 1e-12))
    glm = ad.glm.binomial(y=table.y, dtype=np.float64) if table.is_logistic else ad.glm.gaussian(y=table.y, dtype=np.float64)
    state = ad.grpnet(X=matrix, glm=glm, lmda_path_size=PATH_LENGTH, min_ratio=SMALLEST, early_exit=False, progress_bar=False)
    return lambda: {**found_by_path(state.betas.toarray(), table), "objectives": objectives(table, state.betas, state.lmdas * len(table.y))}


def celer_path(table):
    from celer import celer_path as path

    X = standardised(table.X)
    y = 2 * table.y - 1 if table.is_logistic else table.y - table.y.mean()
    top = np.abs(X.T @ y).max() * (0.5 if table.is_logistic else 1 / len(y))
    penalties = np.geomspace(top, SMALLEST * top, PATH_LENGTH)
    coefficients = path(X, y, pb="logreg" if table.is_logistic else "lasso", alphas=penalties)[1]
    return lambda: found_by_path(coefficients.T, table)


def skglm_path(table):
    from skglm import Lasso

    X = standardised(table.X)
    y = table.y - table.y.mean()
    top = np.abs(X.T @ y).max() / len(y)
    coefficients = Lasso().path(X, y, np.geomspace(top, SMALLEST * top, PATH_LENGTH))[1]
    return lambda: found_by_path(coefficients.T, table)


def liblinear(table):
    from sklearn.linear_model import LogisticRegression

    X = standardised(table.X)
    top = 0.5 * np.abs(X.T @ (2 * table.y - 1)).max()
    model = LogisticRegression(l1_ratio=1, C=5 / top, solver="liblinear", tol=1e-6).fit(X, table.y)
    return lambda: found_by_path(model.coef_, table)


def in_r(script):
    """A fit by R, whose process tells its own time and memory."""

    def fit(table):
        folder = Path(tempfile.mkdtemp())
        X = table.X
        if sp.issparse(X):
            for part in ("data", "indices", "indptr"):
                getattr(X, part).astype("<f8" if part == "data" else "<i4").tofile(folder / part)
        else:
            X.astype("<f8").T.tofile(folder / "X")
        table.y.astype("<f8").tofile(folder / "y")
        kind = "sparse" if sp.issparse(X) else "dense"
        family = "binomial" if table.is_logistic else "gaussian"
        subprocess.run(["Rscript", HERE / script, folder, *map(str, X.shape), kind, family, str(PATH_LENGTH), str(SMALLEST)], check=True, stdout=subprocess.DEVNULL)
        told = json.loads((folder / "told.json").read_text())
        if script == "glmnet.R":
            entered = np.fromfile(folder / "entered", "<i4")
            first = np.lexsort((np.arange(len(entered)), entered))[: len(table.effects)]
            first = first[entered[first] < PATH_LENGTH]
            found = {"named": len(first), "true": int(np.isin(first, table.effects).sum())}
            penalties = np.fromfile(folder / "lambda", "<f8")
            W = sp.csc_array(tuple(np.fromfile(folder / f"beta.{part}", kind) for part, kind in (("x", "<f8"), ("i", "<i4"), ("p", "<i4"))), shape=(X.shape[1], len(penalties)))
            sd = _sds(X) if sp.issparse(X) else X.std(axis=0, dtype=float)
            return lambda: {**found, **told, "objectives": objectives(table, W.T * sd, penalties * len(table.y))}
        else:
            sets = [np.array(s) - 1 for s in told.pop("sets")]
            found = {**found_by_inclusion(np.fromfile(folder / "pip", "<f8"), table), "sets": len(sets), "sets_true": sum(bool(np.isin(s, table.effects).any()) for s in sets)}
        return lambda: {**found, **told}

    return fit


def plink2(table):
    """Single regressions: the cost of one pass."""
    if table.X.dtype != np.int8 or sp.issparse(table.X):
        raise NotImplementedError("genotypes only")
    folder = Path(tempfile.mkdtemp())
    code = np.array([3, 2, 0], np.uint8)[table.X]
    code = np.vstack([code, np.zeros((-len(code) % 4, code.shape[1]), np.uint8)])
    packed = code[0::4] | (code[1::4] << 2) | (code[2::4] << 4) | (code[3::4] << 6)
    (folder / "x.bed").write_bytes(bytes([0x6C, 0x1B, 1]) + np.asfortranarray(packed).tobytes("F"))
    (folder / "x.bim").write_text("".join(f"1 v{j} 0 {j + 1} A C\n" for j in range(table.X.shape[1])))
    (folder / "x.fam").write_text("".join(f"f{i} i{i} 0 0 1 {y:.9g}\n" for i, y in enumerate(table.y)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["plink2", "--bfile", folder / "x", "--glm", "allow-no-covars", "--out", folder / "out", "--threads", "1", "--memory", "1000"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return lambda: {"processor_seconds": seconds, "peak_mb": after.ru_maxrss / 1024}


# Name: fit, whether it has intervals, whether it takes a target of two classes, whether it takes numbers.
METHODS = {
    "ardvark, slab": (ours("slab"), True, True, True),
    "ardvark, default": (ours("auto"), True, True, True),
    "ardvark, L1 path of 50": (our_path, False, True, True),
    "adelie, L1 path of 50": (adelie_path, False, True, True),
    "glmnet, L1 path of 50": (in_r("glmnet.R"), False, True, True),
    "celer, L1 path of 50": (celer_path, False, True, True),
    "skglm, L1 path of 50": (skglm_path, False, False, True),
    "liblinear, one penalty": (liblinear, False, True, False),
    "susieR, 10 effects": (in_r("susie.R"), True, False, True),
    "plink2, single regressions": (plink2, False, False, True),
}


def excess(known, values, bounds):
    """How far the worst of the objectives is above its minimum at most, as a part of it: above the best bounds so far, which are kept in a file."""
    best = np.maximum(bounds, np.load(known)) if known.exists() else bounds
    np.save(known, best)
    return float(max((values - best) / values))


def peak_mb(reset=False):
    """Largest memory of this process since the last reset."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def warm_up(fit, is_logistic):
    """Compilation and loading of packages are not part of the fit."""
    rng = np.random.default_rng(0)
    X = (rng.random((60, 40)) < 0.3).astype(np.int8) if fit is plink2 else rng.standard_normal((60, 40))
    y = (X[:, 0] + rng.standard_normal(60) > 0).astype(float) if is_logistic else X[:, 0] + rng.standard_normal(60)
    fit(Table(np.asfortranarray(X), y, y, X, y, y, np.array([0]), is_logistic))


def main():
    folder, method = Path(sys.argv[1]), sys.argv[2]
    fit = METHODS[method][0]
    warnings.simplefilter("ignore")
    table = read(folder)
    if not method.startswith(("susieR", "glmnet", "plink2")):
        warm_up(fit, table.is_logistic)
    before, start = peak_mb(reset=True), processor_seconds()
    describe = fit(table)
    told = {"processor_seconds": processor_seconds() - start, "peak_mb": peak_mb() - before + size_of(table.X), "X_mb": size_of(table.X)}
    told.update(describe())
    if "objectives" in told:
        told["excess"] = excess(folder / "bounds.npy", *told.pop("objectives"))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
