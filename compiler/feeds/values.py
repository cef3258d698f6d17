"""Values of users as arrays, and fixed shapes and values of inputs.

User-supplied values are converted to arrays of an input's element type. All functions that take values use it.

A feed is taken literally: a value with an element type of its own (arrays, numpy's scalars, any object with
`__array__`) must have the right one, in either byte order; Python's numbers and lists have none, and are converted if
that loses nothing but a float's precision. A value that is fixed when a model is loaded (`values=`) may come from text,
so there 2.0 is an integer too.

Shapes of inputs are fixed or bounded, and values fixed, in the signature of `main` in GRAPH alone; `ov-infer` propagates the
consequences through the program.
"""

from __future__ import annotations

import array as python_array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import ml_dtypes
import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from loomir.dialects.element_types import (
    CodeType,
    dtype_of,
    element_of,
    has_element,
    is_integer,
    is_storage_integer,
    set_type,
)
from loomir.dialects.interface import (
    Entry,
    argument_names,
    arguments_of,
    entry_of,
    main_function,
    set_arguments,
)
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ovseq.types import SeqType, kind_of
from loomir.errors import Error, shown


@dataclass
class Unfit(Exception):
    """Value that does not fit: wrong `type`, or no valid `shape`."""

    kind: Literal["type", "shape"]
    what: str
    hint: str | None = None


def fed_array(label: str, takes: str, dtype: np.dtype, given: object) -> np.ndarray:
    """Return the array fed for the input `label`, which takes `takes`.

    Errors: `input-dtype`, `input-shape`.
    """
    try:
        return as_dtype(given, dtype)
    except Unfit as unfit:
        what = f"input '{label}' was given {unfit.what}, the model takes {takes}"
        if unfit.kind == "shape":
            raise Error("input-shape", what, hint=unfit.hint) from None
        raise Error("input-dtype", what, hint=unfit.hint) from None


def fitted_value(name: str, declared: Fact, value: ArrayLike) -> np.ndarray:
    """The value in the element type and shape of the input `name`.

    Floats may be rounded to the input's precision; integers and booleans must be exactly what was given. A single
    number fits every shape of one element. Error: `value-mismatch`.
    """
    try:
        array = as_dtype(value, dtype_of(declared.element), exact=False)
    except Unfit as unfit:
        raise Error(
            "value-mismatch", f"input '{name}' is {declared.element}, which cannot hold {unfit.what}"
        ) from None
    if declared.shape is None:
        return array
    if len(declared.shape) != array.ndim and array.size == 1:
        if array.ndim == 0 and all(d.static in (None, 1) for d in declared.shape):
            array = array.reshape((1,) * len(declared.shape))
        elif not declared.shape:
            array = array.reshape(())
    if len(declared.shape) != array.ndim or any(
        d.static not in (None, e) for d, e in zip(declared.shape, array.shape)
    ):
        raise Error(
            "value-mismatch",
            f"input '{name}' is {declared.type}, the value has the shape {list(array.shape)}",
        )
    return array


def as_dtype(given: object, dtype: np.dtype, *, exact: bool = True) -> np.ndarray:
    """Return the value as an array of this dtype.

    It is in this machine's byte order. Raises `Unfit`.

    With `exact`, a value with a type of its own must have this one, and Python's floats and booleans are no integers.
    """
    if dtype == np.object_:
        return _texts(given)
    array = _as_array(given)
    if array.dtype == dtype:
        return array
    if array.dtype.newbyteorder("=") == dtype:
        return array.astype(dtype)
    if exact and _has_own_type(given):
        hint = f"convert it with .astype('{dtype}')" if has_element(array.dtype) else None
        raise Unfit("type", f"{array.dtype}{list(array.shape)}", hint)
    if array.size == 0:
        return array.astype(dtype)
    if dtype == np.uint64 and array.dtype == np.float64 and not _has_own_type(given):
        # numpy makes floats of integers below and above 2⁶³ beside each other.
        objects = np.asarray(given, object)
        if all(isinstance(v, int) and 0 <= v < 1 << 64 for v in objects.ravel()):
            return objects.astype(np.uint64)
    if exact and array.dtype.kind not in _taken(dtype):
        raise Unfit("type", f"{shown(given)}, of type {array.dtype}")
    with np.errstate(all="ignore"):
        made = array.astype(dtype)
    if not _holds(made, array):
        raise Unfit("type", f"{shown(given)}, which {dtype} cannot represent")
    return made


