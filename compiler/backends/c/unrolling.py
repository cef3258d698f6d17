"""The hint that a loop is to be its iterations in a row, for compilers that do not see it by themselves.

A tile of a reduction is an array, and a loop over it in the innermost loop. Where that loop is unrolled the elements of the array are in
registers, and gcc makes vectors of them; where code is to be small it stays a loop. clang unrolls it without being told.
"""

from __future__ import annotations

from collections.abc import Collection

UNROLL = "LOOMIR_UNROLL"
"""The macro in front of such a loop."""

_DEFINITION = f"""\
#ifndef {UNROLL}
#if defined(__GNUC__) && __GNUC__ >= 8 && !defined(__clang__) && !defined(__OPTIMIZE_SIZE__)
#define {UNROLL}_PRAGMA(text) _Pragma(#text)
#define {UNROLL}(n) {UNROLL}_PRAGMA(GCC unroll n)
#else
#define {UNROLL}(n)
#endif
#endif
"""


def definition_of_unroll(words: Collection[str]) -> list[str]:
    """The macro, where it is among the words of a program. It is guarded, so that two models may be included in one file."""
    return [_DEFINITION] if UNROLL in words else []
