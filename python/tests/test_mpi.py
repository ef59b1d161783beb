"""ardvark-mpi: files read by the ranks of an MPI job."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import ardvark

pandas = pytest.importorskip("pandas")

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "bin" / "ardvark-mpi"
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not PROGRAM.exists() or shutil.which("mpirun") is None, reason="needs ardvark-mpi (scripts/setup --with-mpi) and mpirun"),
]

# For Open MPI: more ranks than processors, and as root in a container.
MORE = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def start(ranks, *words, folder):
    command = ["mpirun", "-n", str(ranks), PROGRAM, *map(str, words)]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, **MORE}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(ranks, *words, folder):
    job = start(ranks, *words, folder=folder)
    out, err = job.communicate(timeout=120)
    return job.returncode, out, err


@pytest.fixture(scope="module")
def table():
    """A level of the text column is only in the last of the files, which have different lengths."""
    rng = np.random.default_rng(0)
    n = 60_000
    rows = pandas.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    rows["city"] = np.where(np.arange(n) < 55_000, rng.choice(["Ulm", "Bern"], n), "Aarau")
    rows["w"] = rng.integers(0, 3, n)
    rows["y"] = 3 + rows.a - 0.05 * rows.c + (rows.city == "Bern") + rng.normal(size=n)
    return rows


@pytest.fixture
def files(table, tmp_path):
    borders = [0, 9000, 9001, 20_000, 33_000, 41_000, 50_000, 60_000]
    for number, (begin, end) in enumerate(zip(borders, borders[1:])):
        table[begin:end].to_csv(tmp_path / f"part-{number}.csv", index=False)
    return tmp_path


def test_any_number_of_ranks_gives_the_same_bits(table, files):
    bits = set()
    for ranks in range(1, 9):
        code, out, err = run(ranks, "stats", "part-*.csv", "--target", "y", "--weights", "w", "-o", "all.stats", folder=files)
        assert (code, err) == (0, "") and "60000" in out and "city: levels 'Aarau', 'Bern', 'Ulm'\n" in out
        bits.add((files / "all.stats").read_bytes())
        assert not (files / "all.stats.parts").exists()
    assert len(bits) == 1
    statistics = ardvark.LinearStatistics()
    for path in sorted(files.glob("part-*.csv")):
        statistics.merge(ardvark.LinearStatistics().update(pandas.read_csv(path), "y", "w"))
    assert statistics.to_bytes() == bits.pop()
    model, full = (ardvark.BayesianLinearRegression().fit(X, **names) for X, names in (
        (ardvark.LinearStatistics.load(files / "all.stats"), {}), (table, {"y": "y", "sample_weight": "w"})))
    assert np.abs((model.coef_ - full.coef_) / full.coef_std_).max() < 1e-6


def test_options_of_tables(table, files):
    with open(files / "part-2.csv", "a") as file:
        file.write(",,,,Ulm,1,2.0\n")
    code, out, err = run(3, "stats", "part-*.csv", "--target", "y", "--ignore", "w,city", "--missing", "drop", "--form", "factor", "-o", "all.stats", folder=files)
    assert (code, err) == (0, "")
    statistics = ardvark.LinearStatistics.load(files / "all.stats")
    assert statistics.form == "factor" and statistics.n_rows_ == 60_000 and list(statistics.feature_names_in_) == list("abcd")
    assert np.allclose(statistics.mean_, table[[*"abcd", "y"]].mean(), rtol=1e-10)


@pytest.mark.parametrize("words, code, message", [
    (["stats", "nothing-*.csv", "--target", "y", "-o", "x"], 3, "ardvark: 'nothing-*.csv' matches no file"),
    (["stats", "part-0.csv", "part-1.csv", "part-0.csv", "--target", "y", "-o", "x"], 2, "ardvark: 'part-0.csv' is given twice"),
    (["stats", "part-*.csv", "--target", "y"], 2, "ardvark: --output"),
    (["stats", "part-*.csv", "--target", "z", "-o", "x"], 2, "'z'"),
    (["stats", "part-*.csv", "--target", "y", "-o", "nowhere/x"], 3, "the folder 'nowhere' does not exist"),
    (["stats", "part-*.csv", "--target", "y", "--form", "square", "-o", "x"], 2, "ardvark: form is 'square'"),
    (["stats", "part-0.csv", "/dev/null", "--target", "y", "-o", "x"], 2, "ardvark: '/dev/null' is not a regular file"),
    (["fit"], 2, "ardvark: 'fit' is not a command: the command is stats"),
])
def test_wrong_commands_end_the_job_with_one_message(files, words, code, message):
    ended, _, err = run(3, *words, folder=files)
    assert ended == code and err.count(message) >= 1, err
    assert err.count("ardvark: ") == 1 or words[3] == "z"  # each rank that begins may say so
    assert not (files / "x").exists()


def test_a_wrong_value_is_named_and_the_other_files_are_used_again(files):
    good = (files / "part-3.csv").read_text()
    lines = good.splitlines(keepends=True)
    lines[100] = "many" + lines[100][lines[100].index(","):]
    (files / "part-3.csv").write_text("".join(lines))
    code, _, err = run(2, "stats", "part-*.csv", "--target", "y", "-o", "all.stats", folder=files)
    assert code == 2 and "ardvark: in 'part-3.csv': row 100 (line 101), column 'a': 'many' is not a number" in err
    assert not (files / "all.stats").exists()
    complete = len(list((files / "all.stats.parts").glob("*.stats")))
    assert complete >= 1
    (files / "part-3.csv").write_text(good)
    code, out, err = run(2, "stats", "part-*.csv", "--target", "y", "-o", "all.stats", folder=files)
    assert code == 0 and f"the statistics of {complete} of 7 files were there from a run before" in out
    assert not (files / "all.stats.parts").exists()
    run(1, "stats", "part-*.csv", "--target", "y", "-o", "again.stats", folder=files)
    assert (files / "again.stats").read_bytes() == (files / "all.stats").read_bytes()


def ranks_of(job):
    """Processes of ardvark-mpi that the job has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        if words[0].endswith(b"ardvark-mpi") and ancestor_is(job.pid, parent):
            found.append(int(folder.name))
    return sorted(found)


