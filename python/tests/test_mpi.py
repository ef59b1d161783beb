"""ardvark-mpi: files read by the ranks of an MPI job, for statistics and for fits by passes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import re
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
        progress = [line for line in err.splitlines() if not re.fullmatch(r"ardvark-mpi: \d of 7 files, \d+ rows", line)]
        assert (code, progress) == (0, []) and "60000" in out and "city: levels 'Aarau', 'Bern', 'Ulm'\n" in out
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


def test_many_targets_have_the_same_bits_for_any_number_of_ranks(table, files):
    bits = set()
    for ranks in (1, 2, 5):
        code, out, err = run(ranks, "stats", "part-*.csv", "--target", "y,d", "--weights", "w", "--ignore", "city", "-o", "all.stats", folder=files)
        progress = [line for line in err.splitlines() if not re.fullmatch(r"ardvark-mpi: \d of 7 files, \d+ rows", line)]
        assert (code, progress) == (0, []) and "60000" in out and "2: 'y', 'd'\n" in out
        bits.add((files / "all.stats").read_bytes())
    assert len(bits) == 1
    statistics = ardvark.TargetStatistics()
    for path in sorted(files.glob("part-*.csv")):
        statistics.merge(ardvark.TargetStatistics().update(pandas.read_csv(path).drop(columns="city"), ["y", "d"], "w"))
    assert statistics.to_bytes() == bits.pop()
    model = ardvark.BayesianLinearRegression().fit(ardvark.TargetStatistics.load(files / "all.stats"))
    full = ardvark.BayesianLinearRegression().fit(table.drop(columns="city"), target=["y", "d"], sample_weight="w")
    np.testing.assert_allclose(model.coef_, full.coef_, rtol=1e-6, atol=1e-8)


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
    (["fit", "part-*.csv", "--target", "y", "--model", "linear"], 2, "use 'ardvark-mpi stats', and then 'ardvark fit --statistics'"),
    (["fit", "part-*.csv", "--target", "city", "--model", "logistic", "--diagnose"], 2, "cannot be used here: --diagnose needs the table in memory"),
    (["fit", "part-*.csv", "--target", "city", "--model", "logistic", "-o", "nowhere/x"], 3, "the folder 'nowhere' does not exist"),
    (["fit", "part-*.csv", "--target", "y", "--model", "logistic"], 2, "target 'y' has more than 1000 classes"),
    (["fit", "part-*.csv", "--target", "city", "--model", "logistic", "--ignore", "zz"], 2, "has no column 'zz' to ignore"),
    (["fit", "part-*.csv", "--target", "city", "--model", "kernel", "--task", "regression"], 2, "target 'city' is text"),
    (["stats", "part-*.csv", "--target", "city", "-o", "x"], 2, "the target 'city' is text"),
    (["stats", "part-*.csv", "--target", "y,d", "-o", "x"], 2, "'city' holds texts"),
    (["stats", "part-*.csv", "--target", "y,d", "--form", "factor", "-o", "x"], 2, "statistics of several targets have the form gram only"),
    (["fit", "part-*.csv", "--target", "y,d"], 2, "several targets need only sums: use 'ardvark-mpi stats'"),
    (["predict"], 2, "ardvark: 'predict' is not a command: the commands are stats and fit"),
])
def test_wrong_commands_end_the_job_with_one_message(files, words, code, message):
    ended, _, err = run(3, *words, folder=files)
    assert ended == code and err.count(message) >= 1, err
    assert err.count("ardvark: ") == 1
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


FITS = {
    "logistic": ["--target", "click", "--weights", "w", "--ignore", "y,kind", "--model", "logistic"],
    "classes": ["--target", "kind", "--ignore", "y,click,w", "--model", "logistic", "--prior", "ard", "--coding", "one-against-rest"],
    "kernel": ["--target", "y", "--ignore", "kind,click,w", "--model", "kernel", "--centres", "30", "--width", "3"],
}


@pytest.fixture
def classes(table, tmp_path):
    """Also with columns in another order in one file."""
    rng = np.random.default_rng(1)
    rows = table.assign(click=np.where(table.y + rng.logistic(size=len(table)) > 3, "yes", "no"), kind=rng.choice(["p", "q", "r"], len(table)))
    borders = [0, 9000, 9001, 20_000, 33_000, 41_000, 50_000, 60_000]
    for number, (begin, end) in enumerate(zip(borders, borders[1:])):
        part = rows[begin:end]
        (part[part.columns[::-1]] if number == 4 else part).to_csv(tmp_path / f"part-{number}.csv", index=False)
    rows.to_csv(tmp_path / "whole.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("which", FITS)
def test_a_fit_does_not_depend_on_the_number_of_ranks(classes, which):
    found = set()
    for ranks in (1, 2, 3, 8):
        code, out, err = run(ranks, "fit", "part-*.csv", *FITS[which], "-o", "m.ardvark", "--json", folder=classes)
        assert (code, err) == (0, "")
        fit = json.loads(out)
        fit.pop("seconds")
        found.add(json.dumps(fit))
    assert len(found) == 1
    one = subprocess.run([PROGRAM.parent / "ardvark", "fit", "whole.csv", *FITS[which], "--stream", "always", "--json"], cwd=classes, capture_output=True, check=True)
    whole = json.loads(one.stdout)
    assert fit["num_rows"] == whole["num_rows"] and fit["status"] == whole["status"] == "converged"
    if which != "kernel":  # whose centres are other rows
        assert np.abs((np.array(fit["mean"]) - whole["mean"]) / np.array(whole["sd"])).max() < 0.01
        assert fit["columns"] == whole["columns"]
    X = pandas.read_csv(classes / "whole.csv")[: 1000]
    assert len(ardvark.load(classes / "m.ardvark").predict(X[[*"abcd", "city"]])) == 1000


def test_files_of_a_fit_must_belong_together(classes):
    rows = pandas.read_csv(classes / "part-2.csv")
    command = ["fit", "part-*.csv", *FITS["logistic"], "-o", "m.ardvark"]
    for changed, message in [
        (rows.rename(columns={"b": "e"}), "'part-2.csv' cannot be added to 'part-0.csv': it has no column 'b', which those before have"),
        (rows.drop(columns="b"), "'part-2.csv' cannot be added to 'part-0.csv': it has no column 'b', which those before have"),
        (rows.assign(e=1), "'part-2.csv' cannot be added to 'part-0.csv': it has a column 'e', which those before do not have"),
        (rows.assign(b="low"), "'part-2.csv' cannot be added to 'part-0.csv': column 'b' has texts, and in those before it has numbers"),
        (rows.assign(click=1), "'part-2.csv' cannot be added to 'part-0.csv': column 'click' has numbers, and in those before it has texts"),
    ]:
        changed.to_csv(classes / "part-2.csv", index=False)
        code, _, err = run(3, *command, folder=classes)
        assert code == 2 and message in err and not (classes / "m.ardvark").exists(), err


@pytest.mark.parametrize("victim", [0, -1])
def test_a_killed_rank_ends_a_fit(classes, victim):
    job = start(3, "fit", "whole.csv", "part-*.csv", *FITS["classes"], "-o", "m.ardvark", folder=classes)
    until = time.monotonic() + 30
    # Not before all ranks read: mpirun of Open MPI 4.1 can wait for ever for a rank that is killed inside MPI_Init.
    while not (len(of_job := ranks_of(job)) == 3 and any(map(has_a_table_open, of_job))) and time.monotonic() < until:
        time.sleep(0.001)
    os.kill(of_job[victim], signal.SIGKILL)
    _, err = job.communicate(timeout=30)
    assert job.returncode != 0 and ("signal 9" in err or "KILLED" in err), err
    assert not (classes / "m.ardvark").exists()


def has_a_table_open(process):
    try:
        return any(os.readlink(link).endswith(".csv") for link in Path(f"/proc/{process}/fd").iterdir())
    except OSError:  # a file was closed meanwhile
        return False


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
