"""Runtime of small `static inline` functions, printed only where used.

The functions define every operation in every case, where C leaves some undefined or implementation-defined: integers wrap, a
division by zero is 0, a shift by the width or more shifts all bits out, a float that no integer can hold becomes the
nearest one (NaN: 0). Each is a template over the integer or float kind:

| in a template | is |
|---|---|
| `@P` | the prefix of the model |
| `@K`, `@T` | the kind (`i32`) and its C type (`int32_t`) |
| `@V` | the unsigned type that it computes in: at least 32 bits, or C would promote operands to `int` |
| `@U` | the unsigned type of just its width |
| `@MIN`, `@MAX`, `@UMAX` | limits |
| `@W` | the width in bits, as `int` |
| `@F`, `@f` | for conversions, the float type and the suffix of its functions |
| `@call(name)` | the function of that name for the same kind; a dependency |
"""

from __future__ import annotations

import re

from loomir.compiler.formats.c.expressions import bits, limits
from loomir.compiler.formats.c.vector_functions import QUADS

INTEGER = {
    "wrap": """
        /* The bits of x as a signed integer: what a conversion would leave to the implementation. */
        static inline @T @N(@V x)
        {
            const @U bits = (@U)x;
            @T result;
            memcpy(&result, &bits, sizeof result);
            return result;
        }""",
    "add": "static inline @T @N(@T a, @T b) { return @call(wrap)((@V)a + (@V)b); }",
    "sub": "static inline @T @N(@T a, @T b) { return @call(wrap)((@V)a - (@V)b); }",
    "mul": "static inline @T @N(@T a, @T b) { return @call(wrap)((@V)a * (@V)b); }",
    "div": """
        static inline @T @N(@T a, @T b)
        {
            if (b == 0) { return 0; }
            if (b == -1) { return @call(sub)(0, a); }
            return (@T)(a / b);
        }""",
    "rem": """
        static inline @T @N(@T a, @T b)
        {
            if (b == 0 || b == -1) { return 0; }
            return (@T)(a % b);
        }""",
    "divu": "static inline @T @N(@T a, @T b) { return b == 0 ? (@T)0 : @call(wrap)((@V)(@U)a / (@V)(@U)b); }",
    "remu": "static inline @T @N(@T a, @T b) { return b == 0 ? (@T)0 : @call(wrap)((@V)(@U)a % (@V)(@U)b); }",
    "floordiv": """
        static inline @T @N(@T a, @T b)
        {
            const @T quotient = @call(div)(a, b);
            if (@call(rem)(a, b) != 0 && (a < 0) != (b < 0)) { return (@T)(quotient - 1); }
            return quotient;
        }""",
    "ceildiv": """
        static inline @T @N(@T a, @T b)
        {
            const @T quotient = @call(div)(a, b);
            if (@call(rem)(a, b) != 0 && (a < 0) == (b < 0)) { return (@T)(quotient + 1); }
            return quotient;
        }""",
    "ceildivu": """
        static inline @T @N(@T a, @T b)
        {
            return @call(remu)(a, b) != 0 ? @call(wrap)((@V)@call(divu)(a, b) + 1u) : @call(divu)(a, b);
        }""",
    "shl": "static inline @T @N(@T a, @T n) { return (@U)n < @W ? @call(wrap)((@V)a << n) : (@T)0; }",
    "shru": "static inline @T @N(@T a, @T n) { return (@U)n < @W ? @call(wrap)((@V)(@U)a >> n) : (@T)0; }",
    "shrs": """
        /* A negative number has its complement shifted: C leaves its own shift to the implementation. */
        static inline @T @N(@T a, @T n)
        {
            const int by = (@U)n < @W ? (int)n : @W - 1;
            if (a < 0) { return (@T)~(~a >> by); }
            return (@T)(a >> by);
        }""",
    "min": "static inline @T @N(@T a, @T b) { return a < b ? a : b; }",
    "max": "static inline @T @N(@T a, @T b) { return a > b ? a : b; }",
    "minu": "static inline @T @N(@T a, @T b) { return (@U)a < (@U)b ? a : b; }",
    "maxu": "static inline @T @N(@T a, @T b) { return (@U)a > (@U)b ? a : b; }",
    "abs": "static inline @T @N(@T a) { return a < 0 ? @call(sub)(0, a) : a; }",
    "ctlz": """
        static inline @T @N(@T a)
        {
            @T count = 0;
            for (@U bit = (@U)((@U)1 << (@W - 1)); bit != 0 && ((@U)a & bit) == 0; bit = (@U)(bit >> 1)) {
                ++count;
            }
            return count;
        }""",
    "cttz": """
        static inline @T @N(@T a)
        {
            @T count = 0;
            for (@U bit = 1; bit != 0 && ((@U)a & bit) == 0; bit = (@U)(bit << 1)) {
                ++count;
            }
            return count;
        }""",
    "ctpop": """
        static inline @T @N(@T a)
        {
            @T count = 0;
            for (@U rest = (@U)a; rest != 0; rest = (@U)(rest & (@U)(rest - 1))) {
                ++count;
            }
            return count;
        }""",
    "ipow": """
        /* 0 for a negative exponent, but for the bases 1 and -1. */
        static inline @T @N(@T base, @T exponent)
        {
            @T result = 1;
            if (exponent < 0) {
                return (@T)(base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0);
            }
            for (; exponent > 0; exponent = (@T)(exponent / 2)) {
                if (exponent % 2 != 0) { result = @call(mul)(result, base); }
                base = @call(mul)(base, base);
            }
            return result;
        }""",
    "carry": """
        /* Whether the unsigned sum overflows. */
        static inline bool @N(@T a, @T b) { return (@V)(@U)a > @UMAX - (@V)(@U)b; }""",
    "mulhu": """
        /* The upper half of the unsigned product. */
        static inline @T @N(@T a, @T b)
        {
            const @U half = (@U)(((@U)1 << (@W / 2)) - 1);
            const @V a0 = (@U)a & half, a1 = (@U)a >> (@W / 2), b0 = (@U)b & half, b1 = (@U)b >> (@W / 2);
            const @V low = a0 * b0, middle = a1 * b0 + (low >> (@W / 2)), other = a0 * b1 + (middle & half);
            return @call(wrap)(a1 * b1 + (middle >> (@W / 2)) + (other >> (@W / 2)));
        }""",
    "mulhs": """
        /* The upper half of the signed product. */
        static inline @T @N(@T a, @T b)
        {
            return @call(wrap)((@V)@call(mulhu)(a, b) - (a < 0 ? (@V)b : 0) - (b < 0 ? (@V)a : 0));
        }""",
    "next": """
        /* The next value of a loop variable i < end, at most end: i + step may overflow. */
        static inline @T @N(@T i, @T end, @T step)
        {
            if ((@U)((@V)end - (@V)i) > (@U)step) { return (@T)(i + step); }
            return end;
        }""",
}

