"""The progress of a fit while it runs."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Callable, Optional

__all__ = ["Progress", "Watch"]

_PATIENCE = 1.0  # seconds before the first line, and between two lines


class Progress:
    """The argument of a callback: ``sweep``, ``bound`` (nats), ``elapsed_seconds``. In a selection, ``sweep`` is the number of fits out of ``total``.

    Examples
    --------
    >>> import numpy as np
    >>> from ardvark import _core
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = _core.fit(X, 1 + 2 * X[:, 0], model="linear", prior="shared")
    >>> sweeps = []
    >>> def note(progress):
    ...     sweeps.append(progress.sweep)
    >>> model = _core.fit(X, X[:, 0], callback=note, model="linear", prior="ard")
    >>> sweeps[:2], len(sweeps) <= model.number("sweeps")
    ([1, 2], True)
    """

    __slots__ = ("sweep", "total", "bound", "elapsed_seconds")

    def __init__(self, sweep: int, total: int, bound: float, elapsed_seconds: float):
        self.sweep, self.total, self.bound, self.elapsed_seconds = sweep, total, bound, elapsed_seconds


class Watch:
    """Passes progress to the callback of the user and, if `verbose`, to a bar, which appears after a second."""

    def __init__(self, title: str, verbose: int, callback: Optional[Callable[[Progress], Any]]):
        self._title, self._verbose, self._callback = title, verbose, callback
        self._bar: Any = None
        self._last = 0.0

    @property
    def function(self) -> Optional[Callable[[Progress], Any]]:
        return self if self._verbose or self._callback is not None else None

    def __call__(self, progress: Progress) -> Any:
        if self._callback is not None and self._callback(progress) is False:
            return False
        if self._verbose and progress.elapsed_seconds > _PATIENCE:
            self._show(progress)
        return True

    def _show(self, progress: Progress) -> None:
        note = "" if progress.total else f"bound {progress.bound:.6g}"
        if self._bar is None:
            self._bar = _bar(self._title, progress.total)
        if self._bar is not False:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(progress.sweep - self._bar.n)
        elif progress.elapsed_seconds - self._last >= _PATIENCE:
            self._last = progress.elapsed_seconds
            what = (
                f"fit {progress.sweep} of {progress.total}"
                if progress.total
                else f"sweep {progress.sweep}, {note}"
            )
            print(f"{self._title}: {what}, {progress.elapsed_seconds:.1f} s", file=sys.stderr, flush=True)

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._bar is not None and self._bar is not False:  # bool() of a bar without a total fails
            self._bar.close()


def _bar(title: str, total: int) -> Any:
    """A bar of tqdm, or False without tqdm."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return False
    return tqdm(desc=title, total=total or None, unit=" fits" if total else " sweeps")
