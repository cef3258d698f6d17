"""The types of vectors in emitted C: GNU vectors, one name each for values and for memory.

    typedef float loomir_f32x8 __attribute__((vector_size(32)));
    typedef float loomir_f32x8_unaligned __attribute__((vector_size(32), aligned(4), may_alias));

The second is what a pointer to elements is cast to for a load or a store: it needs no more alignment than an element, and gcc and clang
make one instruction of it. `loomir_u32x8` is for arithmetic that wraps. A mask (i1) has 32 bits a lane, all set or none, in registers; in
memory it is `bool`s, which are read and written one by one.
"""

from __future__ import annotations

import re

NEEDS_GNU = (
    "#if !defined(__GNUC__)",
    '#error "this file uses vectors of GNU C: compile it with gcc or clang, or emit it with machine=generic"',
    "#endif",
)
"""What a source with vectors begins with."""

_NAME = re.compile(r"\bloomir_(i1|[fiu]8|[fiu]16|[fiu]32|[fiu]64|index)x(\d+)(_unaligned)?\b")
_ELEMENTS = {"i1": ("int32_t", "4"), "index": ("ptrdiff_t", "sizeof(ptrdiff_t)"), "f32": ("float", "4")}
_ELEMENTS |= {"f64": ("double", "8")}
_ELEMENTS |= {f"i{n}": (f"int{n}_t", str(n // 8)) for n in (8, 16, 32, 64)}
_ELEMENTS |= {f"u{n}": (f"uint{n}_t", str(n // 8)) for n in (8, 16, 32, 64)}


def vector_definitions(text: str) -> list[str]:
    """The lines that define the vector types that C text uses, and an empty one; none where it uses none."""
    found = sorted({(k, int(n), unaligned) for k, n, unaligned in _NAME.findall(text)})
    lines = [_definition(k, n, bool(unaligned)) for k, n, unaligned in found]
    return [*lines, ""] if lines else []


def _definition(k: str, n: int, unaligned: bool) -> str:
    element, size = _ELEMENTS[k]
    whole = str(n * int(size)) if size.isdigit() else f"{n} * {size}"
    more = f", aligned({size}), may_alias" if unaligned else ""
    name = f"loomir_{k}x{n}{'_unaligned' if unaligned else ''}"
    return f"typedef {element} {name} __attribute__((vector_size({whole}){more}));"
