"""C functions that add up products of quads.

They use instructions where the processor has them, and equivalent C elsewhere.

| for | are two, or one, instructions |
|---|---|
| `int32_t`, Armv7E-M | `smlad` of what `sxtb16` and `sxtab16` take apart, bytes 0 and 2, and 1 and 3 |
| vectors, x86-64 | `pmaddwd` and an addition, of words that are bytes 0 and 2, and 1 and 3; `vpdpwssd` does both |
| the same, of bytes from 0 on | `vpdpbusd`: `x − (−128)` of a signed byte is one, with its highest bit the other way |

Source: Arm C Language Extensions (ACLE), "SIMD32"; Intel Intrinsics Guide.
"""

from __future__ import annotations

import re

from loomir.compiler.backends.c.vector_functions import INLINE, REGISTERS, as_register, as_vector, vector_type

_WORD = re.compile(r"loomir_(dot|dotu)_i32x([0-9]+)")

_ORDER = (
    "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__",
    '#error "quads are in the order of little-endian processors: emit this file with machine=generic"',
    "#endif",
)


def _byte(quad: str, is_signed: bool) -> str:
    """The byte at bit `i` of a quad."""
    bits = f"(uint32_t){quad} >> i & 255u"
    return f"(int32_t)(({bits}) ^ 128u) - 128" if is_signed else f"(int32_t)({bits})"


QUADS = {
    "quad": "\n".join(" " * 8 + line for line in _ORDER)
    + """
        /* Four bytes, the first one the lowest. */
        static inline int32_t @N(const int8_t *x)
        {
            int32_t quad;
            memcpy(&quad, x, sizeof quad);
            return quad;
        }""",
    **{
        name: f"""
        /* acc + (x - zero) * w, of each byte of two quads. */
        static inline int32_t @N(int32_t acc, int32_t x, int32_t w, int zero)
        {{
        #if defined(__ARM_FEATURE_DSP) && defined(__GNUC__)
            const uint32_t zeros = (uint32_t)-zero << 16 | ((uint32_t)-zero & 0xffffu);
            int32_t x02, x13, w02, w13;
            if (zero == 0) {{
                __asm__("{s}xtb16 %0, %1" : "=r"(x02) : "r"(x));
                __asm__("{s}xtb16 %0, %1, ror #8" : "=r"(x13) : "r"(x));
            }} else {{
                __asm__("{s}xtab16 %0, %1, %2" : "=r"(x02) : "r"(zeros), "r"(x));
                __asm__("{s}xtab16 %0, %1, %2, ror #8" : "=r"(x13) : "r"(zeros), "r"(x));
            }}
            __asm__("sxtb16 %0, %1" : "=r"(w02) : "r"(w));
            __asm__("sxtb16 %0, %1, ror #8" : "=r"(w13) : "r"(w));
            __asm__("smlad %0, %1, %2, %3" : "=r"(acc) : "r"(x02), "r"(w02), "r"(acc));
            __asm__("smlad %0, %1, %2, %3" : "=r"(acc) : "r"(x13), "r"(w13), "r"(acc));
            return acc;
        #else
            uint32_t sum = (uint32_t)acc;
            for (int i = 0; i < 32; i += 8) {{
                const int32_t a = {a};
                const int32_t b = {_byte("w", True)};
                sum += (uint32_t)((a - zero) * b);
            }}
            memcpy(&acc, &sum, sizeof acc);
            return acc;
        #endif
        }}"""
        for name, s, a in (("dot", "s", _byte("x", True)), ("dotu", "u", _byte("x", False)))
    },
}
"""Functions of the runtime (`runtime.py`) on numbers."""


def definitions_of_quads(words: set[str]) -> list[str]:
    """Return the vector functions that a program's words name.

    The definitions follow the header that declares their instructions.
    """
    found = sorted({(m[1], int(m[2])) for w in words if (m := _WORD.fullmatch(w)) is not None})
    if not found:
        return []
    lines: list[str] = [*_ORDER]
    for name, lanes in found:
        lines += _definition(name, lanes)
    return lines