FLOAT = {
    # maximumf and minimumf: NaN if either is, and -0 < +0.
    "maximum": """
        static inline @T @N(@T a, @T b)
        {
            if (a > b) { return a; }
            if (a < b) { return b; }
            return a == b ? (signbit(a) ? b : a) : a + b;
        }""",
    "minimum": """
        static inline @T @N(@T a, @T b)
        {
            if (a < b) { return a; }
            if (a > b) { return b; }
            return a == b ? (signbit(a) ? a : b) : a + b;
        }""",
    # The same where the sign of a zero does not matter: a C compiler can make it one vector operation.
    "maximum_nsz": """
        static inline @T @N(@T a, @T b) { return a > b || a != a ? a : b; }""",
    "minimum_nsz": """
        static inline @T @N(@T a, @T b) { return a < b || a != a ? a : b; }""",
    "powi": """
        static inline @T @N(@T base, int64_t exponent)
        {
            const bool invert = exponent < 0;
            @T result = 1;
            for (; exponent != 0; exponent /= 2) {
                if (exponent % 2 != 0) { result *= base; }
                base *= base;
            }
            return invert ? 1 / result : result;
        }""",
}

FIXED = {
    "index_i64": """
        /* An index beyond what a pointer difference holds stays beyond every bound. */
        static inline ptrdiff_t @N(int64_t x)
        {
        #if PTRDIFF_MAX < INT64_MAX
            if (x > PTRDIFF_MAX) { return PTRDIFF_MAX; }
            if (x < PTRDIFF_MIN) { return PTRDIFF_MIN; }
        #endif
            return (ptrdiff_t)x;
        }""",
    "load_bf16": """
        static inline float @N(uint16_t x)
        {
            const uint32_t bits = (uint32_t)x << 16;
            float result;
            memcpy(&result, &bits, sizeof result);
            return result;
        }""",
    "store_bf16": """
        /* To nearest, ties to even. */
        static inline uint16_t @N(float x)
        {
            uint32_t bits;
            memcpy(&bits, &x, sizeof bits);
            if ((bits & 0x7fffffffu) > 0x7f800000u) { return (uint16_t)(bits >> 16 | 0x40u); }
            return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
        }""",
    "load_f16": """
        static inline float @N(uint16_t x)
        {
            const uint32_t sign = (uint32_t)(x & 0x8000u) << 16;
            const uint32_t exponent = x >> 10 & 0x1fu, mantissa = x & 0x3ffu;
            uint32_t bits;
            float result;
            if (exponent == 0u) {
                result = (float)mantissa * 5.9604645e-08f;
                return sign != 0u ? -result : result;
            }
            bits = sign | (exponent == 31u ? 0x7f800000u : (exponent + 112u) << 23) | mantissa << 13;
            memcpy(&result, &bits, sizeof result);
            return result;
        }""",
    "store_f16": """
        /* To nearest, ties to even. */
        static inline uint16_t @N(float x)
        {
            uint32_t bits, sign, rest, shift, half;
            memcpy(&bits, &x, sizeof bits);
            sign = bits >> 16 & 0x8000u;
            bits &= 0x7fffffffu;
            if (bits > 0x7f800000u) { return (uint16_t)(sign | 0x7e00u | (bits >> 13 & 0x3ffu)); }
            if (bits >= 0x477ff000u) { return (uint16_t)(sign | 0x7c00u); }
            if (bits < 0x33000000u) { return (uint16_t)sign; }
            if (bits < 0x38800000u) {
                shift = 126u - (bits >> 23);
                half = bits & 0x7fffffu;
                half |= 0x800000u;
            } else {
                shift = 13u;
                half = bits - 0x38000000u;
            }
            rest = half & ((1u << shift) - 1u);
            half >>= shift;
            if (rest > 1u << (shift - 1u) || (rest == 1u << (shift - 1u) && (half & 1u) != 0u)) { ++half; }
            return (uint16_t)(sign | half);
        }""",
    "round_f16": "static inline float @N(float x) { return @load_f16(@store_f16(x)); }",
    "round_bf16": "static inline float @N(float x) { return @load_bf16(@store_bf16(x)); }",
}

