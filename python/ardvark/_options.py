"""Options with the names of the library, and calls that use them."""

from __future__ import annotations

from ctypes import c_char_p
from functools import lru_cache
from typing import Any, Collection, Mapping, Optional

import numpy as np

from ._abi import Handle, InvalidArgumentError, StoppedError, call, call_for_handle, library, without_null
from ._interrupt import InterruptWatch
from ._results import Result

__all__ = ["Options", "long_call", "option_of", "refuse_no_word", "refuse_other_words", "refused_in"]

# Parameters of constructors as scikit-learn calls them.
_NAMES = {
    "fit_intercept": "intercept",
    "max_iter": "max_sweeps",
    "tol": "tolerance",
    "n_jobs": "threads",
    "random_state": "seed",
    "laplace_lambda": "lambda",
    "alpha_1": "a0",
    "alpha_2": "b0",
    "alpha_init": "start_noise",
    "lambda_init": "start_precision",
}
_WITH_NOISE, _WITHOUT_NOISE = {"lambda_1": "c0", "lambda_2": "d0"}, {"lambda_1": "a0", "lambda_2": "b0"}


@lru_cache(maxsize=None)
def _facts() -> Mapping[str, Any]:
    """What the option table of the library says of each option, by name."""
    return Result(call_for_handle("result", "ardvark_catalogue")).to_dict()["option_facts"]


def option_of(parameters: Collection[str]) -> dict[str, str]:
    """The options of the library among the parameters of a constructor."""
    names = _NAMES | (_WITH_NOISE if "alpha_1" in parameters else _WITHOUT_NOISE)
    options = {name: names.get(name, name) for name in parameters}
    return {name: option for name, option in options.items() if option in _facts()}


def refuse_no_word(name: str, option: str, value: Any, is_default: bool = False) -> None:
    """Refuses None, unless it is the default, and "", of which the library would take its own."""
    if (value is None and not is_default) or (isinstance(value, str) and value == ""):
        _refuse(name, option, value)


def refuse_other_words(name: str, option: str, value: Any) -> None:
    """Refuses a text that is no word of an option that the library is not given."""
    if isinstance(value, str) and value not in _facts()[option]["words"]:
        _refuse(name, option, value)


def _refuse(name: str, option: str, value: Any) -> None:
    facts = _facts()[option]
    why = "leave it out for the default"
    if facts["words"] or facts["kind"] == "flag":
        words = f"one of {', '.join(sorted(facts['words']))}" if facts["words"] else "True or False"
        why = f"it must be {words}"
    text = value if isinstance(value, str) else repr(value)
    raise InvalidArgumentError(f"{name} is {value!r}; {why}", name, value=text, why=why)


def refused_in(form: str, options: Mapping[str, Any]) -> Optional[str]:
    """The first option that cannot be used with rows in this form: "statistics", "passes", "many rows in passes" or "sparse X".
    Options are those that differ from their default."""
    for option, value in options.items():
        facts = _facts()[option]
        if form in facts["not_in"] or (isinstance(value, str) and form in facts["words"].get(value, ())):
            return option
    return None


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
