"""Calls of a model: `CompiledModel`, and the checks of a call.

Inputs are given by name or position, and outputs may be written to arrays of the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from loomir.compiler.feeds import CheckedFeed, FeedChecker, TensorInfo, ValueInfo
from loomir.dialects.element_types import same_contents
from loomir.errors import Error, boundary, shown

if TYPE_CHECKING:
    from loomir.compiler.option_names import Engine

Out = Mapping[str, np.ndarray] | Sequence[np.ndarray] | np.ndarray
"""Arrays for outputs.

They are given by name, in the order of the outputs, or as the array for the only output.
"""


class CompiledModel:
    """Model that is ready to run in one engine; `Model.compile` makes it.

    `compiled(x)` runs it as `model(x)` does, and `compiled.run({"x": x})` as `model.run` does. Several threads may call it.
    """

    def __init__(
        self,
        name: str,
        engine: Engine,
        inputs: list[ValueInfo],
        outputs: list[ValueInfo],
        run: Callable[[Any, Out | None], dict[str, Any]],
    ) -> None:
        self._run = run
        self._infos = inputs, outputs
        self.name: str = name
        """The model's name."""
        self.engine: Engine = engine
        """The engine that runs it."""

    @property
    def inputs(self) -> list[ValueInfo]:
        """Name, dtype and shape of each input, in the model's order."""
        return self._infos[0]

    @property
    def outputs(self) -> list[ValueInfo]:
        """Name, dtype and shape of each output, in the model's order."""
        return self._infos[1]

    def __call__(self, /, *arrays: Any, out: Out | None = None, **named: Any) -> Any:
        """Run the model with inputs by position or name.

        Parameters, result and errors are those of `Model.__call__`.
        """
        outputs = self._run(positional_feed(self._infos[0], arrays, named), out)
        return outputs if len(outputs) != 1 else next(iter(outputs.values()))

    @boundary
    def run(self, feed: Mapping[str, Any], *, out: Out | None = None) -> dict[str, Any]:
        """Run the model and return the outputs by name.

        Parameters and errors are those of `Model.run`.
        """
        return self._run(feed, out)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a CompiledModel holds compiled code and cannot be copied or pickled; compile it again"
        )

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(map(str, infos)) for infos in self._infos)
        return f"<CompiledModel '{self.name}', engine {self.engine}: ({inputs}) → ({outputs})>"


