"""Callbacks and Ctrl-C while the library works."""

from __future__ import annotations

import signal
import threading
from typing import Any, Callable, Optional

from ._abi import Callback
from ._progress import Progress

try:  # the functions without the enumerations around them, which take longer than a small fit
    import _signal as signals
except ImportError:
    import signal as signals

__all__ = ["InterruptWatch"]


class InterruptWatch:
    """Stands between the library and a callback, and keeps Ctrl-C for the moments when Python runs.

    Python calls a signal's handler wherever it happens to run in the main thread: here, at the entry of the function that the library calls,
    where an exception would be lost. So a handler of ours takes note, and the handler that was there is called from within. What it or the
    callback raises stops the fit and is raised again after it.
    """

    def __init__(self, callback: Optional[Callable[[Progress], Any]]):
        self._callback = callback
        self._raised: Optional[BaseException] = None
        self._noted: Optional[tuple[int, Any]] = None
        self._handler: Any = None
        if threading.current_thread() is threading.main_thread():
            handler = signals.getsignal(signal.SIGINT)
            self._handler = handler if callable(handler) else None
        # Without callback and signals there is nothing to enter Python for; for signals alone, not with every sweep.
        self.seconds = 0.0 if callback is not None else 0.05
        self.function = Callback(self._call) if callback is not None or self._handler is not None else Callback()

    def _call_handler(self) -> None:
        if self._noted is not None:
            noted, self._noted = self._noted, None
            self._handler(*noted)

    def _call(self, progress: Any, _context: Any) -> int:
        try:
            if self._raised is None:
                self._call_handler()
                if self._callback is not None:
                    p = progress.contents
                    if self._callback(Progress(p.sweep, p.total, p.bound, p.elapsed_seconds)) is False:
                        return 0
        except BaseException as e:
            self._raised = e
        return 0 if self._raised is not None else 1

    def _note(self, number: int, frame: Any) -> None:
        self._noted = (number, frame)

    def __enter__(self) -> InterruptWatch:
        if self._handler is not None:
            signals.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        del self.function  # it holds us
        if self._handler is not None:
            signals.signal(signal.SIGINT, self._handler)
        if self._raised is not None:
            raised, self._raised = self._raised, None  # no cycle through its traceback
            raise raised
        self._call_handler()
