"""Options with the names of the library, and calls that use them."""

from __future__ import annotations

from ctypes import c_char_p
from typing import Any, Mapping, Optional

import numpy as np

from ._abi import Handle, StoppedError, call, call_for_handle, library, without_null
from ._interrupt import InterruptWatch

__all__ = ["Options", "long_call"]


class Options(Handle):
    def __init__(self, options: Mapping[str, Any], watch: Optional[InterruptWatch] = None):
        super().__init__("options", library.ardvark_options_create())
        if not self._as_parameter_:
            raise MemoryError("no memory for the options")
        for name, value in options.items():
            if name == "encoding" and value is not None:
                call("ardvark_options_set_encoding", self, value)
            elif value is not None:
                self._set(name, value)
        self.watch = watch
        if watch is not None:
            library.ardvark_options_set_progress(self, watch.function, None, watch.seconds)

    def _set(self, name: str, value: Any) -> None:
        key, value = without_null(name.encode()), value.to_numpy() if hasattr(value, "to_numpy") else value
        if isinstance(value, str):
            call("ardvark_options_set_text", self, key, without_null(value.encode()))
        elif np.ndim(value) == 0:
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise ValueError(f"{name} is {value!r}; it must be a text, a number or a list of one of these") from None
            call("ardvark_options_set_number", self, key, number)
        elif len(value) > 0 and isinstance(value[0], str):
            texts = (c_char_p * len(value))(*[without_null(str(text).encode()) for text in value])
            call("ardvark_options_set_texts", self, key, texts, len(value))
        else:
            numbers = np.ascontiguousarray(value, dtype=np.float64).ravel()
            call("ardvark_options_set_numbers", self, key, numbers.ctypes.data, numbers.size)


def long_call(kind: str, function: str, options: Options, *arguments: Any) -> Handle:
    """A call that may take long and can be interrupted."""
    assert options.watch is not None
    stopped: Optional[StoppedError] = None
    with options.watch:
        try:
            return call_for_handle(kind, function, *arguments)
        except StoppedError as error:  # by an exception, which the watch raises, or because the callback returned False
            stopped = error
    raise stopped
