"""Callbacks and Ctrl-C while the library works."""

from __future__ import annotations

import math
import signal
import threading
from typing import Any, Callable, Optional

from ._abi import Callback
from ._progress import Progress

try:  # the plain functions: the enumerations of `signal` take longer than a small fit
    import _signal as signals
except ImportError:
    import signal as signals

__all__ = ["InterruptWatch"]

_LEAVE, _STOP, _GO_ON = -1, 0, 1  # answers to the library


def _progress_of(p: Any) -> Progress:
    left = None if math.isnan(p.seconds_left) else p.seconds_left
    return Progress(
        p.sweep, p.total, p.bound, p.elapsed_seconds, p.stage.decode(), p.piece.decode(), p.done, left, p.text.decode()
    )


class InterruptWatch:
    """Calls the callback for the library, and handles Ctrl-C at a moment when an exception can be kept.

    Python calls the handler of a signal at any place in the main thread. Here this could be the entry of the function that the library calls,
    and an exception would be lost there. Therefore our own handler only notes the signal, and `_call` calls the original handler. An exception
    of that handler or of the callback ends the call and is raised again after it.
    """

    def __init__(self, callback: Optional[Callable[[Progress], Any]]):
        self._callback = callback
        self._raised: Optional[BaseException] = None
        self._noted: Optional[tuple[int, Any]] = None
        self._handler: Any = None
        if threading.current_thread() is threading.main_thread():
            handler = signals.getsignal(signal.SIGINT)
            self._handler = handler if callable(handler) else None
        # Without a callback and signals, the library need not call Python; for signals alone, not in every sweep.
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
                    if self._callback(_progress_of(progress.contents)) is False:
                        return _STOP
        except BaseException as e:
            self._raised = e
        return _LEAVE if self._raised is not None else _GO_ON

    def _note(self, number: int, frame: Any) -> None:
        self._noted = (number, frame)

    def __enter__(self) -> InterruptWatch:
        if self._handler is not None:
            signals.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        del self.function  # it refers to self
        if self._handler is not None:
            signals.signal(signal.SIGINT, self._handler)
        if self._raised is not None:
            raised, self._raised = self._raised, None  # avoids a reference cycle through the traceback
            raise raised
        self._call_handler()
