"""C functions on integer vectors, with portable fallbacks.

They use instructions that gcc 12 generates for no expression, and equivalent expressions elsewhere.

| word | is |
|---|---|
| `loomir_to_i32x8_i8(x)` | lanes of `i8` (or `u8`: without a sign) as lanes of `i32`; with fewer bits what fits in them |
| `loomir_mul_i64x8(a, b)` | the product of lanes that are integers of 32 bits |
| `loomir_mulh_i32x8(a, b)` | the upper half of the product |

For `__builtin_convertvector` gcc 12 generates several instructions, each of which handles a part of the lanes, and for
a 64-bit product one that takes three times as long as the 32-bit one. Source of the instructions: Intel Intrinsics
Guide.
"""

from __future__ import annotations

import re

INLINE = "static inline __attribute__((always_inline))"
"""Specifiers of functions on vectors that a processor may lack.

gcc warns when such vectors are passed between functions.
"""

HEADER = [
    "/* Vectors go to no function of another file, so how they are handed over does not matter. */",
    '#pragma GCC diagnostic ignored "-Wpsabi"',
    "#if defined(__SSE2__)",
    "#include <immintrin.h>",
    "#endif",
]
"""In front of the functions; where the instructions of x86-64 are."""

_CONVERSION = re.compile(r"loomir_to_i([0-9]+)x([0-9]+)_([iu])([0-9]+)")
_PRODUCT = re.compile(r"loomir_mul_i64x([0-9]+)")
_HIGH = re.compile(r"loomir_mulh_i32x([0-9]+)")
REGISTERS = {128: ("__m128i", "_mm"), 256: ("__m256i", "_mm256"), 512: ("__m512i", "_mm512")}
"""Bits of a register: its type, and how its functions begin."""


def converted(text: str, sign: str, bits: int, to: int, lanes: int) -> str:
    """Lanes of `bits` as lanes of `to` bits, signed in any case."""
    return f"loomir_to_i{to}x{lanes}_{sign}{bits}({text})"


def vector_type(sign: str, bits: int, lanes: int) -> str:
    """A type of vectors of integers (`vector_types.py`)."""
    return f"loomir_{sign}{bits}x{lanes}"


def types_needed(words: set[str]) -> set[str]:
    """The types that the functions among these words are of."""
    found: set[str] = set()
    for word in words:
        if (m := _CONVERSION.fullmatch(word)) is not None:
            to, lanes, sign, bits = int(m[1]), int(m[2]), m[3], int(m[4])
            steps = _steps(bits, to)
            found |= {vector_type(sign, each, lanes) for each in (bits, *steps)}
            found |= {vector_type("i", to, lanes), vector_type("i", bits, lanes)}
        elif (m := _PRODUCT.fullmatch(word)) is not None:
            found |= {vector_type(sign, 64, int(m[1])) for sign in "iu"}
        elif (m := _HIGH.fullmatch(word)) is not None:
            found |= {vector_type("i", 32, int(m[1])) + end for end in ("", "u")}
    return found


def definitions_of_functions(words: set[str]) -> list[str]:
    """Return the vector functions that a program's words name.

    Each is guarded, so that two models may be included in one file.
    """
    lines: list[str] = []
    for word in sorted(words):
        if (m := _CONVERSION.fullmatch(word)) is not None:
            to, lanes, sign, bits = int(m[1]), int(m[2]), m[3], int(m[4])
            source, body = vector_type("i", bits, lanes), _conversion(sign, bits, to, lanes)
            head = f"{INLINE} {vector_type('i', to, lanes)} {word}({source} x)"
        elif (m := _PRODUCT.fullmatch(word)) is not None:
            lanes = int(m[1])
            type_, body = vector_type("i", 64, lanes), _product(lanes)
            head = f"{INLINE} {type_} {word}({type_} a, {type_} b)"
        elif (m := _HIGH.fullmatch(word)) is not None:
            lanes = int(m[1])
            type_, body = vector_type("i", 32, lanes), _high(lanes)
            head = f"{INLINE} {type_} {word}({type_} a, {type_} b)"
        else:
            continue
        lines += [f"#ifndef {word.upper()}", f"#define {word.upper()}", head, "{", *body, "}", "#endif"]
    return lines


