"""C header of a program, and the parameters of its function.

The header has sizes, statuses, the arena's type and the one function.

The parameters are inputs, outputs, weights (if by pointer) and the arena, in this order. A static tensor is a pointer; a scalar
is passed by value and returned through a pointer; the pointer of a dynamic tensor is followed by one `size_t` (input) or
`size_t *` (output) per dynamic dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import MemRefType

from loomir.compiler.feeds.signature import Port, Signature
from loomir.compiler.formats.c.expressions import memory_type, user_type
from loomir.compiler.formats.c.values import Names, comment
from loomir.dialects.diagnostics import KINDS
from loomir.dialects.element_types import is_storage


@dataclass(frozen=True)
class Parameter:
    """Parameter of the C function.

    `c_type` excludes the name; `argument` is the position of the corresponding argument of `main`, or None.
    """

    name: str
    c_type: str
    kind: Literal["input", "input_dim", "output", "output_dim", "weight", "arena"]
    argument: int | None = None
    port: Port | None = None
    dimension: int = 0

    @property
    def by_pointer(self) -> bool:
        return self.c_type.endswith("*")

    def declare(self, restrict: bool) -> str:
        """Return the declaration for a prototype.

        C++, which includes the header, has no `restrict`.
        """
        if not self.by_pointer:
            return f"{self.c_type} {self.name}"
        return f"{self.c_type}{'restrict ' if restrict else ''}{self.name}"


@dataclass(frozen=True)
class Interface:
    """All parameters; `weights` says which arguments are weights by pointer."""

    signature: Signature
    parameters: tuple[Parameter, ...]

    def of_argument(self, position: int) -> Parameter | None:
        """The parameter that an argument of `main` is."""
        return next((p for p in self.parameters if p.argument == position), None)


def interface_of(signature: Signature, names: Names, weights: list[int], pointers: bool) -> Interface:
    """Name all parameters.

    `weights` lists the weight arguments, which are parameters only if `pointers` is set.
    """
    arena = names.fresh("arena", "arena")
    found: list[Parameter] = []
    for port in signature.inputs:
        element = user_type(port.dtype)
        word = names.fresh(port.name, "input")
        pointer = isinstance(port.storage, MemRefType)
        found.append(
            Parameter(word, f"const {element} *" if pointer else element, "input", port.position, port)
        )
        for dimension, position in sorted(port.dims.items()):
            dim = names.fresh(f"{word}_dim{dimension}", "dim")
            found.append(Parameter(dim, "size_t", "input_dim", position, port, dimension))
    for port in signature.outputs:
        word = names.fresh(port.name, "output")
        position = None if port.in_results else port.position
        found.append(Parameter(word, f"{user_type(port.dtype)} *", "output", position, port))
        for dimension in sorted(port.dims):
            dim = names.fresh(f"{word}_dim{dimension}", "dim")
            found.append(Parameter(dim, "size_t *", "output_dim", None, port, dimension))
    if pointers:
        for number, position in enumerate(weights):
            t = signature.arguments[position].type
            assert isinstance(t, MemRefType)
            word = names.fresh(f"w{number}", "w")
            found.append(Parameter(word, f"const {memory_type(t.element_type)} *", "weight", position))
    position = next((k for k, a in enumerate(signature.arguments) if a.kind == "arena"), None)
    found.append(Parameter(arena, "void *", "arena", position))
    return Interface(signature, tuple(found))


def shape_text(port: Port) -> str:
    """`[1,49,10,1]`, and for a dynamic tensor `[?,3], at most [8,3]`."""
    text = f"[{','.join('?' if d is None else str(d) for d in port.shape)}]"
    if port.kind != "dynamic":
        return text
    bounds = ",".join("?" if b is None else str(b) for b in port.bounds)
    return f"{text}, at most [{bounds}], room for {port.capacity}"


def describe(parameter: Parameter) -> str:
    """The comment behind a parameter in the prototype."""
    port = parameter.port
    if parameter.kind == "weight":
        return "a weight"
    if port is None:
        return ""
    if parameter.kind in ("input_dim", "output_dim"):
        if port.part is not None and port.part[1] in ("data", "slots") and parameter.dimension == 0:
            return "how many elements there are"
        if port.part is not None and port.part[1] in ("flat", "extents"):
            what = "elements" if port.part[1] == "flat" else "dimensions"
            return f"how many {what} '{port.part[0]}' has"
        return f"extent of dimension {parameter.dimension}"
    half = {"float16": "IEEE half, ", "bfloat16": "bfloat16, "}.get(port.dtype.name, "")
    if is_storage(port.type.element_type):
        half = f"{port.dtype.name}, "
    if port.part is not None:
        own = comment(_component_text(port, *port.part))
        return f"{own}: {half}{'scalar' if port.kind == 'scalar' else shape_text(port)}"
    # The name only where the identifier is not the same.
    own = "" if port.name == parameter.name else f"{comment(port.name)}: "
    stands_for = "" if port.quantisation is None else f", each stands for {port.quantisation}"
    return f"{own}{half}{'scalar' if port.kind == 'scalar' else shape_text(port)}{stands_for}"


def _component_text(port: Port, owner: str, part: str) -> str:
    """Describe a tensor that holds a part of a composite value.

    The composite value is a sequence, an optional or a tensor of any rank.
    """
    if part == "flat":
        return f"the elements of '{owner}', row-major"
    if part == "extents":
        return f"the extents of '{owner}'"
    if part == "has":
        return f"whether optional '{owner}' has a value"
    if part == "value":
        return f"the value of optional '{owner}'"
    if part == "shapes":
        return f"the extents of each element of sequence '{owner}'"
    if part == "ranks":
        return f"how many of them each element of sequence '{owner}' has"
    text = f"the elements of sequence '{owner}'"
    if part == "data":
        return f"{text}, one behind the other"
    return f"{text}, one slot of {port.shape[-1]} each: row-major, packed in front, the rest is undefined"


def prototype(status: str, function: str, parameters: tuple[Parameter, ...], comments: bool) -> list[str]:
    """Return the lines of a declaration without `;` or body.

    No buffers may overlap: in the header, `comments` say so to the reader; in the source, `restrict` says so to the compiler.
    """
    lines = [f"{status} {function}("]
    for k, p in enumerate(parameters):
        text = describe(p) if comments else ""
        comma = "," if k + 1 < len(parameters) else ")"
        lines.append(f"    {p.declare(restrict=not comments)}{f' /* {text} */' if text else ''}{comma}")
    if not comments:
        one = lines[0] + " ".join(line.strip() for line in lines[1:])
        if len(one) <= 110:
            return [one]
    return lines


_STATUS_TEXTS = (
    ("OK", "the outputs are written"),
    ("ERROR_INDEX", KINDS["index"]),
    ("ERROR_CAPACITY", KINDS["capacity"]),
    ("ERROR_LIMIT", KINDS["limit"]),
    ("ERROR_ARENA", "the arena is NULL or not aligned"),
    ("ERROR_SHAPE", KINDS["shape"]),
    ("ERROR_ENDLESS", KINDS["endless"]),
    ("ERROR_ABSENT", KINDS["absent"]),
)

STATUSES = tuple(word for word, _ in _STATUS_TEXTS)
"""Status names without the prefix, in the order of their values.

