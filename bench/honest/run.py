"""Runs the benchmark of calibrated priors.

    .venv/bin/python bench/honest/run.py [--results FILE] [--studies linear,logistic,small-linear,small-logistic,real,parts] [--methods sparse,LassoCV] [--families ind-*,...]
                                         [--seeds 0,1] [--jobs N] [--limit SECONDS] [--again sparse]

Each fit runs in its own process with one thread. Seconds are processor seconds, so other work on the machine does not count.
Fits in the results file are not made again, except those of the methods named by --again. A fit that reaches the limit is recorded as such.
"""

import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import argparse
import fnmatch
import multiprocessing
import resource
import signal
import sys
import time
import warnings
from multiprocessing.connection import wait
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import families
import methods
import numpy as np
import real
import subsets
from results import Results
from scores import score

STUDIES = ("linear", "logistic", "small-linear", "small-logistic", "real", "parts")
METHODS = methods.REGRESSION | methods.CLASSES | subsets.REGRESSION
SMALL_SEEDS = 20
QUICK = 0.1  # s
FORK = multiprocessing.get_context("fork")


def problems(study):
    """Name -> number of seeds or folds, the methods, and a function that draws the problem of a seed."""
    if study == "real":
        tasks = {name: methods.REGRESSION for name in real.REGRESSIONS} | {name: methods.CLASSES for name in real.CLASSES}
        return {name: (real.FOLDS, fits, lambda fold, name=name: real.draw(name, fold)) for name, fits in tasks.items()}
    if study == "parts":
        fits = {name: of_few_columns(real.part(name, 0).X.shape[1], classes, methods.SELECTING) for name, classes in real.IN_PARTS.items()}
        return {name: (1 + real.PARTS, some, lambda number, name=name: real.part(name, number)) for name, some in fits.items()}
    classes = study.endswith("logistic")
    of_family = lambda family: lambda seed: families.draw(family, seed, classes)
    if study.startswith("small"):
        some = families.SMALL_LOGISTIC if classes else families.SMALL_LINEAR
        return {family.name: (SMALL_SEEDS, of_few_columns(family.p, classes, methods.SMALL), of_family(family)) for family in some}
    fits = methods.CLASSES if classes else methods.REGRESSION
    return {family.name: (4, fits, of_family(family)) for family in (families.LOGISTIC if classes else families.LINEAR)}


def of_few_columns(p, classes, names):
    """The methods with these names, and the sums over subsets if there are not too many subsets."""
    fits = methods.CLASSES | subsets.CLASSES if classes else methods.REGRESSION | subsets.REGRESSION
    return {name: method for name, method in fits.items() if (name in names or name in subsets.REGRESSION) and p <= method.max_columns}


def timed(method, problem):
    """The model and its processor seconds. A quick fit is made twice, because the first one in a process also loads libraries."""
    seconds = np.inf
    while True:
        start = time.process_time()
        model = method.fit(problem.X, problem.y)
        before, seconds = seconds, min(seconds, time.process_time() - start)
        if before < np.inf or seconds > QUICK:
            return model, seconds


def one_fit(draw, seed, method, limit):
    """The row of one fit, in this process."""
    problem = draw(seed)
    row = dict(zip(("n", "p"), problem.X.shape), seconds=float("nan"))
    if problem.X.shape[1] > method.max_columns:
        return row | {"status": f"> {limit:g} s"}
    spent = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent.ru_utime + spent.ru_stime + limit) + 1,) * 2)
    model, row["seconds"] = timed(method, problem)
    answer = method.read(model, problem.X, problem.y, problem.X_new, problem.y_new)
    if answer.seconds is not None:
        row["seconds"] = float(answer.seconds)
    return row | {"status": "ok"} | score(problem, answer)


def child(pipe, *task):
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pipe.send(one_fit(*task))
    except Exception as error:  # it is recorded in this row; the other fits continue
        pipe.send({"status": f"{type(error).__name__}: {error}".replace("\n", " ")[:200]})


def run(tasks, results, jobs, limit):
    waiting, running, done = list(reversed(tasks)), {}, 0
    while waiting or running:
        while waiting and len(running) < jobs:
            key, draw, method = waiting.pop()
            receiver, sender = FORK.Pipe(duplex=False)
            process = FORK.Process(target=child, args=(sender, draw, key["seed"], method, limit))
            process.start()
            sender.close()
            running[receiver] = (key, process)
        for receiver in wait(list(running)):
            key, process = running.pop(receiver)
            try:
                row = receiver.recv()
            except EOFError:
                row = None
            process.join()
            if row is None:
                reached = -process.exitcode in (signal.SIGXCPU, signal.SIGKILL)
                row = {"status": f"> {limit:g} s" if reached else f"ended with {process.exitcode}"}
            results.add(key | row)
            done += 1
            what = f"{row.get('seconds', float('nan')):8.3f} s" if row["status"] == "ok" else row["status"]
            print(f"{done}/{len(tasks)} {key['problem']} {key['seed']} {key['method']}: {what}", flush=True)


def chosen_tasks(chosen, results):
    tasks = []
    for study in chosen.studies:
        for name, (count, fits, draw) in problems(study).items():
            if not any(fnmatch.fnmatch(name, pattern) for pattern in chosen.families):
                continue
            for seed in range(count):
                for label, method in fits.items():
                    key = {"study": study, "problem": name, "seed": seed, "method": label}
                    wanted = (chosen.seeds is None or seed in chosen.seeds) and (chosen.methods is None or label in chosen.methods)
                    if wanted and not results.has(key) and method.is_there():
                        tasks.append((key, draw, method))
    return sorted(tasks, key=lambda task: task[0]["seed"])


def main():
    listed = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", default=str(Path(__file__).parent / "results" / "results.csv"))
    parser.add_argument("--studies", type=listed, default=STUDIES, help="some of " + ", ".join(STUDIES))
    parser.add_argument("--methods", type=listed, help=", ".join(METHODS))
    parser.add_argument("--families", type=listed, default=["*"], help="names of problems, or patterns such as ind-*")
    parser.add_argument("--seeds", type=lambda text: [int(s) for s in text.split(",")], help="seeds; for real data, folds; default: all")
    parser.add_argument("--jobs", type=int, default=1, help="number of fits at the same time")
    parser.add_argument("--limit", type=float, default=300.0, help="processor seconds after which a fit is stopped")
    parser.add_argument("--again", type=listed, default=[], help="methods whose results for the chosen problems are removed first")
    chosen = parser.parse_args()
    unknown = set((chosen.methods or []) + chosen.again) - set(METHODS)
    if unknown or set(chosen.studies) - set(STUDIES):
        parser.error(f"there is no method or study with the name {', '.join(unknown or set(chosen.studies) - set(STUDIES))}")

    warnings.simplefilter("ignore")
    results = Results(chosen.results)

    def is_to_be_redone(row):
        return (
            row["method"] in chosen.again
            and row["study"] in chosen.studies
            and any(fnmatch.fnmatch(row["problem"], pattern) for pattern in chosen.families)
            and (chosen.seeds is None or int(row["seed"]) in chosen.seeds)
        )

    results.forget(is_to_be_redone)
    for label, method in (METHODS).items():
        if not method.is_there():
            print(f"{label}: not installed, left out")
    run(chosen_tasks(chosen, results), results, chosen.jobs, chosen.limit)


if __name__ == "__main__":
    main()
