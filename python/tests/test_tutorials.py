"""The tutorials run, in Python, in the shell and in R, print what they say, and name no number that is not printed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("pandas")

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
import tutorials  # noqa: E402

PAGES = sorted(tutorials.PAGES.glob("*.md"))
# A number that stands alone: not a part of a name (P343) or of a version (0.1.0).
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\.?\w)")
# Numbers of the prose that no program prints: years and numbers of references, and the rule of "kept" (ardvark explain kept).
ELSEWHERE = {
    "regression": {"2004", "32", "1310.5438", "0.975"},
    "classes": {"1936", "1996", "2024", "1310.5438"},
    "counts": {"1980"},
    "curves": {"1970", "1978", "2000"},
    "selection": {"1993", "2008"},
}


def run_shell(block):
    """What a block prints, on both streams, and whether it fails. With the program of the build."""
    path = f"{ROOT / 'build' / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", block.text],
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout, done.returncode != 0


R_LIBRARY = ROOT / "build" / "r" / "library"
HAS_R = shutil.which("Rscript") is not None and (R_LIBRARY / "ardvark").is_dir()


def run_r(block, before):
    """What a block prints after the blocks of R before it, and whether it fails. In a new process, which runs all of them."""
    Path("block.R").write_text(f"options(width = 120)\nsink(nullfile())\n{before}\nsink()\n{block.text}", encoding="utf-8")
    done = subprocess.run(
        ["Rscript", "--vanilla", "block.R"],
        env=os.environ | {"R_LIBS": str(R_LIBRARY)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout.replace("Execution halted\n", ""), done.returncode != 0


def alike(shown, printed):
    """Whether a line is what is printed: spaces do not count, and a number with a point may differ in its last digit. Behind " ..." it may go on."""
    if shown.endswith(" ..."):
        shown = shown.split()[:-1]
        shown, printed = " ".join(shown), " ".join(printed.split()[: len(shown)])
    if NUMBER.sub("#", " ".join(shown.split())) != NUMBER.sub("#", " ".join(printed.split())):
        return False
    for ours, theirs in zip(NUMBER.findall(shown), NUMBER.findall(printed)):
        digits = re.split("[eE]", ours)[0].partition(".")[2]
        if not digits and ours != theirs:
            return False
        unit = 10.0 ** -len(digits) * 10.0 ** float(re.split("[eE]", ours + "e0")[1])
        if abs(float(ours) - float(theirs)) > 1.001 * unit:
            return False
    return True


def first_unlike(shown, printed):
    """The first line of a block that is not printed there; None: all are. A line ... stands for any number of lines, and for the end of one."""
    printed = [line for line in printed.splitlines() if line.strip()]
    is_free = False
    for line in filter(str.strip, shown.splitlines()):
        if line.strip() == "...":
            is_free = True
            continue
        while printed and is_free and not alike(line, printed[0]):
            printed.pop(0)
        if not printed or not alike(line, printed[0]):
            return line
        printed.pop(0)
        is_free = False
    return None if is_free or not printed else f"(nothing more; but this is printed: {printed[0]})"


def complaints(page):
    """What is wrong with a page that is run in the current folder, line by line."""
    found, names, since, everything, in_r, is_left_out = [], {"__name__": "__main__"}, [], "", "", False
    for block in [*tutorials.blocks(page), tutorials.Block(page.count("\n"), "end", "", False)]:
        if block.language == "r" and not HAS_R:
            is_left_out = True
            continue
        if block.language in ("python", "sh", "r"):
            if block.language == "python":
                printed, failed = tutorials.run_python(block, names)
            else:
                printed, failed = run_shell(block) if block.language == "sh" else run_r(block, in_r)
            if block.language == "r" and not failed:
                in_r += block.text
            if failed != block.fails:
                found.append(f"line {block.line}: {'fails' if failed else 'does not fail'}: {printed}")
            since.append((block, printed))
            everything += block.text + printed
            continue
        if block.language not in ("text", "end"):
            found.append(f"line {block.line}: a block is python, sh, r or text, not {block.language!r}")
        if block.language == "text" and not since and not is_left_out:
            found.append(f"line {block.line}: no block prints this")
        # What prints nothing may stand before what prints.
        speaking = [(b, p) for b, p in since if p.strip() or block.language == "text" and b is since[-1][0]]
        for code, printed in speaking:
            line = first_unlike(block.text, printed)
            if line is not None:
                found.append(f"line {code.line}: is shown, but not printed: {line}\n{printed}")
        since, is_left_out = [], False
    return found + [f"prose: {number} is printed nowhere" for number in not_printed(page, everything)]


def not_printed(page, printed):
    """The numbers of the prose that are no rounded number of a block or of its output. A percentage may be a share."""
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|\{doc\}|<!--.*?-->", " ", tutorials.FENCED.sub("", page))
    known = [abs(float(number)) for number in NUMBER.findall(printed)]
    for found in NUMBER.finditer(prose):
        value, digits = abs(float(found[0])), len(found[0].partition(".")[2])
        shares = [100 * x for x in known] if prose[found.end() :].startswith("%") else []
        if not any(abs(x - value) <= 0.5001 * 10.0**-digits for x in known + shares):
            yield found[0]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_prints_what_it_says(path, tmp_path, monkeypatch):
    plt.switch_backend("Agg")
    tutorials.prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    page = path.read_text(encoding="utf-8")
    found, allowed = complaints(page), {f"prose: {number} is printed nowhere" for number in ELSEWHERE[path.stem]}
    assert allowed <= set(found), f"no longer needed: {allowed - set(found)}"
    found = [complaint for complaint in found if complaint not in allowed]
    assert found == [], "\n".join(found)
    assert {block.language for block in tutorials.blocks(page)} == {"python", "r", "sh", "text"}
    pictures = re.findall(r"!\[[^]]+\]\(\.\./generated/tutorials/(\S+)\)", page)
    assert pictures and all((tmp_path / picture).stat().st_size > 1000 for picture in pictures)
    assert re.findall("^## (.*)", page, re.M)[-1] == "What to write in your paper"


def test_the_documentation_draws_the_pictures_without_the_program(tmp_path):
    tutorials.draw(SimpleNamespace(srcdir=tmp_path))
    assert sorted(path.stem for path in (tmp_path / "generated/tutorials").glob("*.png")) == sorted(ELSEWHERE)


def test_every_page_is_led_to():
    assert [path.stem for path in PAGES] == sorted(ELSEWHERE)
    index, readme = (ROOT / "docs" / "index.md").read_text(), (ROOT / "README.md").read_text()
    for path in PAGES:
        assert f"(tutorials/{path.name})" in index and f"(docs/tutorials/{path.name})" in readme


TRUE_PAGE = """
Half of 3 is 1.5, which is 50%.