def _taken(dtype: np.dtype) -> str:
    """Return numpy's kinds of Python numbers that are accepted for a dtype."""
    if dtype.kind == "b":
        return "b"
    if dtype.kind == "c":
        return "iufc"
    return "iu" if _is_integer(dtype) else "iufV"


def _is_integer(dtype: np.dtype) -> bool:
    return is_integer(element_of(dtype)) or is_storage_integer(element_of(dtype))


def _holds(made: np.ndarray, given: np.ndarray) -> bool:
    """Return True if a converted array holds the given numbers.

    They are exact, or for floats as near as possible.
    """
    if _is_integer(made.dtype):
        limits = ml_dtypes.iinfo(made.dtype)
        # (A float's limits are powers of two, which floats have exactly.)
        if given.dtype.kind in "fV":
            wide = given.astype(np.float64)
            inside = (
                (wide >= float(limits.min)) & (wide < float(int(limits.max) + 1)) & (wide == np.floor(wide))
            )
            return bool(np.all(inside))
        return given.dtype.kind == "b" or (
            int(given.min()) >= int(limits.min) and int(given.max()) <= int(limits.max)
        )
    if made.dtype.kind == "b":
        return bool(np.all((given == 0) | (given == 1)))
    if made.dtype.kind == "c":
        return bool(np.all(np.isfinite(made) | ~np.isfinite(given)))
    # A number that is none any more was too large.
    return bool(np.all(np.isfinite(made.astype(np.float64)) | ~np.isfinite(given.astype(np.float64))))


def _texts(given: object) -> np.ndarray:
    """Return an array of strings.

    The strings are Python's, numpy's of fixed or variable length, or lists of them. Raises `Unfit`.
    """
    if not (isinstance(given, str | list | tuple) or _has_own_type(given)):
        raise Unfit("type", f"a {type(given).__name__}", "give an array of strings, or a list of them")
    try:
        # As objects: in numpy's own arrays of strings a NUL at the end of one is none.
        array = (
            np.asarray(cast(Any, given)).astype(object) if _has_own_type(given) else np.array(given, object)
        )
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise Unfit("shape", f"a value that is not an array: {' '.join(str(error).split())}") from error
    wrong = next((v for v in array.flat if not isinstance(v, str)), None)
    if isinstance(wrong, list | tuple):
        raise Unfit(
            "shape",
            f"a value that is not an array: {shown(given)}",
            "all lists of a level must be of one length",
        )
    if wrong is not None or any(v is None for v in array.flat):
        hint = "decode them: .decode()" if isinstance(wrong, bytes) else None
        raise Unfit("type", f"{shown(wrong)}, which is not a string", hint)
    texts = np.array([str(v) for v in array.flat], object)
    for text in texts:
        if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
            raise Unfit("type", f"{shown(text)}, which has a lone surrogate")
    return texts.reshape(array.shape)


def _has_own_type(given: object) -> bool:
    own = (np.ndarray, np.generic, memoryview, bytearray, python_array.array)
    protocols = ("__array__", "__array_interface__", "__array_struct__")
    return isinstance(given, own) or any(hasattr(type(given), name) for name in protocols)


def _as_array(given: object) -> np.ndarray:
    """Return the numpy array of a value, if it consists of numbers.

    Raises `Unfit`.
    """
    if isinstance(given, str | bytes):
        raise Unfit("type", f"the text {shown(given)}")
    if isinstance(given, Iterator | Mapping | set | frozenset) or (
        isinstance(given, Collection) and not hasattr(given, "__getitem__") and not _has_own_type(given)
    ):
        raise Unfit("type", f"a {type(given).__name__}", "give an array, or a list of numbers")
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise Unfit("type", "an array with masked elements", "fill them: .filled(…)")
    try:
        array = np.asarray(cast(Any, given))
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        # `__array__` is somebody else's code, and may refuse in its own way.
        said = " ".join(str(error).split())
        if _has_own_type(given):
            raise Unfit("type", f"a value that cannot become an array: {said}") from error
        raise Unfit(
            "shape", f"a value that is not an array: {said}", "all lists of a level must be of one length"
        ) from error
    # (No array of objects: these have a type of their own, whatever is in them.)
    numbers = array.ravel() if array.dtype.kind == "O" and array.size and not _has_own_type(given) else ()
    if len(numbers) and all(isinstance(v, int) for v in numbers):
        raise Unfit("type", f"{shown(given)}, an integer beyond 64 bits")
    if array.dtype == np.object_ or not has_element(array.dtype.newbyteorder("=")):
        raise Unfit("type", f"{shown(given)}, whose elements are {array.dtype}, not numbers")
    return array