def positional_feed(
    inputs: Sequence[ValueInfo], arrays: Sequence[Any], named: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the feed of a call.

    Its inputs are given by position and by name; a mapping as the only argument is the feed itself. Error: `input-count`, for more values
    than inputs, and for an input that is given twice.
    """
    if len(arrays) == 1 and not named and isinstance(arrays[0], Mapping):
        return arrays[0]
    if len(arrays) > len(inputs):
        hint = f"its inputs: {_listed(inputs)}"
        raise Error("input-count", f"{len(arrays)} inputs for a model of {len(inputs)}", hint=hint)
    feed = {info.name: array for info, array in zip(inputs, arrays)}
    for name, array in named.items():
        if name in feed:
            raise Error("input-count", f"input '{name}' is given by its position and by its name")
        feed[name] = array
    return feed


def _listed(infos: Sequence[ValueInfo]) -> str:
    return ", ".join(map(str, infos)) or "none"


class CallChecker:
    """Checks of the calls of one model.

    The feed is checked before a call, the caller's arrays for outputs before and after it.

    `given` has values of inputs that may be left out, and `fixed` the values that inputs must have if they are fed.
    """

    def __init__(
        self,
        inputs: Sequence[ValueInfo],
        outputs: Sequence[ValueInfo],
        given: Mapping[str, np.ndarray],
        fixed: Mapping[str, np.ndarray],
    ) -> None:
        self._feeds = FeedChecker(inputs, {**given, **fixed})
        self._fixed = fixed
        self._outputs = {info.name: info for info in outputs}
        self._static = {
            info.name: (info.dtype, info.shape)
            for info in outputs
            if isinstance(info, TensorInfo) and not info.is_dynamic
        }

    def feed(self, feed: object) -> CheckedFeed:
        """Return the arrays of a feed in the right dtypes.

        Inputs that are fixed may be left out; otherwise they must equal the fixed values. Errors: `input-value`, and those of
        `FeedChecker`.
        """
        values = self._feeds(feed)
        for name, wanted in self._fixed.items():
            value = values[name]
            assert isinstance(value, np.ndarray)
            # (A NaN equals itself.)
            if not np.array_equal(value, wanted) and not same_contents(value, wanted):
                raise Error(
                    "input-value",
                    f"input '{name}' was fixed to {wanted.tolist()} and is given {value.tolist()}",
                    hint="load the model without this value=, or feed the same",
                )
        return values

    def run(
        self, feed: object, out: object, engine: Callable[[CheckedFeed], Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Run an engine and return the outputs by name.

        They are in the model's order. Outputs that the caller has given arrays for are in these. Errors: those of `feed`; `bad-option`,
        for an array that does not fit.
        """
        checked = self.feed(feed)
        arrays = {} if out is None else self._arrays(out)
        if arrays:
            checked.out = self._apart(arrays, checked)
        found = engine(checked)
        # Below GRAPH scalars are results and tensors arguments, so an engine may give them in another order.
        outputs = {name: found[name] for name in self._outputs}
        for name, array in arrays.items():
            shape = outputs[name].shape
            if shape != array.shape:
                what = f"out: output '{name}' has shape {list(shape)}, and the array {list(array.shape)}"
                raise Error("bad-option", what)
        for name, array in arrays.items():
            if outputs[name] is not array:
                array[...] = outputs[name]
                outputs[name] = array
        return outputs

    def _arrays(self, out: object) -> Mapping[str, np.ndarray]:
        """Check the caller's arrays and return them by name."""
        named: Mapping[str, Any]
        each = [out] if isinstance(out, np.ndarray) else out
        if isinstance(out, Mapping):
            named = out
        elif isinstance(each, list | tuple) and len(each) == len(self._outputs):
            named = dict(zip(self._outputs, each))
        else:
            wanted = f"a dict from names of outputs to arrays, or {len(self._outputs)} arrays"
            raise self._bad_out(f"out={shown(out)}: it must be {wanted}")
        for name, array in named.items():
            if name not in self._outputs:
                raise self._bad_out(f"out: the model has no output {shown(name)}")
            self._check_array(name, array)
        arrays = list(named.values())
        if any(np.may_share_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k]):
            raise Error("bad-option", "out: two of the arrays share memory")
        return named

    def _check_array(self, name: str, array: object) -> None:
        info = self._outputs[name]
        if not isinstance(info, TensorInfo):
            raise Error("bad-option", f"out: output '{info}' is no tensor: there is no array for it")
        if not isinstance(array, np.ndarray):
            raise Error("bad-option", f"out: {shown(array)} for output '{info}': it must be a numpy array")
        if isinstance(array, np.ma.MaskedArray):
            raise Error("bad-option", f"out: the array for output '{name}' is masked", hint="give its .data")
        fits = (array.dtype, array.shape) == self._static.get(name)
        if not fits and (array.dtype != info.dtype or not info.accepts(array.shape)):
            given = f"{array.dtype}{list(array.shape)}"
            raise Error("bad-option", f"out: output '{info}' does not fit an array of {given}")
        flags = array.flags
        if not flags.carray:
            # (What is neither of the first two is not aligned.)
            how = "writeable" if not flags.writeable else "aligned" if flags.c_contiguous else "C-contiguous"
            raise Error("bad-option", f"out: the array for output '{name}' is not {how}")

    def _apart(self, arrays: Mapping[str, np.ndarray], feed: CheckedFeed) -> dict[str, np.ndarray]:
        """Return the arrays that an engine may write to during a run.

        They are those of static outputs, and share no memory with the feed.
        """
        fed: list[Any] = []
        for value in feed.values():
            fed += value if isinstance(value, list) else [] if value is None else [value]
        return {
            name: array
            for name, array in arrays.items()
            if name in self._static and not any(np.may_share_memory(array, each) for each in fed)
        }

    def _bad_out(self, what: str) -> Error:
        return Error("bad-option", what, hint=f"its outputs: {_listed(list(self._outputs.values()))}")
