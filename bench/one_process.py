"""What benchmarks share whose fits run in processes of their own: results that grow by rows, and tables in their READMEs."""

import csv
import json
import subprocess


def stored(path, numbers):
    """The rows of a file of results; `numbers` are the fields that are numbers, None where there is nothing."""
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return [{**row, **{name: float(row[name]) if row[name] else None for name in numbers}} for row in csv.DictReader(file)]


def store(path, fields, row):
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, fields)
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def measured(command, limit):
    """What the last line of the command's output says, in JSON; or None and why not."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"more than {limit:.0f} s"
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return json.loads(done.stdout.splitlines()[-1]), ""


def put_table(readme, text):
    before, _, rest = readme.read_text().partition("<!-- table -->\n")
    after = rest.partition("<!-- end of the table -->")[2]
    readme.write_text(f"{before}<!-- table -->\n{text}\n<!-- end of the table -->{after}")