def set_shapes(module: ModuleOp, shapes: Mapping[str, Sequence[int]]) -> None:
    """Give inputs static shapes.

    Errors: `unknown-input`, `shape-mismatch` (the model's declaration forbids it).
    """
    if not shapes:
        return
    function = main_function(module)
    arguments = _inputs(function, shapes)
    for name, extents in shapes.items():
        argument = arguments[name]
        declared = Fact.of_type(argument.type)
        wanted = TensorType(declared.element, list(extents))
        fits = declared.shape is None or (
            len(declared.shape) == len(extents)
            and all(d.static in (None, e) for d, e in zip(declared.shape, extents))
        )
        limits = entry_of(argument).bounds
        if fits and limits is not None:
            fits = all(limit is None or e <= limit for limit, e in zip(limits, extents))
        if not fits or any(e < 0 for e in extents):
            largest = "" if limits is None else f" of at most {_extents_text(limits)}"
            raise Error(
                "shape-mismatch",
                f"input '{name}' is {argument.type}{largest} in the model, it cannot have the shape {list(extents)}",
            )
        set_type(argument, wanted)
    # Of an output that is an input, too.
    function.update_function_type()


def set_bounds(module: ModuleOp, max_shapes: Mapping[str, Sequence[int | None]]) -> None:
    """Set upper bounds on the dynamic dimensions of inputs.

    The dimensions stay dynamic, with a largest extent (None: no bound).

    A static dimension may be included if its bound is not smaller; an input of unknown rank gets a rank. Errors:
    `unknown-input`, `shape-mismatch`.
    """
    if not max_shapes:
        return
    function = main_function(module)
    arguments = _inputs(function, max_shapes)
    entries = arguments_of(function)
    for name, extents in max_shapes.items():
        argument = arguments[name]
        declared = Fact.of_type(argument.type)
        given = list(extents)
        shape = declared.shape if declared.shape is not None else (Dim(),) * len(given)
        fits = len(shape) == len(given) and all(b is None or d.lo <= b for d, b in zip(shape, given))
        if not fits:
            raise Error(
                "shape-mismatch",
                f"input '{name}' is {argument.type} in the model, {_extents_text(given)} cannot be its largest shape",
            )
        old = entry_of(argument).bounds or (None,) * len(shape)
        # What the file said stays true: of two bounds the smaller one counts.
        both = [min((b for b in pair if b is not None), default=None) for pair in zip(given, old)]
        limits = [b if d.static is None else d.lo for d, b in zip(shape, both)]
        set_type(argument, Fact(declared.element, shape).type)
        entries[argument.index] |= Entry.of(bounds=limits)
    set_arguments(function, entries)
    # Of an output that is an input, too.
    function.update_function_type()


def _extents_text(extents: Sequence[int | None]) -> str:
    return f"[{', '.join('?' if e is None else str(e) for e in extents)}]"


def set_values(module: ModuleOp, values: Mapping[str, ArrayLike]) -> None:
    """Fix inputs to values.

    They stay arguments (with `loomir.value`), but have no uses any more.

    Errors: `unknown-input` and that of `fitted_value`.
    """
    if not values:
        return
    function = main_function(module)
    arguments = _inputs(function, values)
    entries = arguments_of(function)
    block = function.body.block
    for name, value in values.items():
        argument = arguments[name]
        declared = Fact.of_type(argument.type)
        if isinstance(declared.element, CodeType):
            raise Error("value-mismatch", f"input '{name}' is {declared.type}, which has no constants")
        array = fitted_value(name, declared, value)
        constant = ConstantOp.of(array)
        constant.location = argument.location
        first = block.first_op
        assert first is not None
        block.insert_op_before(constant, first)
        argument.replace_all_uses_with(constant.output)
        set_type(argument, constant.output.type)
        entries[argument.index] |= Entry.of(value=array)
    set_arguments(function, entries)
    # Of an output that is an input, too.
    function.update_function_type()


def _inputs(function: FuncOp, wanted: Mapping[str, object]) -> dict[str, BlockArgument]:
    arguments = dict(zip(argument_names(function), function.args))
    for name in wanted:
        if name in arguments and isinstance(arguments[name].type, SeqType):
            raise Error(
                "input-sequence",
                f"input '{name}' is a {kind_of(arguments[name].type)}: only tensors can be given a shape or a value",
            )
        if name not in arguments:
            raise Error(
                "unknown-input",
                f"the model has no input '{name}'",
                hint=f"its inputs: {', '.join(arguments) or 'none'}",
            )
    return arguments
