"""The progress of a call while it runs."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any, Callable, Optional

from ._abi import call_for_text

__all__ = ["Progress", "Watch"]

_PATIENCE = 1.0  # seconds before the first line, and between two lines


class Progress:
    """The argument of a callback.

    ``stage`` is "preparing", "fitting", "checking" (``diagnose``) or "predicting". ``sweep`` is the number of sweeps so far, ``bound`` the
    bound in nats (-infinity before the first sweep), ``elapsed_seconds`` the time of the call. Where the work has pieces that are counted,
    ``done`` of ``total`` are done, and ``piece`` names them: "fold", "lambda", "prior setting", "start"; otherwise ``total`` is 0. ``seconds_left`` is
    the time that the rest of the stage takes, or None where the pieces so far do not tell. ``text`` says all this in words. In a selection
    by counts, ``sweep`` is the number of fits out of ``total``.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> sweeps = []
    >>> def note(progress):
    ...     sweeps.append(progress.sweep)
    >>> model = _core.fit(X, X[:, 0], callback=note, model="linear", prior="ard")
    >>> sweeps[:2], len(sweeps) <= model.number("sweeps")
    ([1, 2], True)
    """

    __slots__ = ("sweep", "total", "bound", "elapsed_seconds", "stage", "piece", "done", "seconds_left", "text")

    def __init__(
        self,
        sweep: int,
        total: int,
        bound: float,
        elapsed_seconds: float,
        stage: str = "fitting",
        piece: str = "",
        done: int = 0,
        seconds_left: Optional[float] = None,
        text: str = "",
    ):
        self.sweep, self.total, self.bound, self.elapsed_seconds = sweep, total, bound, elapsed_seconds
        self.stage, self.piece, self.done, self.seconds_left, self.text = stage, piece, done, seconds_left, text


class Watch:
    """Passes progress to the callback of the user and, if `verbose`, shows it from the first second on.

    A thread of its own draws, so that the time goes on in a long step, too.
    """

    def __init__(self, title: str, verbose: int, callback: Optional[Callable[[Progress], Any]]):
        self._title, self._verbose, self._callback = title, verbose, callback
        self._last = (Progress(0, 0, 0.0, 0.0, stage="preparing", text="preparing"), time.monotonic())
        self._ended = threading.Event()
        self._drawer: Optional[threading.Thread] = None

    @property
    def function(self) -> Optional[Callable[[Progress], Any]]:
        return self if self._verbose or self._callback is not None else None

    def __call__(self, progress: Progress) -> Any:
        self._last = (progress, time.monotonic())
        return self._callback is None or self._callback(progress) is not False

    def _draw(self) -> None:
        started, bar = time.monotonic(), None
        while not self._ended.wait(_PATIENCE):
            progress, told = self._last
            now = time.monotonic()
            left = float("nan") if progress.seconds_left is None else progress.seconds_left - (now - told)
            line = call_for_text(
                "ardvark_progress_line", f"{self._title}: {progress.text}".encode(), now - started, left
            )
            bar = bar or _bar()
            bar.show(line, progress)
        if bar is not None:
            bar.close()

    def __enter__(self) -> Watch:
        if self._verbose:
            self._drawer = threading.Thread(target=self._draw, daemon=True)
            self._drawer.start()
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._ended.set()
        if self._drawer is not None:
            self._drawer.join()


class _Lines:
    def show(self, line: str, progress: Progress) -> None:
        print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


class _Bar:
    """A bar of tqdm where the number of pieces is known, otherwise only the line."""

    def __init__(self, tqdm: Any):
        self._bar = tqdm(bar_format="{desc}", leave=False)

    def show(self, line: str, progress: Progress) -> None:
        bar = self._bar
        if progress.total and progress.total != bar.total:
            bar.reset(total=progress.total)
        bar.bar_format = "{desc} |{bar}|" if progress.total else "{desc}"
        bar.n = progress.done
        bar.set_description_str(line)

    def close(self) -> None:
        self._bar.close()


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _Bar(tqdm)
