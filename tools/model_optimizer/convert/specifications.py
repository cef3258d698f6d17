"""Options that select a model's inputs and outputs.

These are `--input`, `--output`, `--input-shape`, `--batch` and `--freeze`, with the meaning that the Model Optimizer
gives them. The syntax of their texts, which the preprocessing options share, are bracketed lists, shapes, element types
and values.

Names are kept as written, with their port (`relu:0`, `0:relu`): names may contain colons themselves, so ports can only
be identified where the program is known (`named_values.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.ir import Attribute

from loomir.compiler.options import MAX_INT
from loomir.dialects.ov.facts import MAX_EXTENT, MAX_RANK, Dim, Shape, static_shape
from loomir.dialects.ov.layers.attributes import ELEMENTS
from loomir.errors import Error, shown

Number = bool | int | float
FrozenValue = Number | tuple[Number, ...]
"""Value of a frozen input: one number, or a list.

A list gets the shape of the input.
"""

_OPENING, _CLOSING = "([{", ")]}"
_EXTENT = re.compile(r"(\d*)\.\.(\d*)|(\d+)|-1|\?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,40}", re.ASCII)
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)", re.ASCII | re.IGNORECASE)


def bad(option: str, text: str, what: str, example: str) -> Error:
    """Return the error for an option's text, with a valid example.

    `what` states what is wrong.
    """
    return Error("bad-option", f"--{option} {shown(text)}: {what}", hint=f"for example: --{option} {example}")


def split_outside_brackets(option: str, text: str, example: str) -> list[str]:
    """Split a comma-separated list, but not at commas in brackets.

    White space around the parts is removed. Error: `bad-option`.
    """
    parts, depth, start = list[str](), 0, 0
    for position, character in enumerate(text):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        if depth < 0:
            raise bad(option, text, "a closing bracket has no opening bracket", example)
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    if depth:
        raise bad(option, text, "a bracket is not closed", example)
    parts.append(text[start:].strip())
    if not all(parts):
        raise bad(option, text, "a part of the list is empty", example)
    return parts


def unbracketed(text: str) -> str | None:
    """Return the text inside one pair of enclosing brackets, or None.

    The brackets are round or square and enclose the whole text.
    """
    if len(text) >= 2 and text[0] + text[-1] in ("[]", "()"):
        return text[1:-1]
    return None


def items(text: str) -> list[str]:
    """Return the parts that commas or spaces separate."""
    return [item for item in re.split(r"[,\s]+", text.strip()) if item]


def shape(option: str, text: str, inner: str, example: str) -> Shape:
    """Parse a shape from the text between its brackets.

    Extents are numbers, `?` or `-1`, ranges `1..10`, `1..`, `..10`; an empty text is a scalar.

    Error: `bad-option`.
    """
    extents = [_extent(option, text, item, example) for item in items(inner)]
    if len(extents) > MAX_RANK:
        raise bad(option, text, f"a shape has at most {MAX_RANK} dimensions", example)
    return tuple(extents)


def _extent(option: str, text: str, item: str, example: str) -> Dim:
    match = _EXTENT.fullmatch(item)
    if match is None:
        raise bad(option, text, f"{shown(item)} is not a dimension", example)
    least, most, exact = match.groups()
    digits = max(len(group or "") for group in match.groups())
    # (Python refuses to read numbers of very many digits.)
    low = int(exact or least or 0) if digits < 20 else MAX_EXTENT + 1
    high = int(exact or most) if digits < 20 and (exact or most) else None
    if low > MAX_EXTENT or (high is not None and high > MAX_EXTENT):
        raise bad(option, text, f"the dimension {shown(item)} is beyond 64 bits", example)
    if high is not None and high < low:
        raise bad(option, text, f"the range {shown(item)} is empty", example)
    return Dim(low, high)


def element(option: str, text: str, name: str, example: str) -> Attribute:
    """Return the element type with a name of OpenVINO IR.

    Error: `bad-option`.
    """
    found = ELEMENTS.get(name.strip())
    if found is None:
        raise bad(option, text, f"unknown element type {shown(name)} (known: {', '.join(ELEMENTS)})", example)
    return found


def value(option: str, text: str, given: str, example: str) -> FrozenValue:
    """Parse a number, `True` or `False`, or a bracketed list of them.

    Inner brackets have no meaning. Error: `bad-option`.
    """
    given = given.strip()
    if given.startswith("["):
        if not given.endswith("]"):
            raise bad(option, text, "the list of values does not end in ']'", example)
        return numbers(option, text, given.replace("[", " ").replace("]", " "), example)
    return _number(option, text, given, example)


def numbers(option: str, text: str, given: str, example: str) -> tuple[Number, ...]:
    """Numbers that commas or spaces separate. Error: `bad-option`."""
    return tuple(_number(option, text, item, example) for item in items(given))


def _number(option: str, text: str, given: str, example: str) -> Number:
    if given.lower() in ("true", "false"):
        return given.lower() == "true"
    if _INTEGER.fullmatch(given):
        return int(given)
    if _FLOAT.fullmatch(given):
        return float(given)
    raise bad(option, text, f"{shown(given)} is not a value", example)


def floats(option: str, text: str, inner: str, example: str) -> tuple[float, ...]:
    """At least one finite number. Error: `bad-option`."""
    found = numbers(option, text, inner, example)
    if not found or any(isinstance(n, bool) or not math.isfinite(n) for n in found):
        raise bad(option, text, "each list needs finite numbers", example)
    return tuple(float(n) for n in found)


def unequal(some: Sequence[object], others: Sequence[object]) -> str:
    """Return the text of two differing counts, for a message.

    They are the counts of two kinds of items that belong together.
    """
    return f"{len(some)} and {len(others)}"


INPUT_EXAMPLE = '"data[1,3,224,224]{f32},length->[150]"'
OUTPUT_EXAMPLE = '"softmax,split:1"'
SHAPE_EXAMPLE = '"[1,3,224,224],[1,?]"'
FREEZE_EXAMPLE = '"training->False,length->[150]"'

_TYPE = re.compile(r"\{([^{}]*)\}\s*$")
_SHAPE = re.compile(r"[\[(]([^\[\](){}]*)[\])]\s*$")


@dataclass(frozen=True)
class InputSpecification:
    """Requested input: the name of an input, node, tensor or port.

    The other fields are the requested properties. `element` None keeps the type of the value. With `value`, it is this constant
    instead of an input.
    """

    name: str
    shape: Shape | None = None
    element: Attribute | None = None
    value: FrozenValue | None = None


@dataclass(frozen=True)
class InputOptions:
    """All that the options say of inputs.

    `inputs` None: those that the model has; else these and no others, in this order. `only_shape` is that of the one input that
    is not frozen. `frozen` are constants by the names of inputs, `batch` is what the first dimension of every input becomes.
    """

    inputs: tuple[InputSpecification, ...] | None = None
    only_shape: Shape | None = None
    frozen: Mapping[str, FrozenValue] = field(default_factory=dict[str, FrozenValue])
    batch: int | None = None


def parse_inputs(text: str) -> tuple[InputSpecification, ...]:
    """Parse `--input`, a comma-separated list of names.

    Each name may have a shape, a type and a value.

    >>> parse_inputs("data[1,3,?,1..10]{f32},0:add,training->False")

    Error: `bad-option`.
    """
    found = tuple(_input(text, part) for part in split_outside_brackets("input", text, INPUT_EXAMPLE))
    names = set[str]()
    for each in found:
        if each.name in names:
            raise bad("input", text, f"'{each.name}' occurs twice", INPUT_EXAMPLE)
        names.add(each.name)
    return found


def _input(text: str, part: str) -> InputSpecification:
    name, *values = part.split("->")
    if len(values) > 1:
        raise bad("input", text, f"{shown(part)} has more than one '->'", INPUT_EXAMPLE)
    spec = InputSpecification("")
    # In either order, each once, from the end: what is before them is the name.
    while True:
        if spec.element is None and (match := _TYPE.search(name)):
            spec = replace(spec, element=element("input", text, match[1], INPUT_EXAMPLE))
        elif (
            spec.shape is None
            and (match := _SHAPE.search(name))
            and unbracketed(match[0].strip()) is not None
        ):
            spec = replace(spec, shape=shape("input", text, match[1], INPUT_EXAMPLE))
        else:
            break
        name = name[: match.start()]
    name = name.strip()
    if not name or any(c in "[]{}" for c in name):
        raise bad(
            "input", text, f"{shown(part)} is not a name with a shape, a type and a value", INPUT_EXAMPLE
        )
    if not values:
        return replace(spec, name=name)
    frozen = value("input", text, values[0], INPUT_EXAMPLE)
    _check_frozen_shape("input", text, name, spec.shape, frozen, INPUT_EXAMPLE)
    return replace(spec, name=name, value=frozen)


def _check_frozen_shape(
    option: str, text: str, name: str, given: Shape | None, frozen: FrozenValue, example: str
) -> None:
    """`Error("bad-option")` where a value does not fill a shape."""
    if given is None:
        return
    extents = static_shape(given)
    if extents is None:
        raise bad(option, text, f"'{name}' has a value, so its shape must be numbers", example)
    elements = 1
    for extent in extents:
        elements *= extent
    count = len(frozen) if isinstance(frozen, tuple) else 1
    if elements != count:
        raise bad(option, text, f"'{name}' has a shape of {elements} elements and {count} values", example)


def parse_outputs(text: str) -> tuple[str, ...]:
    """Parse `--output`, a comma-separated list of nodes, tensors or ports.

    Error: `bad-option`.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise bad("output", text, "a name is empty", OUTPUT_EXAMPLE)
    if len(set(parts)) < len(parts):
        raise bad("output", text, "a name occurs twice", OUTPUT_EXAMPLE)
    return tuple(parts)


