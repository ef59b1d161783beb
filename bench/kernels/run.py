"""Compares kernel machines with their peers: errors, log densities, intervals inside and outside the data, vectors, seconds.

    .venv/bin/python bench/kernels/run.py [--only TEXT] [--methods "a;b"] [--splits N] [--seconds LIMIT] [--results FOLDER] [--picture FILE] [--readme PAGE]

Each fit becomes a row of FOLDER/results.csv at once. A later run adds what is missing, so a long run may be cut into pieces: `--seconds` ends one after a
fit. Then the table of all stored rows is printed, in Markdown. `--only` chooses problems with this text in their name.
"""

import argparse
import csv
import time
import warnings
from pathlib import Path

import numpy as np
from report import draw, print_table, write_tables
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from threadpoolctl import threadpool_limits

from ardvark import KernelClassifier, KernelRegressor, RelevanceVectorClassifier, RelevanceVectorRegressor
from problems import PROBLEMS

FIELDS = ["problem", "method", "split", "task", "error", "log_density", "inside", "outside", "vectors", "seconds"]
LIMITS = (1e-5, 1e5)


def gaussian_process(task, d):
    kernel = ConstantKernel(1.0, LIMITS) * RBF(np.ones(d), LIMITS)
    if task == "classification":
        return make_pipeline(StandardScaler(), GaussianProcessClassifier(kernel))
    return make_pipeline(StandardScaler(), GaussianProcessRegressor(kernel + WhiteKernel(1.0, LIMITS), normalize_y=True))


def support_vectors(task, d):
    grid = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-2, 1, 4) / d}
    if task == "regression":
        grid["epsilon"] = [0.05, 0.2]
    machine = SVC(probability=True, random_state=0) if task == "classification" else SVR()
    return make_pipeline(StandardScaler(), GridSearchCV(machine, grid))


def pick(regressor, classifier, **options):
    return lambda task, d: (regressor if task == "regression" else classifier)(**options)


METHODS = {
    "kernel": pick(KernelRegressor, KernelClassifier, n_jobs=1),
    "kernel, no averaging": pick(KernelRegressor, KernelClassifier, n_jobs=1, averaging=False),
    "RVM": pick(RelevanceVectorRegressor, RelevanceVectorClassifier, n_jobs=1),
    "RVM, a width each": pick(RelevanceVectorRegressor, RelevanceVectorClassifier, n_jobs=1, width="each"),
    "scikit-learn GP, one width": lambda task, d: gaussian_process(task, 1),
    "scikit-learn GP, a width each": gaussian_process,
    "scikit-learn SVM, CV": support_vectors,
    "scikit-learn boosting": pick(HistGradientBoostingRegressor, HistGradientBoostingClassifier, random_state=0),
}


def bands(model, X, of_function):
    """95% intervals of new observations, or of the function; None if the method has none."""
    if hasattr(model, "predict_interval"):
        return model.predict_interval(X, interval="mean" if of_function else "new").T
    if not isinstance(model[-1], GaussianProcessRegressor):
        return None
    mean, sd = model.predict(X, return_std=True)  # of a new observation
    if of_function:
        noise = np.exp(model[-1].kernel_.theta[-1]) * model[-1]._y_train_std ** 2
        sd = np.sqrt(np.maximum(sd**2 - noise, 0))
    return mean + stats.norm.ppf([[0.025], [0.975]]) * sd


def inside(band, values):
    return np.nan if band is None else np.mean((band[0] <= values) & (values <= band[1]))


def log_density(model, X, y):
    if hasattr(model, "log_density"):
        return np.mean(model.log_density(X, y))
    if hasattr(model, "predict_proba"):
        p = model.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        return np.mean(np.log(np.maximum(p, 1e-12)))
    if hasattr(model, "steps") and isinstance(model[-1], GaussianProcessRegressor):
        mean, sd = model.predict(X, return_std=True)
        return np.mean(stats.norm.logpdf(y, mean, sd))
    return np.nan


def number_of_vectors(model):
    last = model[-1] if hasattr(model, "steps") else model
    last = getattr(last, "best_estimator_", last)
    return len(last.support_) if hasattr(last, "support_") else np.nan


def measure(method, task, split):
    start = time.process_time()
    model = METHODS[method](task, split.X.shape[1])
    if isinstance(model, (HistGradientBoostingClassifier, HistGradientBoostingRegressor)) or hasattr(model, "steps"):
        model = model.fit(split.X, split.y)
    else:
        model.fit(split.X, split.y)
    out = {"seconds": time.process_time() - start}
    guess = model.predict(split.X_test)
    if task == "classification":
        out["error"] = np.mean(guess != split.y_test)
    else:
        out["error"] = np.sqrt(np.mean((guess - (split.y_test if split.f_test is None else split.f_test)) ** 2))
        out["inside"] = inside(bands(model, split.X_test, False), split.y_test) if not isinstance(model, HistGradientBoostingRegressor) else np.nan
        if split.X_outside is not None and not isinstance(model, HistGradientBoostingRegressor):
            out["outside"] = inside(bands(model, split.X_outside, True), split.f_outside)
    out["log_density"] = log_density(model, split.X_test, split.y_test)
    out["vectors"] = number_of_vectors(model)
    return out


def stored(path):
    return list(csv.DictReader(open(path))) if path.exists() else []


def run(chosen, path):
    done = {(row["problem"], row["method"], int(row["split"])) for row in stored(path)}
    end = time.monotonic() + chosen.seconds
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with open(path, "a", newline="") as file, threadpool_limits(1):
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        for name, problem in PROBLEMS.items():
            if chosen.only not in name:
                continue
            for at in range(min(problem.splits, chosen.splits)):
                for method in chosen.methods:
                    if (name, method, at) in done:
                        continue
                    if time.monotonic() > end:
                        return
                    found = measure(method, problem.task, problem.split(at))
                    numbers = {key: f"{value:.5g}" for key, value in found.items() if np.isfinite(value)}
                    writer.writerow({"problem": name, "method": method, "split": at, "task": problem.task, **numbers})
                    file.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--methods", type=lambda text: text.split(";"), default=list(METHODS), help="names between semicolons: " + "; ".join(METHODS))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=np.inf)
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--readme", type=Path, help="a page with marks for the tables")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    path = chosen.results / "results.csv"
    run(chosen, path)
    print_table(stored(path))
    if chosen.picture:
        draw(stored(path), chosen.picture)
    if chosen.readme:
        write_tables(stored(path), chosen.readme)


if __name__ == "__main__":
    main()