def _steps(bits: int, to: int) -> list[int]:
    """Twice the bits or half of them, again and again."""
    found: list[int] = []
    while bits != to:
        bits = bits * 2 if bits < to else bits // 2
        found.append(bits)
    return found


def _conversion(sign: str, bits: int, to: int, lanes: int) -> list[str]:
    text = "x" if sign == "i" else f"({vector_type('u', bits, lanes)})x"
    for each in _steps(bits, to):
        text = f"__builtin_convertvector({text}, {vector_type(sign, each, lanes)})"
    plain = f"    return {text};" if sign == "i" else f"    return ({vector_type('i', to, lanes)}){text};"
    source, target = bits * lanes, to * lanes
    wide = max(source, target)
    if wide not in REGISTERS or min(source, target) not in (32, 64, 128, 256):
        return [plain]
    _, prefix = REGISTERS[wide]
    if bits < to:
        has = {128: "__SSE4_1__", 256: "__AVX2__", 512: "__AVX512BW__"}[wide]
        letters = "epi" if sign == "i" else "epu"
        function = f"{prefix}_cvt{letters}{bits}_epi{to}"
    else:
        # (Narrower lanes are instructions only there.)
        has = "__AVX512BW__" if wide == 512 else "__AVX512BW__) && defined(__AVX512VL__"
        function = f"{prefix}_cvtepi{bits}_epi{to}"
    given = as_register("x", source)
    result = as_vector(f"{function}({given})", vector_type("i", to, lanes), target)
    return [f"#if defined(__x86_64__) && defined({has})", f"    return {result};", "#else", plain, "#endif"]


def as_register(text: str, bits: int) -> str:
    """A vector of so many bits as what intrinsics take."""
    if bits == 32:
        return f"_mm_cvtsi32_si128((int32_t){text})"
    if bits == 64:
        return f"_mm_cvtsi64_si128((int64_t){text})"
    return f"({REGISTERS[bits][0]}){text}"


def as_vector(text: str, type_: str, bits: int) -> str:
    """Return an intrinsic's result as a vector of `bits` bits."""
    if bits == 32:
        return f"({type_})_mm_cvtsi128_si32({text})"
    if bits == 64:
        return f"({type_})_mm_cvtsi128_si64({text})"
    return f"({type_}){text}"


def _product(lanes: int) -> list[str]:
    type_, unsigned = vector_type("i", 64, lanes), vector_type("u", 64, lanes)
    plain = f"    return ({type_})(({unsigned})a * ({unsigned})b);"
    if 64 * lanes not in REGISTERS:
        return [plain]
    register, prefix = REGISTERS[64 * lanes]
    has = {2: "__SSE4_1__", 4: "__AVX2__", 8: "__AVX512F__"}[lanes]
    result = f"({type_}){prefix}_mul_epi32(({register})a, ({register})b)"
    return [f"#if defined(__x86_64__) && defined({has})", f"    return {result};", "#else", plain, "#endif"]


def _high(lanes: int) -> list[str]:
    """Emit a function that returns the upper halves of the products.

    It multiplies the even lanes and the odd lanes separately.
    """
    type_ = vector_type("i", 32, lanes)
    plain = [
        f"    int32_t high[{lanes}];",
        f"    for (int lane = 0; lane < {lanes}; ++lane) {{",
        "        high[lane] = (int32_t)((uint64_t)((int64_t)a[lane] * b[lane]) >> 32);",
        "    }",
        f"    return *(const {type_}u *)high;",
    ]
    if 32 * lanes not in REGISTERS:
        return plain
    register, prefix = REGISTERS[32 * lanes]
    has = {4: "__SSE4_1__", 8: "__AVX2__", 16: "__AVX512F__"}[lanes]
    shift = f"{prefix}_srli_epi64"
    blend = {
        4: "_mm_blend_epi16(even, odd, 0xcc)",
        8: "_mm256_blend_epi32(even, odd, 0xaa)",
        16: "_mm512_mask_mov_epi32(even, 0xaaaa, odd)",
    }[lanes]
    return [
        f"#if defined(__x86_64__) && defined({has})",
        f"    const {register} even = {shift}({prefix}_mul_epi32(({register})a, ({register})b), 32);",
        f"    const {register} odd = {prefix}_mul_epi32({shift}(({register})a, 32), {shift}(({register})b, 32));",
        f"    return ({type_}){blend};",
        "#else",
        *plain,
        "#endif",
    ]