```python
x = 3 / 2
print("half:", x, "share:", x / 3)
```

```sh
ardvark explain nats >/dev/null
echo "half: 1.5 share: 0.5"
```

```text
half: 1.5 share: 0.5
```

<!-- fails -->
```sh
ardvark explain nonsense
```

```text
...
```

<!-- fails -->
```python
print(y)
```

```text
NameError: name 'y' is not defined
```
"""


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("", "", []),
        ("half: 1.5 share: 0.5\n```\n\n<!", "half: 1.7 share: 0.5\n```\n\n<!", ["line 4: is shown, but not printed: half: 1.7 share: 0.5", "line 9: is shown, but not printed: half: 1.7 share: 0.5"]),
        ("half: 1.5 share: 0.5\n```\n\n<!", "one half: 1.5 share: 0.5\n```\n\n<!", ["line 4: is shown", "line 9: is shown"]),
        ('echo "half: 1.5 share: 0.5"', 'echo "half: 1.2 share: 0.5"', ["line 9: is shown, but not printed: half: 1.5 share: 0.5"]),
        ('echo "half: 1.5 share: 0.5"', 'echo "half: 1.5 share: 0.5"; echo more', ["line 9: is shown, but not printed: (nothing more; but this is printed: more)"]),
        ('echo "half: 1.5 share: 0.5"', 'echo "half: 1.5 share: 0.5"; false', ["line 9: fails"]),
        ("explain nats", "explain sense", ["line 9: fails", "line 9: is shown"]),
        ("x = 3 / 2", "x = 3 / 2; print(x)", ["line 4: is shown"]),
        ("print(y)", "print(x)", ["line 28: does not fail", "line 28: is shown"]),
        ("x = 3 / 2", "x = 3 / 2; y = 1", ["line 28: does not fail", "line 28: is shown"]),
        ("Half of 3", "Half of 4", ["prose: 4 is printed nowhere"]),
        ("50%", "52%", ["prose: 52 is printed nowhere"]),
        ("```text\nName", "```cpp\nName", ["line 32: a block is python, sh, r or text, not 'cpp'"]),
        ("```text\nNameError: name 'y' is not defined\n```\n", "", ["line 28: is shown, but not printed: (nothing more; but this is"]),
    ],
)
def test_a_page_that_lies_is_found(old, new, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = complaints(TRUE_PAGE.replace(old, new) if old else TRUE_PAGE)
    assert len(found) == len(expected) and all(a.startswith(b) for a, b in zip(found, expected)), found


PAGE_IN_R = """
```r
x <- 3 / 2
c(half = x)
```

```text
half
 1.5
```

<!-- fails -->
```r
cat("this:", x, fill = TRUE)
stop("no more")
```

```text
this: 1.5
Error: no more
```
"""


@pytest.mark.skipif(not HAS_R, reason="the package is not built for R: scripts/setup --with-r, then a build")
@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("", "", []),
        ("half\n 1.5\n", "half\n 1.7\n", "line 2: is shown, but not printed:  1.7"),
        ("x <- 3 / 2", "x <- 3 / 2; stop(x)", "line 2: fails"),
        ("this: 1.5", "this: 2.5", "line 13: is shown, but not printed: this: 2.5"),
    ],
)
def test_blocks_of_r_run_one_after_the_other(old, new, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = complaints(PAGE_IN_R.replace(old, new) if old else PAGE_IN_R)
    assert found[0].startswith(expected) if expected else found == []


def test_numbers_are_compared_to_the_last_digit():
    assert alike("mean  -9.351 (95%)", "mean -9.350 (95%)") and not alike("mean -9.351", "mean -9.349")
    assert alike("1.5e-05", "1.6e-05") and not alike("1.5e-05", "1.7e-05") and not alike("1.5e-05", "1.5e-04")
    assert alike("in 2 ...", "in 2 s, 3 min") and not alike("in 2 ...", "in 3 s") and not alike("in 2 s ...", "in 2")
    assert not alike("12 rows", "13 rows") and not alike("P343", "P344") and not alike("0.1.0", "0.2.0")
