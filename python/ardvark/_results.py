"""Results by name."""

from __future__ import annotations

import json
from ctypes import byref, c_double
from typing import Any, Optional

import numpy as np

from ._abi import Handle, call, call_for_text, without_null
from ._arrays import call_for_array
from ._docs import assembled

__all__ = ["Result"]


@assembled
class Result:
    """Results by name.

    Examples
    --------
    {examples.model}
    >>> isinstance(model, _core.Result), model.array("mean").shape, model.number("sweeps") >= 1
    (True, (2,), True)
    """

    def __init__(self, handle: Handle):
        self._handle = handle

    def array(self, name: str) -> np.ndarray:
        """A result as a new float64 array with 0, 1 or 2 dimensions. Flags are 0 and 1.

        Examples
        --------
        {examples.model}
        >>> model.array("mean").round(2).tolist(), model.array("interval").shape
        ([2.0, 0.0], (2, 2))
        """
        return call_for_array("ardvark_result_array", self._handle, without_null(name.encode()))

    def number(self, name: str) -> float:
        """A single number, or flag.

        Examples
        --------
        {examples.model}
        >>> round(model.number("intercept.mean"), 2)
        1.0
        """
        number = c_double()
        call("ardvark_result_number", self._handle, without_null(name.encode()), byref(number))
        return number.value

    def text(self, name: Optional[str] = None) -> str:
        """A text result unchanged, any other result as JSON; without a name, all results.

        Examples
        --------
        {examples.model}
        >>> model.text("status"), model.text("mean")[0]
        ('converged', '[')
        """
        return call_for_text("ardvark_result_text", self._handle, None if name is None else without_null(name.encode()))

    def value(self, name: str) -> Any:
        """Texts, lists of texts and nested results as Python values, from JSON. For numeric arrays use array().

        Examples
        --------
        {examples.model}
        >>> model.value("columns"), model.value("status")
        (['x1', 'x2'], 'converged')
        """
        return json.loads(call_for_text("ardvark_result_json", self._handle, without_null(name.encode())))

    def to_dict(self) -> dict[str, Any]:
        """All results except the covariance, as ``ardvark fit --json --all-columns`` prints them.

        Examples
        --------
        {examples.model}
        >>> all_of_it = model.to_dict()
        >>> all_of_it["prior"], sorted(all_of_it["intercept"])
        ('shared', ['interval', 'mean', 'variance'])
        """
        return json.loads(self.text())
