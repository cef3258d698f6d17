"""Tiles as rows of memory in C (`dialects/tiles.py`).

The C contains the hints that compilers need to handle them well.

    for (ptrdiff_t i = 0; i < 64; i += LOOMIR_TILE(32)) {
        float row[LOOMIR_TILE(32)];
        …
            LOOMIR_UNROLL(32)
            for (ptrdiff_t l = 0; l < LOOMIR_TILE(32); ++l) {
                row[l] = row[l] + x * w[k * 64 + (i + l)];
            }

After unrolling, the elements of a row are in registers; gcc unrolls only on request, and vectorizes the elements. clang
unrolls by itself. If the iterations of a surrounding loop read adjacent elements, gcc 12 would vectorize four of its
iterations, which is several times as slow; an opaque statement in the loop body that emits no instruction prevents
this.

If code size matters (`-Os`), tiles have eight elements, or four if the tile has fewer than twice as many. They have
four on x86, whose instructions are twice as long as those of Arm.
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
    """Return the size of a tile: 4, 8, 16 or 32.

    So 4 divides it, and so does 8 if the size is larger than that.
    """
    return f"{_TILE}({elements})"


def unrolled(elements: int | str) -> str:
    """Return the line before a loop over the elements of a tile."""
    return f"{_UNROLL}({elements})"


def definitions_of_tiles(words: Collection[str]) -> list[str]:
    """Return the tile macros if the words of a program contain them.

    They are guarded, so that two models may be included in one file.
    """
    return [_DEFINITIONS] if _TILE in words else []
