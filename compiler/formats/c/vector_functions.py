"""GNU C vector types, and functions on integer vectors and quads.

Macros steer the compilers' vectorization.

Functions on integer vectors use instructions that gcc 12 generates for no expression, and equivalent expressions elsewhere.

| word | is |
|---|---|
| `loomir_to_i32x8_i8(x)` | lanes of `i8` (or `u8`: without a sign) as lanes of `i32`; with fewer bits what fits in them |
| `loomir_mul_i64x8(a, b)` | the product of lanes that are integers of 32 bits |
| `loomir_mulh_i32x8(a, b)` | the upper half of the product |

For `__builtin_convertvector` gcc 12 generates several instructions, each of which handles a part of the lanes, and for
a 64-bit product one that takes three times as long as the 32-bit one. Source of the instructions: Intel Intrinsics
Guide.

Functions that add up products of quads use instructions where the processor has them, and equivalent C elsewhere.

| for | are two, or one, instructions |
|---|---|
| `int32_t`, Armv7E-M | `smlad` of what `sxtb16` and `sxtab16` take apart, bytes 0 and 2, and 1 and 3 |
| vectors, x86-64 | `pmaddwd` and an addition, of words that are bytes 0 and 2, and 1 and 3; `vpdpwssd` does both |
| the same, of bytes from 0 on | `vpdpbusd`: `x − (−128)` of a signed byte is one, with its highest bit the other way |

Source: Arm C Language Extensions (ACLE), "SIMD32"; Intel Intrinsics Guide.
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
    """Return the name of the type of vectors of these integers."""
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


_QUAD_WORD = re.compile(r"loomir_(dot|dotu)_i32x([0-9]+)")

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
    found = sorted({(m[1], int(m[2])) for w in words if (m := _QUAD_WORD.fullmatch(w)) is not None})
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
    lanes = {int(m[2]) for w in words if (m := _QUAD_WORD.fullmatch(w)) is not None}
    found = {vector_type(sign, 32, each) for each in lanes for sign in "iu"}
    return found | {vector_type("i", 32, each) + "u" for each in lanes}


_VECTOR_WORD = re.compile(r"loomir_([a-z]+[0-9]+)x([0-9]+)([ub]?)")
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
    found = _VECTOR_WORD.fullmatch(type_)
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
    found = sorted({m.groups() for w in words if (m := _VECTOR_WORD.fullmatch(w)) is not None})
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
