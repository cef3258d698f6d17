"""Parameters of the C function: inputs, outputs, weights (if by pointer), arena.

This is also their order.

A static tensor is a pointer; a scalar is passed by value and returned through a pointer; the pointer of a dynamic tensor is
followed by one `size_t` (input) or `size_t *` (output) per dynamic dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import MemRefType

from loomir.compiler.backends.c.literals import memory_type, user_type
from loomir.compiler.backends.c.names import Names, comment
from loomir.compiler.feeds.signature import Port, Signature
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
        own = comment(_part_text(port, *port.part))
        return f"{own}: {half}{'scalar' if port.kind == 'scalar' else shape_text(port)}"
    # The name only where the identifier is not the same.
    own = "" if port.name == parameter.name else f"{comment(port.name)}: "
    stands_for = "" if port.quantisation is None else f", each stands for {port.quantisation}"
    return f"{own}{half}{'scalar' if port.kind == 'scalar' else shape_text(port)}{stands_for}"


def _part_text(port: Port, owner: str, part: str) -> str:
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
