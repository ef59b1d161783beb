"""Kills worker processes of Dask at random moments of fits: the statistics have the same bits, and what cannot be finished ends with an exception.

    python kills_of_dask.py [--runs 60] [--seed 0]

It prints lines "figure: ..." for scripts/check, and ends with status 1 if a fit had other bits, or did not end.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import threading
import time

import dask
import dask.dataframe
import numpy as np
import pandas
from distributed import Client, KilledWorker, LocalCluster
from distributed.core import Status

from ardvark.dask import BayesianLinearRegression, statistics_of

WORKERS, PARTITIONS, PATIENCE = 4, 64, 120.0
STOPPED_SECONDS = 5.0


def table() -> dask.dataframe.DataFrame:
    rng = np.random.default_rng(0)
    n = 200_000
    frame = pandas.DataFrame(rng.normal(size=(n, 10)), columns=list("abcdefghij"))
    frame["city"] = rng.choice(["Ulm", "Bern", "Aarau"], n)
    frame["price"] = 3 + frame.a - 0.05 * frame.c + (frame.city == "Bern") + rng.normal(size=n)
    return dask.dataframe.from_pandas(frame, npartitions=PARTITIONS)


def slowly(rows: pandas.DataFrame) -> pandas.DataFrame:
    time.sleep(0.1)
    return rows


def deadly(rows: pandas.DataFrame, first: int) -> pandas.DataFrame:
    if rows.index[0] == first:
        os.kill(os.getpid(), signal.SIGKILL)
    return rows


class Fit(threading.Thread):
    """A fit in a thread of its own, so that one that never ends is seen."""

    def __init__(self, parts: dask.dataframe.DataFrame):
        super().__init__(daemon=True)
        self.parts, self.bits, self.error, self.seconds = parts, "", None, 0.0
        self.start()

    def run(self) -> None:
        started = time.monotonic()
        try:
            model = BayesianLinearRegression().fit(self.parts, y="price")
            self.bits = bits_of(model.statistics_)
        except Exception as error:
            self.error = error
        self.seconds = time.monotonic() - started

    def end(self) -> Fit:
        self.join(PATIENCE)
        if self.is_alive():
            raise TimeoutError(f"a fit did not end within {PATIENCE:.0f} s")
        return self


def bits_of(statistics: object) -> str:
    return hashlib.sha256(statistics.to_bytes()).hexdigest()[:16]


def pids_of_workers(cluster: LocalCluster) -> list[int]:
    """Processes of all workers, once all are there. A nanny does not replace one that dies while it starts."""
    started = time.monotonic()
    while len(cluster.workers) < WORKERS or not all(nanny.pid and nanny.status == Status.running for nanny in cluster.workers.values()):
        if time.monotonic() - started > PATIENCE:
            raise TimeoutError(f"the {WORKERS} workers were not there within {PATIENCE:.0f} s")
        time.sleep(0.05)
    return [nanny.pid for nanny in cluster.workers.values()]


def disturbed(cluster: LocalCluster, parts: dask.dataframe.DataFrame, quiet_seconds: float, kills: int, rng: np.random.Generator) -> tuple[Fit, int]:
    """A fit, of whose workers `kills` are killed (0: one is stopped for some seconds), and how many of these were hit before its end."""
    pids = rng.permutation(pids_of_workers(cluster)).tolist()
    moments = np.sort(rng.uniform(0, quiet_seconds, max(kills, 1)))
    started, hits = time.monotonic(), 0
    fit = Fit(parts)
    for moment, pid in zip(moments, pids):
        time.sleep(max(0.0, started + moment - time.monotonic()))
        hits += fit.is_alive()
        os.kill(pid, signal.SIGKILL if kills else signal.SIGSTOP)
    if not kills:
        time.sleep(STOPPED_SECONDS)
        os.kill(pids[0], signal.SIGCONT)
    return fit.end(), hits


def same_bits(cluster: LocalCluster, runs: int, rng: np.random.Generator) -> bool:
    parts = table()
    expected = bits_of(statistics_of(parts, "price").compute(scheduler="synchronous"))
    slow = parts.map_partitions(slowly, meta=parts._meta)
    quiet = Fit(slow).end()
    answers, count_of_hits, count_of_kills, longest = [quiet.bits], 0, 0, 0.0
    for number in range(runs):
        kills = number % 4  # 0: one is stopped
        fit, hits = disturbed(cluster, slow, quiet.seconds, kills, rng)
        print(f"run {number + 1}: {kills or 'no'} killed, {hits} during the fit, {fit.seconds:.1f} s, {fit.error or fit.bits}", flush=True)
        answers.append(fit.bits)
        count_of_hits, count_of_kills, longest = count_of_hits + hits, count_of_kills + max(kills, 1), max(longest, fit.seconds)
    same = sum(bits == expected for bits in answers)
    print(f"figure: {runs} fits with {WORKERS} workers of Dask, 1 to 3 killed or one stopped for {STOPPED_SECONDS:.0f} s: {count_of_hits} of {count_of_kills} signals "
          f"came during a fit; {same} of {len(answers)} answers have the bits of one process; {quiet.seconds:.1f} s undisturbed, {longest:.1f} s at most")
    return same == len(answers) and count_of_hits > 0.8 * count_of_kills


def failure_is_told(cluster: LocalCluster) -> bool:
    """A partition that kills each worker that reads it is given up after the failures that the scheduler allows."""
    pids_of_workers(cluster)
    parts = table()
    fit = Fit(parts.map_partitions(deadly, parts.divisions[7], meta=parts._meta)).end()
    print(f"figure: a partition that kills every worker: {type(fit.error).__name__} after {fit.seconds:.1f} s")
    print(fit.error)
    return isinstance(fit.error, KilledWorker) and fit.seconds < 30


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=60)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    # After this time a LocalCluster gives up a worker that is not there at that moment, even if it was replaced and killed again meanwhile.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster, Client(cluster):
        passed = same_bits(cluster, given.runs, np.random.default_rng(given.seed))
        return 0 if failure_is_told(cluster) and passed else 1


if __name__ == "__main__":
    sys.exit(main())
