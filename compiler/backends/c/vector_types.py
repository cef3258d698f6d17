"""GNU C vector types, and macros that steer the compilers' vectorization."""

from __future__ import annotations

import re

from loomir.compiler.backends.c.quad_functions import definitions_of_quads, types_of_quads
from loomir.compiler.backends.c.vector_functions import HEADER, definitions_of_functions, types_needed

_WORD = re.compile(r"loomir_([a-z]+[0-9]+)x([0-9]+)([ub]?)")
LANES = "LOOMIR_LANES"
"""Macro before a loop over lanes.

clang turns the loop into one instruction only if it unrolls it first, which it does not do by itself for 16 lanes.
"""

BOUND = "LOOMIR_BOUND"
"""Qualifiers of a number that is a limit.

For `x < 2 ? 2 : x` gcc 12 generates a comparison and a select; it generates one instruction if it does not know the number.
clang generates one instruction if it does know the number.
"""

_ELEMENTS = {
    "f32": ("float", 4),
    "f64": ("double", 8),
    "i8": ("int8_t", 1),
    "i16": ("int16_t", 2),
    "i32": ("int32_t", 4),
    "i64": ("int64_t", 8),
    "u8": ("uint8_t", 1),
    "u16": ("uint16_t", 2),
    "u32": ("uint32_t", 4),
    "u64": ("uint64_t", 8),
}


def element_type(type_: str) -> str:
    """The C type of a lane of a vector type."""
    found = _WORD.fullmatch(type_)
    assert found is not None, type_
    return _ELEMENTS[found[1]][0]


def vector_definitions(words: set[str]) -> list[str]:
    """Return the vector types and functions that a program's words name.

    A guard rejects compilers without vectors.
    """
    functions = [*definitions_of_functions(words), *definitions_of_quads(words)]
    lines = _typedefs(words | types_needed(words) | types_of_quads(words))
    return [*lines, *((*HEADER, *functions, "") if functions else ())]


def _typedefs(words: set[str]) -> list[str]:
    """Return the definitions of the vector types that a program's words name.

    A guard rejects compilers without vectors. Each definition is guarded, so that two models may be included in one file.
    """
    found = sorted({m.groups() for w in words if (m := _WORD.fullmatch(w)) is not None})
    if not found:
        return []
    lines = [
        "#if !defined(__GNUC__)",
        '#error "this file uses vectors of GNU C: compile it with gcc or clang, or emit it with machine=generic"',
        "#endif",
        "",
    ]
    for macro, for_clang, for_others in (
        (LANES, '_Pragma("clang loop unroll(full)")', ""),
        (BOUND, "const", "const volatile"),
    ):
        if macro in words:
            lines += [
                f"#ifndef {macro}",
                "#if defined(__clang__)",
                f"#define {macro} {for_clang}",
                "#else",
                f"#define {macro} {for_others}".rstrip(),
                "#endif",
                "#endif",
            ]
    for element, lanes, unaligned in found:
        c_type, size = _ELEMENTS[element]
        word = f"loomir_{element}x{lanes}{unaligned}"
        attributes = f"vector_size({size * int(lanes)})"
        if unaligned:
            attributes += f", aligned({size if unaligned == 'u' else 1}), may_alias"
        lines += [
            f"#ifndef {word.upper()}",
            f"#define {word.upper()}",
            f"typedef {c_type} {word} __attribute__(({attributes}));",
            "#endif",
        ]
    return [*lines, ""]
