"""Tiles that are rows of memory (`dialects/tiles.py`), as C for compilers that have to be told how to take them.

    for (ptrdiff_t i = 0; i < 64; i += LOOMIR_TILE(32)) {
        float row[LOOMIR_TILE(32)];
        …
            LOOMIR_UNROLL(32)
            for (ptrdiff_t l = 0; l < LOOMIR_TILE(32); ++l) {
                row[l] = row[l] + x * w[k * 64 + (i + l)];
            }

Unrolled, the elements of a row are in registers; gcc does it only where it is told, and makes vectors of them. clang does it by itself.
Of a loop around it whose iterations read what lies together gcc 12 would make vectors of four iterations, several times as slow; it takes
iterations as they come where a statement that it does not see into, of no instruction, is among them.

Where code is to be small (`-Os`) tiles are of eight elements, of four where there are not twice as many, and of four on x86, whose
instructions are twice as long as those of Arm.
"""

from __future__ import annotations

from collections.abc import Collection

_TILE, _UNROLL = "LOOMIR_TILE", "LOOMIR_UNROLL"

_DEFINITIONS = f"""\
#ifndef {_TILE}
#if defined(__OPTIMIZE_SIZE__) && (defined(__x86_64__) || defined(__i386__))
#define {_TILE}(n) 4
#elif defined(__OPTIMIZE_SIZE__)
#define {_TILE}(n) ((n) < 16 ? 4 : 8)
#else
#define {_TILE}(n) n
#endif
#if defined(__GNUC__) && __GNUC__ >= 8 && !defined(__clang__)
#define {_UNROLL}_PRAGMA(text) _Pragma(#text)
#define {_UNROLL}_TILE(n) {_UNROLL}_PRAGMA(GCC unroll n)
#define {_UNROLL}(n) __asm__ volatile (""); {_UNROLL}_TILE({_TILE}(n))
#else
#define {_UNROLL}(n)
#endif
#endif
"""


def tile_size(elements: int | str) -> str:
    """The size of a tile: 4, 8, 16 or 32, so that 4 and, of a larger one than that, 8 divide it."""
    return f"{_TILE}({elements})"


def unrolled(elements: int | str) -> str:
    """The line in front of a loop over the elements of a tile."""
    return f"{_UNROLL}({elements})"


def definitions_of_tiles(words: Collection[str]) -> list[str]:
    """The macros, where they are among the words of a program. They are guarded, so that two models may be included in one file."""
    return [_DEFINITIONS] if _TILE in words else []
