"""One fit in a process of its own: reads a table of Parquet and fits it, and prints what that took as one line of JSON.

    python peers.py FOLDER METHOD

FOLDER is written by `write_table`: part-*.parquet and truth.npz. The methods are those of METHODS.
"""

import json
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"  # before anything that reads them

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from pyarrow.dataset import dataset  # noqa: E402

ROWS_OF_A_FILE, ROWS_OF_A_GROUP = 1_000_000, 65_536


def write_table(folder: Path, task: str, rows: int, columns: int) -> None:
    """Correlated normal columns, of which half have an effect, and a target `y`: a number, or 0 and 1."""
    rng = np.random.default_rng(1)
    true = np.where(np.arange(columns) % 2 == 0, rng.normal(size=columns) / np.sqrt(columns), 0.0)
    information = np.zeros((columns + 1, columns + 1))
    folder.mkdir(parents=True)
    for number, first in enumerate(range(0, rows, ROWS_OF_A_FILE)):
        X = rng.standard_normal((min(ROWS_OF_A_FILE, rows - first), columns))
        X[:, 1:] += 0.5 * X[:, :-1]
        score = 0.3 + X @ true
        probability = 1 / (1 + np.exp(-score))
        y = score + rng.standard_normal(len(X)) if task == "linear" else (rng.uniform(size=len(X)) < probability).astype(float)
        weight = np.ones(len(X)) if task == "linear" else probability * (1 - probability)
        with_one = np.column_stack([X, np.ones(len(X))])
        information += with_one.T @ (weight[:, None] * with_one)
        table = pa.table({**{f"x{j}": X[:, j] for j in range(columns)}, "y": y})
        pq.write_table(table, folder / f"part-{number:03d}.parquet", row_group_size=ROWS_OF_A_GROUP, compression="lz4")
    np.savez(folder / "truth.npz", true=true, error=np.sqrt(np.diag(np.linalg.inv(information)))[:-1])


def files_of(folder):
    return sorted(map(str, Path(folder).glob("*.parquet")))


def batches(folder):
    """X and y of some rows."""
    for path in files_of(folder):
        for batch in pq.ParquetFile(path, pre_buffer=False).iter_batches(batch_size=ROWS_OF_A_GROUP):
            table = np.column_stack([batch.column(j).to_numpy() for j in range(batch.num_columns)])
            yield table[:, :-1], table[:, -1]


def in_memory(folder):
    """X and y of all rows; nothing else stays in memory."""
    rows = sum(pq.ParquetFile(path).metadata.num_rows for path in files_of(folder))
    X, y, at = None, np.empty(rows), 0
    for some_X, some_y in batches(folder):
        X = np.empty((rows, some_X.shape[1])) if X is None else X
        X[at : at + len(some_y)], y[at : at + len(some_y)] = some_X, some_y
        at += len(some_y)
    return X, y


def ardvark_streamed(folder):
    from ardvark import BayesianLinearRegression

    return BayesianLinearRegression().fit(dataset(files_of(folder)), y="y").coef_


def ardvark_memory(folder):
    from ardvark import BayesianLinearRegression

    return BayesianLinearRegression().fit(*in_memory(folder)).coef_


def ardvark_dask(folder):
    import dask
    import dask.dataframe
    from ardvark.dask import BayesianLinearRegression

    with dask.config.set(scheduler="synchronous"):
        return BayesianLinearRegression().fit(dask.dataframe.read_parquet(files_of(folder), split_row_groups=4), y="y").coef_


def numpy_gram(folder):
    X, y = in_memory(folder)
    centre = X.mean(0)
    return np.linalg.solve(X.T @ X - len(y) * np.outer(centre, centre), X.T @ y - len(y) * centre * y.mean())


def polars_ols(folder):
    import polars as pl
    import polars_ols as _  # noqa: F401

    frame = pl.scan_parquet(files_of(folder)).collect()
    names = [name for name in frame.columns if name != "y"]
    fit = frame.select(pl.col("y").least_squares.ols(*names, add_intercept=True, mode="coefficients").alias("fit")).unnest("fit")
    return fit.select(names).to_numpy()[0]


def row_groups(path, groups):
    return pq.ParquetFile(path).read_row_groups(groups).to_pandas().to_numpy()


def dask_arrays(folder):
    import dask
    import dask.array as da

    dask.config.set(scheduler="synchronous")
    parts = []
    for path in files_of(folder):
        facts = pq.ParquetFile(path).metadata
        for first in range(0, facts.num_row_groups, 4):
            groups = list(range(first, min(first + 4, facts.num_row_groups)))
            shape = (sum(facts.row_group(group).num_rows for group in groups), facts.num_columns)
            parts.append(da.from_delayed(dask.delayed(row_groups)(path, groups), shape, float))
    table = da.concatenate(parts).persist()
    return table[:, :-1], table[:, -1]