def parse_shapes(text: str) -> tuple[Shape, ...]:
    """Parse `--input-shape`, a comma-separated list of shapes in brackets.

    Error: `bad-option`.
    """
    found = list[Shape]()
    for part in split_outside_brackets("input-shape", text, SHAPE_EXAMPLE):
        inner = unbracketed(part)
        if inner is None:
            raise bad("input-shape", text, f"{shown(part)} has no brackets", SHAPE_EXAMPLE)
        found.append(shape("input-shape", text, inner, SHAPE_EXAMPLE))
    return tuple(found)


def parse_frozen(text: str) -> dict[str, FrozenValue]:
    """Parse `--freeze`, a comma-separated list of `name->value`.

    Error: `bad-option`.
    """
    option, found = "freeze", dict[str, FrozenValue]()
    for part in split_outside_brackets(option, text, FREEZE_EXAMPLE):
        name, *values = (piece.strip() for piece in part.split("->"))
        if not name or len(values) != 1:
            raise bad(option, text, f"{shown(part)} is not of the form name->value", FREEZE_EXAMPLE)
        frozen = value(option, text, values[0], FREEZE_EXAMPLE)
        if name in found and not _same(found[name], frozen):
            raise bad(option, text, f"'{name}' has two values", FREEZE_EXAMPLE)
        found[name] = frozen
    return found