The order is stable; new statuses are appended.
"""


def status_of(kind: str) -> str:
    """The status of a kind of run-time error (`diagnostics.KINDS`)."""
    return f"ERROR_{kind.upper()}"


def kind_of(status: str) -> str:
    """The kind of run-time error of a status."""
    return status.removeprefix("ERROR_").lower()


def header_text(
    own: str,
    model: str,
    interface: Interface,
    arena_bytes: int,
    alignment: int,
    signature: Signature,
    weight_bytes: int,
    capacity: int | None,
) -> str:
    """Return the text of `<own>.h`.

    `capacity` is the largest extent of otherwise unbounded dimensions.
    """
    upper = own.upper()
    lines = [
        f"/* {own}.h: generated by loomir from the model '{comment(model)}'; do not edit.",
        " *",
        f" * {own}_run computes the outputs from the inputs. It keeps no state of its own, so that it may",
        " * run in several threads with an arena each, and allocates nothing. Buffers must not overlap; they",
        " * are as long as their comments say, the arena as its macro says. After an error the outputs are",
        " * unspecified.",
        *_capacity_note(own, signature, capacity),
        " */",
        f"#ifndef {upper}_H",
        f"#define {upper}_H",
        "",
        "#include <stdbool.h>",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        "/* Bytes of scratch memory; with 0 the arena may be NULL. */",
        f"#define {upper}_ARENA_BYTES {arena_bytes}",
        f"#define {upper}_ARENA_ALIGN {alignment}",
        "/* Bytes of constants, for information. */",
        f"#define {upper}_WEIGHT_BYTES {weight_bytes}",
        *([f"#define {upper}_CAPACITY {capacity}"] if capacity is not None else []),
        *(f"#define {macro} {value}" for macro, value in _capacities(upper, interface)),
        *_quantisations(upper, interface),
        "",
        "typedef enum {",
        *(
            f"    {upper}_{word} = {k}{',' if k + 1 < len(_STATUS_TEXTS) else ''} /* {text} */"
            for k, (word, text) in enumerate(_STATUS_TEXTS)
        ),
        f"}} {own}_status;",
        "",
        *_arena_type(own, arena_bytes, alignment),
        *prototype(f"{own}_status", f"{own}_run", interface.parameters, comments=True),
    ]
    lines[-1] += ";"
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return "\n".join(lines)


def _capacity_note(own: str, signature: Signature, capacity: int | None) -> list[str]:
    lines: list[str] = []
    if any(p.kind == "dynamic" for p in signature.outputs):
        lines += [
            " * An output of varying shape is packed, and its extents are written where the pointers behind it",
            " * say; its buffer must have the full capacity.",
        ]
    if capacity is not None:
        lines += [
            f" * The model bounds the extents of some tensors by nothing: this code was made for up to {capacity} and",
            f" * gives {own.upper()}_ERROR_CAPACITY where one would be larger, before anything is written beyond its",
            " * buffer.",
        ]
    return lines


def _capacities(upper: str, interface: Interface) -> list[tuple[str, int]]:
    return [
        (f"{upper}_{p.name.upper()}_CAPACITY", p.port.capacity)
        for p in interface.parameters
        if p.kind in ("input", "output") and p.port is not None and p.port.kind == "dynamic"
    ]


def _quantisations(upper: str, interface: Interface) -> list[str]:
    """Emit the scale and zero point of each quantised input and output.

    The integers of such a tensor stand for other numbers.
    """
    lines: list[str] = []
    for p in interface.parameters:
        if p.kind in ("input", "output") and p.port is not None and (found := p.port.quantisation):
            word = f"{upper}_{p.name.upper()}"
            if not lines:
                lines.append("/* An integer q stands for the real number SCALE * (q - ZERO_POINT). */")
            lines.append(f"#define {word}_SCALE {found.scale:.9e}f")
            lines.append(f"#define {word}_ZERO_POINT ({found.zero_point})")
    return lines


def _arena_type(own: str, arena_bytes: int, alignment: int) -> list[str]:
    """Declare the arena type, an aligned union of arrays.

    C permits the union's memory to hold each type in turn.

    C99 has no alignment specifier; compilers and standards that have one are given their own syntax, and the runtime check
    covers the rest.
    """
    upper = own.upper()
    if arena_bytes == 0:
        return [
            f"/* No arena is needed: {own}_run takes NULL, or a {own}_arena as of any model. */",
            f"typedef unsigned char {own}_arena;",
            "",
        ]
    members = [
        f"    {c_type} {word}[({upper}_ARENA_BYTES + sizeof({c_type}) - 1) / sizeof({c_type})];"
        for c_type, word in (
            ("float", "f32"),
            ("double", "f64"),
            ("int16_t", "i16"),
            ("int32_t", "i32"),
            ("int64_t", "i64"),
        )
    ]
    return [
        "#if defined(__cplusplus) && __cplusplus >= 201103L",
        f"#define {upper}_ALIGNED alignas({alignment})",
        "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L",
        f"#define {upper}_ALIGNED _Alignas({alignment})",
        "#elif defined(__GNUC__) || defined(__clang__) || defined(__ARMCC_VERSION)",
        f"#define {upper}_ALIGNED __attribute__((aligned({alignment})))",
        "#else",
        f"#define {upper}_ALIGNED",
        "#endif",
        "",
        "/* The arena, aligned and of a type that C lets hold floats and integers in turn:",
        f" * static {own}_arena arena; {own}_run(..., &arena); */",
        "typedef union {",
        f"    {upper}_ALIGNED unsigned char bytes[{upper}_ARENA_BYTES];",
        *members,
        f"}} {own}_arena;",
        "",
    ]