CONVERT = {
    # Float to signed and to unsigned integer: towards zero, saturating, NaN to 0.
    "to": """
        static inline @T @N(@F x)
        {
            if (x >= @HIGH) { return @MAX; }
            if (x > @LOW) { return (@T)x; }
            return isnan(x) ? (@T)0 : @MIN;
        }""",
    "tou": """
        static inline @T @N(@F x)
        {
            if (x >= @UHIGH) { return @call(wrap)(@UMAX); }
            return x > -1 ? @call(wrap)((@V)x) : (@T)0;
        }""",
    "bits_to": """
        static inline @T @N(@F x)
        {
            @T result;
            memcpy(&result, &x, sizeof result);
            return result;
        }""",
    "bits_of": """
        static inline @F @N(@T x)
        {
            @F result;
            memcpy(&result, &x, sizeof result);
            return result;
        }""",
}

INTEGER_32 = {
    "mulhs": """
        /* The upper half of the product. */
        static inline @T @N(@T a, @T b) { return @call(wrap)((@V)((uint64_t)((int64_t)a * b) >> @W)); }""",
}
"""Where there are integers of twice the width."""


_SIZE_LIMITS = {
    "@MIN": "PTRDIFF_MIN",
    "@MAX": "PTRDIFF_MAX",
    "@UMAX": "SIZE_MAX",
    "@W": "(int)(8 * sizeof(size_t))",
}


