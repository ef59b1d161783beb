"""completions.py PREFIX: the completions of an installed program in bash, zsh and fish, as somebody types them at a terminal.

What is typed, with a tab as <TAB>, must arrive as these arguments: after the name of the program, and of ardvark-mpi if it is installed. Shells that are not
installed are left out; without any of them, the exit status is 77.
"""

import multiprocessing
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TYPED = {
    "fi<TAB>": ["fit"],
    "fit --lambda-r<TAB>1<TAB>": ["fit", "--lambda-rule", "1se"],
    "fit --prior sla<TAB>": ["fit", "--prior", "slab"],
    "fit --prior=lapl<TAB>": ["fit", "--prior", "laplace"],
    "fit --preset slr_r<TAB>": ["fit", "--preset", "slr_rvm"],
    "select --preset slr_r<TAB>": ["select", "--preset", "slr_r"],  # it selects rows, not columns
    "fit --kernel matern3<TAB>": ["fit", "--kernel", "matern32"],
    "compare --kernel matern3<TAB>": ["compare", "--kernel", "matern3"],  # of these machines it has none
    "fit --no-stand<TAB>": ["fit", "--no-standardize"],
    "predict --absent-variants m<TAB>": ["predict", "--absent-variants", "mean"],
    "fit a<TAB>": ["fit", "a table.csv"],
    "fit a<TAB>--target ta<TAB>": ["fit", "a table.csv", "--target", "ta"],  # the name of a column is not that of a file
    "fit tables/<TAB>": ["fit", "tables/one.csv"],
    "fit -o tables/<TAB>": ["fit", "-o", "tables/one.csv"],
    "predict --output tables/<TAB>": ["predict", "--output", "tables/one.csv"],
    "merge tables/<TAB>": ["merge", "tables/one.csv"],
    "help compa<TAB>": ["help", "compare"],
    "--completion fi<TAB>": ["--completion", "fish"],
    "--man ardvark-pres<TAB>": ["--man", "ardvark-presets"],
}
TYPED_TO_MPI = {
    "fi<TAB>": ["fit"],
    "fit --model logis<TAB>": ["fit", "--model", "logistic"],
    "--man ardvark-mpi-st<TAB>": ["--man", "ardvark-mpi-stats"],
}

START = {
    # Of bash-completion, which finds the file by the name of the program when it is first needed.
    "bash": "PS1=; set +o history; source /usr/share/bash-completion/bash_completion; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'\n",
    "zsh": "PS1=; unsetopt prompt_cr prompt_sp zle_bracketed_paste; setopt no_beep; fpath=({prefix}/share/zsh/site-functions $fpath); autoload -Uz compinit;"
    " compinit -u -D\n",
}
CALL = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}
PRINT = "{program}() {{ printf '<%s>' \"$@\" > arguments.part; mv arguments.part arguments; }}\n"


class Shell:
    """An interactive shell at a terminal of its own, in which the program is a function that writes its arguments to a file."""

    def __init__(self, name, program, prefix, folder):
        self.program, self.folder = program, folder
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8", "XDG_DATA_DIRS": f"{prefix}/share"}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(CALL[name][0], CALL[name], environment)
        self.type(START[name].replace("{prefix}", str(prefix)) + PRINT.format(program=program))
        self.arguments("ready")  # the commands before it are done

    def type(self, text):
        os.write(self.terminal, text.encode())

    def arguments(self, typed):
        # Each tab is a key of its own: one that comes with the letters would be pasted text.
        said, result = [], self.folder / "arguments"
        for number, part in enumerate(f"{self.program} {typed}".split("<TAB>")):
            self.type(("\t" if number else "") + part)
            said += self.read(0.3)
        self.type("\n")
        end = time.monotonic() + 20
        while not result.exists():
            if time.monotonic() > end:
                raise RuntimeError("the shell does not answer: " + "".join(said))
            said += self.read(0.05)
        found = result.read_text()[1:-1].split("><")
        result.unlink()
        return [word for argument in found for word in (argument.split("=", 1) if argument.startswith("--") else [argument])]

    def read(self, quiet):
        """What it prints until nothing comes for so long: it would stop at a full terminal."""
        said = []
        while select.select([self.terminal], [], [], quiet)[0]:
            said.append(os.read(self.terminal, 65536).decode(errors="replace"))
        return said

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def of_fish(program, prefix, folder, typed):
    """Fish answers without a terminal: with one candidate, that is what it would write."""
    words = typed.split("<TAB>")
    line = f"{program} "
    for number, part in enumerate(words):
        line += part
        if number + 1 == len(words):
            break
        # What is found for the last word of the line.
        done = subprocess.run(
            ["fish", "--no-config", "-c", "source $argv[2]; complete -C $argv[1]", "--", line, f"{prefix}/share/fish/vendor_completions.d/{program}.fish"],
            cwd=folder, env={"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found = [answer.split("\t")[0] for answer in done.stdout.splitlines()]
        if len(found) == 1:
            begin = line.rfind(" ") + 1
            line = line[:begin] + found[0].replace(" ", "\\ ") + " "
    arguments = [word.replace("\\ ", " ") for word in line.replace("\\ ", "\0").replace("=", " ").split()[1:]]
    return [word.replace("\0", " ") for word in arguments]


def failures(name, program, prefix, lines):
    """What went wrong with these lines of a program, in a shell of their own."""
    wrong = []
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "a table.csv").touch()
        (folder / "tables").mkdir()
        (folder / "tables" / "one.csv").touch()
        (folder / "target").touch()
        shell = None if name == "fish" else Shell(name, program, prefix, folder)
        for typed, expected in lines:
            got = of_fish(program, prefix, folder, typed) if shell is None else shell.arguments(typed)
            if got != expected:
                wrong.append(f"{name}: {program} {typed!r} became {got}, not {expected}")
        if shell is not None:
            shell.close()
    return wrong


def main(prefix):
    there = {
        "bash": shutil.which("bash") and Path("/usr/share/bash-completion/bash_completion").exists(),
        "zsh": shutil.which("zsh"),
        "fish": shutil.which("fish"),
    }
    shells = [name for name, is_there in there.items() if is_there]
    # Most of the time a terminal waits for what a key brings: many of them wait at once.
    lines = list(TYPED.items())
    parts = [(name, "ardvark", prefix, lines[first::4]) for name in shells for first in range(4)]
    if Path(prefix, "bin", "ardvark-mpi").exists():
        parts += [(name, "ardvark-mpi", prefix, list(TYPED_TO_MPI.items())) for name in shells]
    with multiprocessing.Pool(max(1, len(parts))) as pool:
        wrong = [failure for part in pool.starmap(failures, parts, chunksize=1) for failure in part]
    print("\n".join(wrong) if wrong else f"{sum(len(part[-1]) for part in parts) // max(1, len(shells))} lines were completed by {', '.join(shells) or 'no shell: none is installed'}")
    return 1 if wrong else 0 if shells else 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
