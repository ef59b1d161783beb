"""Opens reports in a headless Chromium: axe-core finds no violation, nothing is loaded, no page is wider than the window, all can be printed.

    python tests/report/browser.py PROGRAM AXE FOLDER    the program ardvark, axe.min.js, and where pages and pictures are written
"""

import html
import json
import re
import subprocess
import sys
import time
from pathlib import Path

PROGRAM, AXE, FOLDER = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
DATA = Path(__file__).resolve().parents[2] / "examples" / "data"
WIDTHS, SCHEMES = (400, 1400), ("light", "dark")

# A page, the fit that it is of, and the rows that it compares.
PAGES = {
    "linear": (["Boston.csv", "--target", "medv"], "Boston.csv"),
    "lasso": (["Boston.csv", "--target", "medv", "--model", "linear", "--prior", "laplace"], "Boston.csv"),
    "logistic": (["Pima.tr.csv", "--target", "type"], "Pima.te.csv"),
    "softmax": (["Insurance.csv", "--target", "Group", "--model", "logistic", "--coding", "softmax"], "Insurance.csv"),
    "counts": (["Insurance.csv", "--target", "Claims", "--model", "counts", "--exposure", "Holders"], "Insurance.csv"),
    "kernel": (["Boston.csv", "--target", "medv", "--model", "kernel", "--vectors", "60"], "Boston.csv"),
    "kernel_classes": (["synth.tr.csv", "--target", "yc", "--model", "kernel", "--task", "classification"], "synth.te.csv"),
    "rvm": (["Pima.tr.csv", "--target", "glu", "--ignore", "type", "--model", "rvm", "--task", "regression"], "Pima.te.csv"),
    "targets": (["Boston.csv", "--target", "medv,crim,rm", "--prior", "shared"], "Boston.csv"),
}
REPORTS = {
    "compare": ["compare", "Pima.tr.csv", "--target", "type", "--model", "logistic"],
    "select": ["select", "Pima.tr.csv", "--target", "type", "--preset", "slr_var", "--folds", "5", "--repeats", "2"],
}
QUESTION = """axe.run(document).then(found => {
  const answer = {
    version: axe.version, passes: found.passes.length, loaded: performance.getEntriesByType('resource').map(one => one.name),
    wider: document.scrollingElement.scrollWidth - window.innerWidth, dark: matchMedia('(prefers-color-scheme: dark)').matches,
    violations: found.violations.map(one => one.id + ': ' + one.help + ': ' + one.nodes[0].html)};
  document.body.innerHTML = '';
  const place = document.createElement('pre');
  place.id = 'answer';
  place.textContent = JSON.stringify(answer);
  document.body.appendChild(place);
})"""


def ardvark(*words):
    subprocess.run([PROGRAM, *words], check=True, cwd=DATA, stdout=subprocess.DEVNULL)


def chromium(*words):
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND"]
    return subprocess.run(["chromium", *flags, *words], check=True, capture_output=True, text=True).stdout


def in_scheme(scheme):
    return ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []


def answer_of(page, width, scheme):
    """What axe-core says of a page. Its own security policy would not let it run."""
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*/>', "", page.read_text("utf-8"))
    script = AXE.read_text("utf-8").replace("</script", "<\\/script")
    asking = FOLDER / "asking.html"
    asking.write_text(text.replace("</body>", f"<script>{script}</script><script>{QUESTION}</script></body>"), "utf-8")
    said = chromium(*in_scheme(scheme), "--virtual-time-budget=20000", f"--window-size={width},2000", "--dump-dom", f"file://{asking}")
    asking.unlink()
    return json.loads(html.unescape(re.search(r'<pre id="answer">(.*?)</pre>', said, re.S)[1]))


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (fit, rows) in PAGES.items():
        ardvark("fit", *fit, "-q", "-o", FOLDER / f"{name}.ardvark")
        ardvark("report", FOLDER / f"{name}.ardvark", rows, "-q", "-o", FOLDER / f"{name}.html")
    for name, words in REPORTS.items():
        ardvark(*words, "-q", "--report", FOLDER / f"{name}.html")
    faults, passes, version = [], 0, ""
    for name in [*PAGES, *REPORTS]:
        page = FOLDER / f"{name}.html"
        for width in WIDTHS:
            for scheme in SCHEMES:
                answer = answer_of(page, width, scheme)
                version, passes = answer["version"], passes + answer["passes"]
                where = f"{name}, {width} pixels, {scheme}"
                faults += [f"{where}: {violation}" for violation in answer["violations"]]
                faults += [f"{where}: loads {one}" for one in answer["loaded"]]
                faults += [f"{where}: {answer['wider']} pixels wider than the window"] * (answer["wider"] > 0)
                faults += [f"{where}: not in this scheme"] * (answer["dark"] != (scheme == "dark"))
        chromium("--no-pdf-header-footer", f"--print-to-pdf={FOLDER / name}.pdf", f"file://{page}")
        if (FOLDER / f"{name}.pdf").read_bytes()[:5] != b"%PDF-":
            faults.append(f"{name}: not printed")
        for width in WIDTHS:
            chromium(f"--window-size={width},1800", f"--screenshot={FOLDER / name}-{width}.png", f"file://{page}")
    print(*faults, sep="\n")
    pages = len(PAGES) + len(REPORTS)
    print(f"figure: axe-core {version}: {len(faults)} faults in {pages} reports, each at {' and '.join(map(str, WIDTHS))} pixels, light and dark; {passes} rules passed")
    table, rows = FOLDER / "wide.csv", 500
    state, lines = 1, []
    for row in range(rows):
        numbers = []
        for column in range(1001):
            state = (state * 1103515245 + 12345) % 2**31  # a generator of C: any numbers will do
            numbers.append(state / 2**31)
        lines.append(",".join(f"{number:.6f}" for number in numbers))
    table.write_text(",".join([f"x{column}" for column in range(1000)] + ["y"]) + "\n" + "\n".join(lines) + "\n")
    ardvark("fit", table, "--target", "y", "--model", "linear", "-q", "-o", FOLDER / "wide.ardvark")
    begin = time.perf_counter()
    ardvark("report", FOLDER / "wide.ardvark", table, "-q", "-o", FOLDER / "wide.html")
    print(f"figure: report of {rows} x 1000: {time.perf_counter() - begin:.2f} s, {(FOLDER / 'wide.html').stat().st_size / 1000:.0f} kB")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