class Runtime:
    """Collects the functions that a program uses, each before its first user."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._texts: dict[str, str] = {}

    def integer(self, operation: str, kind: str) -> str:
        """Return the function of an integer operation.

        The operation is one such as `add`, the kind one such as `i32`.
        """
        template = INTEGER_32.get(operation, INTEGER[operation]) if kind == "i32" else INTEGER[operation]
        return self._need(template, operation, f"{operation}_{kind}", _integer_names(kind))

    def float(self, operation: str, kind: str) -> str:
        """Return the function of a float operation such as `maximum`.

        `kind` is f32 or f64.
        """
        return self._need(FLOAT[operation], operation, f"{operation}_{kind}", _float_names(kind))

    def convert(self, operation: str, source: str, target: str) -> str:
        """Return the function that converts between a float and an integer kind.

        `to`, `tou` and `bits_to` go from float to integer, `bits_of` from integer to float.
        """
        integer, real = (source, target) if operation == "bits_of" else (target, source)
        names = {**_integer_names(integer), "@F": _float_names(real)["@T"]}
        names |= _conversion_limits(integer, real)
        word = {"to": "to", "tou": "to_u", "bits_to": "bits_to", "bits_of": "bits_to"}[operation]
        join = "" if word.endswith("_u") else "_"
        return self._need(CONVERT[operation], operation, f"{source}_{word}{join}{target}", names)

    def fixed(self, name: str) -> str:
        """A function without a kind, such as `store_f16`."""
        return self._need({**FIXED, **QUADS}[name], name, name, {})

    def text(self, body: str) -> str:
        """Return the functions that `body` uses, directly or indirectly.

        They are in an order that C accepts. Functions that only discarded expressions requested are left out, because compilers
        warn of unused ones.
        """
        words = set(re.findall(r"\w+", body))
        used: list[str] = []
        for function, text in reversed(self._texts.items()):
            if function in words:
                used.append(text)
                words.update(re.findall(r"\w+", text))
        return "\n".join(reversed(used))

    def _need(self, template: str, operation: str, name: str, names: dict[str, str]) -> str:
        function = f"{self._prefix}_{name}"
        if function in self._texts:
            return function
        kind = names.get("@K", "")
        text = re.sub(r"@call\((\w+)\)", lambda m: self.integer(m[1], kind), template)
        text = re.sub(r"@((?:load|store)_\w+)", lambda m: self.fixed(m[1]), text)
        names = {**names, "@N": function, "@P": self._prefix}
        text = re.sub(r"@\w+", lambda m: names[m[0]], text)
        self._texts[function] = _dedent(text) + "\n"
        return function


def _dedent(text: str) -> str:
    lines = text.strip("\n").split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[margin:] if line[:margin].isspace() else line.lstrip() for line in lines)


def _integer_names(kind: str) -> dict[str, str]:
    if kind == "index":
        return {"@K": kind, "@T": "ptrdiff_t", "@U": "size_t", "@V": "size_t", **_SIZE_LIMITS}
    width = bits(kind)
    return {
        "@K": kind,
        "@T": f"int{width}_t",
        "@U": f"uint{width}_t",
        "@V": f"uint{max(width, 32)}_t",
        "@MIN": f"INT{width}_MIN",
        "@MAX": f"INT{width}_MAX",
        "@UMAX": f"UINT{width}_MAX",
        "@W": str(width),
    }


def _float_names(kind: str) -> dict[str, str]:
    return {"@K": kind, "@T": "double" if kind == "f64" else "float"}


def _conversion_limits(integer: str, real: str) -> dict[str, str]:
    """Return the bounds of a float-to-integer conversion as float literals.

    Conversion is exact strictly between `@LOW` and `@HIGH`, both of which are exact in the float type.
    """
    if integer == "index":
        raise AssertionError("MLIR has no conversion between float and index")
    low, high = limits(integer)
    suffix, digits = ("", 53) if real == "f64" else ("f", 24)
    # low - 1 where the float type holds it; else low itself, which gives the same result either way.
    bound = low - 1 if abs(low - 1).bit_length() <= digits else low
    return {
        "@HIGH": f"{float(high + 1)!r}{suffix}",
        "@LOW": f"{float(bound)!r}{suffix}",
        "@UHIGH": f"{float(2 * (high + 1))!r}{suffix}",
    }