def _definition(name: str, lanes: int) -> list[str]:
    word, type_ = f"loomir_{name}_i32x{lanes}", f"loomir_i32x{lanes}"
    is_signed = name == "dot"
    lines = [
        f"#ifndef {word.upper()}",
        f"#define {word.upper()}",
        f"{INLINE} {type_} {word}({type_} acc, {type_} x, {type_} w, int zero)",
        "{",
    ]
    plain = [
        f"    int32_t sums[{lanes}];",
        f"    for (int lane = 0; lane < {lanes}; ++lane) {{",
        "        uint32_t sum = (uint32_t)acc[lane];",
        "        for (int i = 0; i < 32; i += 8) {",
        f"            const int32_t a = {_byte('x[lane]', is_signed)};",
        f"            const int32_t b = {_byte('w[lane]', True)};",
        "            sum += (uint32_t)((a - zero) * b);",
        "        }",
        "        sums[lane] = (int32_t)sum;",
        "    }",
        f"    return *(const {type_}u *)sums;",
    ]
    if lanes in _X86:
        lines += [*_of_x86(lanes, is_signed), "#else", *plain, "#endif"]
    else:
        lines += plain
    return [*lines, "}", "#endif"]


_X86 = {2: "__SSE2__", 4: "__SSE2__", 8: "__AVX2__", 16: "__AVX512BW__"}
"""Compiler macro, per lane count, for registers of at least that size."""

_VNNI = (
    ("defined(__AVX512VNNI__) && defined(__AVX512VL__)", "epi32"),
    ("defined(__AVXVNNI__)", "avx_epi32"),
)
"""Compiler macros for four-product instructions, with their intrinsic name suffixes.

The entry with the longest registers comes first.
"""


def _of_x86(lanes: int, is_signed: bool) -> list[str]:
    type_, size = f"loomir_i32x{lanes}", 32 * lanes
    _, prefix = REGISTERS[max(size, 128)]

    def given(text: str) -> str:
        return as_register(text, size)

    def result(text: str) -> str:
        return as_vector(text, type_, size)

    lines = [
        f"#if defined(__x86_64__) && defined({_X86[lanes]})",
        f"    typedef int16_t words __attribute__((vector_size({size // 8})));",
        f"    typedef uint16_t bits __attribute__((vector_size({size // 8})));",
        "    const words w02 = (words)((bits)w << 8) >> 8, w13 = (words)w >> 8;",
    ]
    if is_signed:
        lines += ["    const words x02 = (words)((bits)x << 8) >> 8, x13 = (words)x >> 8;"]
    else:
        lines += ["    const words x02 = (words)((bits)x & 255), x13 = (words)((bits)x >> 8);"]
    lines += ["    const words a = x02 - (int16_t)zero, b = x13 - (int16_t)zero;"]
    from_zero = "(x ^ (int32_t)0x80808080)" if is_signed else "x"
    for number, (has, end) in enumerate(_VNNI[:1] if lanes == 16 else _VNNI):
        four = f"{prefix}_dpbusd_{end}({given('acc')}, {given(from_zero)}, {given('w')})"
        two = f"{prefix}_dpwssd_{end}({given('acc')}, {given('a')}, {given('w02')})"
        two = f"{prefix}_dpwssd_{end}({two}, {given('b')}, {given('w13')})"
        lines += [
            f"#{'el' if number else ''}if {has}",
            f"    if (zero == {-128 if is_signed else 0}) {{",
            f"        return {result(four)};",
            "    }",
            f"    return {result(two)};",
        ]
    products = (f"{prefix}_madd_epi16({given(x)}, {given(w)})" for x, w in (("a", "w02"), ("b", "w13")))
    unsigned = vector_type("u", 32, lanes)
    terms = " + ".join(f"({unsigned}){each}" for each in ("acc", *map(result, products)))
    return [*lines, "#else", f"    return ({type_})({terms});", "#endif"]


def types_of_quads(words: set[str]) -> set[str]:
    """The types that the functions among these words are of."""
    lanes = {int(m[2]) for w in words if (m := _WORD.fullmatch(w)) is not None}
    found = {vector_type(sign, 32, each) for each in lanes for sign in "iu"}
    return found | {vector_type("i", 32, each) + "u" for each in lanes}