def ancestor_is(pid, process):
    while process > 1:
        if process == pid:
            return True
        try:
            process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
    return False


@pytest.mark.parametrize("victim", [0, -1])
def test_a_killed_rank_ends_the_job_and_what_is_complete_is_used_again(files, victim):
    header, *rows = (files / "part-6.csv").read_text().splitlines(keepends=True)
    (files / "part-7.csv").write_text(header + 60 * "".join(rows))
    for number in (8, 9):
        os.link(files / "part-7.csv", files / f"part-{number}.csv")
    command = ["stats", "part-*.csv", "--target", "y", "-o", "all.stats"]
    job = start(3, *command, folder=files)
    parts = files / "all.stats.parts"
    until = time.monotonic() + 60
    while len(list(parts.glob("*.stats"))) < 4 and time.monotonic() < until:
        time.sleep(0.005)
    os.kill(ranks_of(job)[victim], signal.SIGKILL)
    _, err = job.communicate(timeout=30)
    assert job.returncode != 0 and ("signal 9" in err or "KILLED" in err), err
    assert not (files / "all.stats").exists()
    complete = len(list(parts.glob("*.stats")))
    assert complete >= 4
    code, out, _ = run(2, *command, folder=files)
    assert code == 0 and f"the statistics of {complete} of 10 files were there" in out
    run(1, *command[:-1], "again.stats", folder=files)
    assert (files / "again.stats").read_bytes() == (files / "all.stats").read_bytes()


def test_kept_parts_are_read_again_if_the_file_or_an_option_changes(files):
    command = ["stats", "part-*.csv", "--target", "y", "-o", "all.stats", "--keep-parts"]
    assert "were there" not in run(2, *command, folder=files)[1]
    assert "the statistics of 7 of 7 files were there" in run(2, *command, folder=files)[1]
    with open(files / "part-1.csv", "a") as file:
        file.write("1,2,3,4,Ulm,1,2\n")
    code, out, _ = run(2, *command, folder=files)
    assert code == 0 and "the statistics of 6 of 7 files were there" in out
    assert ardvark.LinearStatistics.load(files / "all.stats").n_rows_ == 60_001
    assert "were there" not in run(2, *command, "--ignore", "d", folder=files)[1]
    parts = list((files / "all.stats.parts").iterdir())
    assert len(parts) == 7  # those that no file has any more are gone
    expected = (files / "all.stats").read_bytes()
    parts[0].write_bytes(parts[0].read_bytes()[:-7])
    assert run(2, *command, "--ignore", "d", folder=files)[0] == 0
    assert (files / "all.stats").read_bytes() == expected