def dask_ml(model, solver):
    def fit(folder):
        import dask_ml.linear_model as linear

        return np.ravel(getattr(linear, model)(solver=solver).fit(*dask_arrays(folder)).coef_)

    return fit


def sklearn(model, **options):
    def fit(folder):
        import sklearn.linear_model as linear

        return np.ravel(getattr(linear, model)(**options).fit(*in_memory(folder)).coef_)

    return fit


def sgd(model, **options):
    def fit(folder):
        import sklearn.linear_model as linear

        machine = getattr(linear, model)(**options)
        for X, y in batches(folder):
            machine.partial_fit(X, y, **({"classes": [0, 1]} if model == "SGDClassifier" else {}))
        return np.ravel(machine.coef_)

    return fit


def river(model):
    def fit(folder):
        import river.linear_model as linear

        machine = getattr(linear, model)()
        for X, y in batches(folder):
            names = [f"x{j}" for j in range(X.shape[1])]
            for row, value in zip(X, y):
                machine.learn_one(dict(zip(names, row.tolist())), value)
        return np.array([machine.weights[name] for name in names])

    return fit


def glum(folder):
    from glum import GeneralizedLinearRegressor

    return GeneralizedLinearRegressor(family="binomial", alpha=0).fit(*in_memory(folder)).coef_


def ardvark_logistic(prior):
    def fit(folder):
        from ardvark import BayesianLogisticRegression

        return np.ravel(BayesianLogisticRegression(prior=prior).fit(*in_memory(folder)).coef_)

    return fit


def ardvark_passes(prior):
    def fit(folder):
        from ardvark import BayesianLogisticRegression

        return np.ravel(BayesianLogisticRegression(prior=prior).fit(dataset(files_of(folder)), y="y").coef_)

    return fit


# Name: fit, most rows, whether its coefficients have intervals. Those with other limits than the memory take minutes beyond.
METHODS = {
    "linear": {
        "ardvark, streamed": (ardvark_streamed, 1e9, True),
        "ardvark.dask": (ardvark_dask, 1e9, True),
        "ardvark, in memory": (ardvark_memory, 1e7, True),
        "numpy, X'X": (numpy_gram, 1e7, False),
        "polars-ols": (polars_ols, 1e7, False),
        "dask-ml, lbfgs": (dask_ml("LinearRegression", "lbfgs"), 1e6, False),
        "scikit-learn, BayesianRidge": (sklearn("BayesianRidge"), 1e6, True),
        "scikit-learn, SGD, one pass": (sgd("SGDRegressor"), 1e7, False),
        "river": (river("LinearRegression"), 1e6, False),
    },
    "logistic": {
        "ardvark, streamed": (ardvark_passes("sparse"), 1e9, True),
        "ardvark, prior shared, streamed": (ardvark_passes("shared"), 1e9, True),
        "ardvark, in memory": (ardvark_logistic("sparse"), 1e6, True),
        "ardvark, prior shared, in memory": (ardvark_logistic("shared"), 1e6, True),
        "scikit-learn, lbfgs": (sklearn("LogisticRegression", C=1e6), 1e7, False),
        "glum": (glum, 1e6, True),
        "dask-ml, newton": (dask_ml("LogisticRegression", "newton"), 1e6, False),
        "dask-ml, admm": (dask_ml("LogisticRegression", "admm"), 1e6, False),
        "scikit-learn, SGD, one pass": (sgd("SGDClassifier", loss="log_loss"), 1e7, False),
        "river": (river("LogisticRegression"), 1e6, False),
    },
}


def main():
    folder, task, method = sys.argv[1:]
    warnings.simplefilter("ignore")
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    fit = METHODS[task][method][0]
    with tempfile.TemporaryDirectory() as few:  # what is loaded or compiled at the first fit is not counted
        write_table(Path(few) / "table", task, 2000, 3)
        fit(Path(few) / "table")
    begin, processor = time.monotonic(), time.process_time()
    coefficients = fit(folder)
    seconds, processor = time.monotonic() - begin, time.process_time() - processor
    truth = np.load(Path(folder) / "truth.npz")
    error = float(np.sqrt(np.mean(((coefficients - truth["true"]) / truth["error"]) ** 2)))
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:")) / 1024  # ru_maxrss begins with that of the parent
    print(json.dumps({"seconds": seconds, "processor_seconds": processor, "peak_mb": peak, "error": error}))


if __name__ == "__main__":
    main()