def _same(one: FrozenValue, other: FrozenValue) -> bool:
    """Return True if two values have the same text.

    (Two NaNs do, though they are not equal.)
    """
    return repr(one) == repr(other)


def parse_batch(text: str) -> int:
    """Parse `--batch`, a number of at least 1.

    Error: `bad-option`.
    """
    digits = text.strip()
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0
    if not 1 <= number <= MAX_INT:
        raise bad("batch", text, "it must be an integer of at least 1", "1")
    return number


def input_options(
    *,
    input: str | None = None,
    input_shape: str | None = None,
    freeze: str | None = None,
    batch: str | None = None,
) -> InputOptions:
    """Combine these options; None for an option that is not given.

    Shapes stand beside the names in `input`, or in `input_shape` in their order; a batch size cannot be combined with
    either. Frozen inputs need not be named in `input`. Error: `bad-option`.
    """
    inputs = None if input is None else parse_inputs(input)
    shapes = None if input_shape is None else parse_shapes(input_shape)
    frozen = {} if freeze is None else parse_frozen(freeze)
    size = None if batch is None else parse_batch(batch)
    shaped = inputs is not None and any(each.shape is not None for each in inputs)
    if shapes is not None and shaped:
        raise Error(
            "bad-option",
            "shapes are given in --input and in --input-shape",
            hint="give them in one of the two",
        )
    if size is not None and (shaped or shapes is not None):
        raise Error(
            "bad-option", "shapes and --batch exclude each other", hint="write the batch size into the shapes"
        )
    only_shape = None
    if shapes is not None and inputs is None:
        if len(shapes) != 1:
            raise Error(
                "bad-option",
                f"--input-shape has {len(shapes)} shapes, and no --input names their inputs",
                hint='for example: --input "data,info" --input-shape "[1,3,224,224],[1,10]"',
            )
        only_shape = shapes[0]
    elif shapes is not None and inputs is not None:
        inputs = _with_shapes(inputs, shapes, input_shape or "")
    if inputs is not None:
        inputs, frozen = _with_values(inputs, frozen)
    return InputOptions(inputs, only_shape, frozen, size)


def _with_shapes(
    inputs: tuple[InputSpecification, ...], shapes: tuple[Shape, ...], text: str
) -> tuple[InputSpecification, ...]:
    """Inputs with the shapes of `--input-shape`."""
    if len(inputs) != len(shapes):
        raise Error(
            "bad-option",
            f"--input and --input-shape have different lengths: {unequal(inputs, shapes)}",
            hint="give each input its shape, in the same order",
        )
    for each, given in zip(inputs, shapes):
        if each.value is not None:
            _check_frozen_shape("input-shape", text, each.name, given, each.value, SHAPE_EXAMPLE)
    return tuple(replace(each, shape=given) for each, given in zip(inputs, shapes))


def _with_values(
    inputs: tuple[InputSpecification, ...], frozen: Mapping[str, FrozenValue]
) -> tuple[tuple[InputSpecification, ...], dict[str, FrozenValue]]:
    """Return the inputs with their values from `frozen`, and the rest.

    The rest are the frozen values of other inputs.
    """
    made, rest = list[InputSpecification](), dict(frozen)
    for each in inputs:
        other = rest.pop(each.name, None)
        if other is None:
            made.append(each)
            continue
        if each.value is not None and not _same(each.value, other):
            raise Error(
                "bad-option",
                f"'{each.name}' has two values, in --input and in --freeze",
                hint="give it one",
            )
        _check_frozen_shape("input", each.name, each.name, each.shape, other, INPUT_EXAMPLE)
        made.append(replace(each, value=other))
    return tuple(made), rest
