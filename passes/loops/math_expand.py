"""`math-expand`: exponentials, logarithms, hyperbolic tangents and error functions as arithmetic.

Arithmetic can be vectorized; a call cannot.

```mlir
%y = math.tanh %x : vector<8xf32>
```
becomes
```mlir
%z = arith.mulf %c, %c : vector<8xf32>      // c: x limited to ±9.02, where tanh rounds to ±1
%y = …                                      // c · P(z) / Q(z), limited to ±1
```

| operation | largest error in units in the last place | and with fused multiplication and addition |
|---|---:|---:|
| `math.exp` | 0.99 | 1.02 |
| `math.log` | 0.93 | 0.88 |
| `math.tanh` | 6.05 | 5.44 |
| `math.erf` | 2.38 | 2.16 |

`make ulp` measures these errors (docs/testing.md). Subnormal results, infinities, zeros with their sign and NaN are as
they should be. For a `machine` without vectors, only `math.tanh` is expanded: unlike the others, it takes a fraction of
the library's time there, too. The pass runs after `lower-linalg-to-loops`, which chooses tiles for bodies as short as
those of the program and creates the vectors, and before `math-form-fma`, which makes polynomials faster.

All coefficients were fitted for this pass: least squares at Chebyshev nodes, with weights raised where the relative
error of the function is large until it is the same at all extremes (Lawson), from values of 100 bits. Then the
coefficients are rounded to f32 one after the other, the most significant first, and the remaining ones are fitted anew.

*Exponential function*, as `2ⁿ · eʳ`:

n = round(x / ln 2) and r = x − n · ln 2, which is at most ln 2 / 2.

- `n` results from an addition of 1.5 · 2²³, from where floats are integers: the sum's last bits are n, and the sum minus that
  number is n as a float.
- ln 2 is subtracted in two parts, of which the first has 16 bits: its product with n is exact, and so is the first difference.
- eʳ = 1 + r + r² · P(r) with P of degree 4, whose fitting error is 3.4e-9 of eʳ.
- 2ⁿ is no f32 for all n that a result needs, but 2^(n div 2) and 2^(n − n div 2) are, and are created from bits. The second
  product rounds where the result is subnormal, and overflows where the result does.

From 89 on, every result is infinite; below −104, every result is 0; x is limited to the range between.

*Logarithm*, as `e · ln 2 + log(1 + f)`:

x = 2ᵉ · (1 + f), with 1 + f from √½ to √2.

- Subnormal numbers are multiplied by 2²³ first.
- e and f result from the bits: after subtraction of the bits of √½, the exponent is e.
- log(1 + f) = f − f² / 2 + f³ · P(f) with P of degree 7, whose fitting error is 5.9e-9 of it.
- ln 2 has two parts, of which the first has 16 bits: its product with e is exact; the second is added to the small terms.

Infinity and NaN are unchanged, zeros yield −∞, and negative numbers yield NaN.

*Hyperbolic tangent*, as `x · P(x²) / Q(x²)`:

x is limited to ±9.02, where the tangent rounds to ±1.

`P` and `Q` have degree 4: they form the rational function with P(0) = Q(0) = 1 whose largest relative error on [0,
9.02] is least, 2.2e-8. The quotient may round to a number larger than 1, and is limited, too. Computed from an
exponential, the largest error would be 1.3 units in the last place instead of 6, and the time up to twice as long.

*Error function*, from a polynomial and from a power of a polynomial:

- `|x| < 1`: x + x · P(x²) with P of degree 6, whose fitting error is 1.4e-9.
- From 1 on: ±(1 − q⁸) with q = (1 − erf |x|)^⅛ as a polynomial of degree 7. The root falls slowly, so that a polynomial fits
  it on all of [1, 3.95] (with an error of 3.8e-9 of erf); the power is three products, and its rounding counts the less the
  nearer erf is to 1. Beyond 3.95, to which |x| is limited, erf rounds to 1.

Neither an exponential nor a division is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan

from xdsl.context import Context
from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import ModuleOp, VectorType, f32, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from loomir.dialects.scalars.row import number_attr
from loomir.dialects.upstream.construction import binary
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.vector_conditions import compare_floats, select
from loomir.dialects.vectors import lane_type
from loomir.passes.analysis.machines import machine_of


class HoistedConstants:
    """Constants at the top of a function.

    Each constant is created once, and once for each vector type.
    """

    def __init__(self, function: FuncOp) -> None:
        self._block = function.body.block
        self._made: dict[tuple[str, Attribute], SSAValue] = {}

    def of(self, number: float, type_: Attribute) -> SSAValue:
        """Return a number as a scalar or in all vector lanes."""
        # (By its text: of numbers -0 would be 0, and NaN not itself.)
        key = repr(number), type_
        if key not in self._made:
            if isinstance(type_, VectorType):
                scalar = self.of(number, type_.element_type)
                broadcast = vector.BroadcastOp(scalar, type_)
                assert isinstance(scalar.owner, Operation)
                broadcast.location = scalar.owner.location
                self._block.insert_op_after(broadcast, scalar.owner)
                self._made[key] = broadcast.results[0]
            else:
                first = self._block.first_op
                assert first is not None
                constant = arith.ConstantOp(number_attr(number, type_))
                constant.location = first.location
                self._block.insert_op_before(constant, first)
                self._made[key] = constant.result
        return self._made[key]


class Arithmetic:
    """Emitter of operations of a call's type, in front of the call.

    Numbers among the operands become constants.
    """

    def __init__(self, call: Operation, constants: HoistedConstants, rewriter: PatternRewriter) -> None:
        self._call, self._constants, self._rewriter = call, constants, rewriter
        self._floats = call.results[0].type
        self._integers = (
            VectorType(i32, self._floats.get_shape()) if isinstance(self._floats, VectorType) else i32
        )

    def _insert(self, op: Operation) -> SSAValue:
        op.location = self._call.location
        return self._rewriter.insert(op).results[0]

    def _float(self, x: SSAValue | float) -> SSAValue:
        return x if isinstance(x, SSAValue) else self._constants.of(x, self._floats)

    def _integer(self, x: SSAValue | int) -> SSAValue:
        return x if isinstance(x, SSAValue) else self._constants.of(x, self._integers)

    # ----- floats

    def add(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._insert(binary(arith.AddfOp, self._float(a), self._float(b)))

    def subtract(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._insert(binary(arith.SubfOp, self._float(a), self._float(b)))

    def multiply(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._insert(binary(arith.MulfOp, self._float(a), self._float(b)))

    def divide(self, a: SSAValue | float, b: SSAValue | float) -> SSAValue:
        return self._insert(binary(arith.DivfOp, self._float(a), self._float(b)))

    def multiply_add(self, a: SSAValue | float, b: SSAValue | float, c: SSAValue | float) -> SSAValue:
        """a · b + c, which `math-form-fma` makes one operation of."""
        return self.add(self.multiply(a, b), c)

    def magnitude(self, x: SSAValue) -> SSAValue:
        return self._insert(math.AbsFOp(x))

    def with_sign(self, x: SSAValue, of: SSAValue) -> SSAValue:
        return self._insert(math.CopySignOp(x, of))

    def polynomial(self, coefficients: Sequence[float], x: SSAValue) -> SSAValue:
        """By Horner's rule; the coefficients of 1, x, x² …"""
        value = self._float(coefficients[-1])
        for coefficient in coefficients[-2::-1]:
            value = self.multiply_add(value, x, coefficient)
        return value

    # ----- choices

    def select(
        self, x: SSAValue, relation: str, bound: float, then: SSAValue | float, otherwise: SSAValue | float
    ) -> SSAValue:
        """`then` where the comparison of `x` with a number holds."""
        condition = self._insert(compare_floats(x, self._float(bound), relation))
        return self._insert(select(condition, self._float(then), self._float(otherwise)))

    def at_least(self, x: SSAValue, limit: float) -> SSAValue:
        """NaN is not below, and stays."""
        return self.select(x, "olt", limit, limit, x)

    def at_most(self, x: SSAValue, limit: float) -> SSAValue:
        """NaN is not above, and stays."""
        return self.select(x, "ogt", limit, limit, x)

    # ----- integers

    def bits(self, x: SSAValue) -> SSAValue:
        """A float's, as an integer."""
        return self._insert(arith.BitcastOp(x, self._integers))

    def float_of_bits(self, x: SSAValue) -> SSAValue:
        return self._insert(arith.BitcastOp(x, self._floats))

    def float_of(self, x: SSAValue) -> SSAValue:
        """The float that an integer is."""
        return self._insert(arith.SIToFPOp.create(operands=[x], result_types=[self._floats]))

    def subtract_integers(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        return self._insert(binary(arith.SubiOp, self._integer(a), self._integer(b)))

    def shift_left(self, x: SSAValue, by: int) -> SSAValue:
        return self._insert(binary(arith.ShLIOp, x, self._integer(by)))

    def shift_right(self, x: SSAValue, by: int) -> SSAValue:
        """The sign stays."""
        return self._insert(binary(arith.ShRSIOp, x, self._integer(by)))


EXP_LEAST, EXP_MOST = -104.0, 89.0
LOG2_E = 1.44269504089
LN2 = (0.693145751953125, 1.428606820309417e-06)
"""The first 16 bits, and what is left."""
EXP_COEFFICIENTS = (
    0.4999999403953552,
    0.16666516661643982,
    0.041668280959129333,
    0.008369248360395432,
    0.0013820742024108768,
)

_EXPONENT = 23
"""Where the exponent of an f32 begins."""
_BIAS = 127
_INTEGERS = 1.5 * 2**23 + 2 * _BIAS
"""Addend that yields the integer and twice the exponent bias.

Twice the bias is among the bits that are halved, so that each half has the bias.
"""


def exponential(to: Arithmetic, x: SSAValue) -> SSAValue:
    """e to the power of x."""
    x = to.at_most(to.at_least(x, EXP_LEAST), EXP_MOST)
    sum_ = to.multiply_add(x, LOG2_E, _INTEGERS)
    n = to.subtract(sum_, _INTEGERS)
    r = x
    for part in LN2:
        r = to.multiply_add(n, -part, r)
    power = to.multiply_add(to.multiply(r, r), to.polynomial(EXP_COEFFICIENTS, r), r)
    bits = to.bits(sum_)
    half = to.shift_right(bits, 1)
    first, second = (
        to.float_of_bits(to.shift_left(exponent, _EXPONENT))
        for exponent in (half, to.subtract_integers(bits, half))
    )
    # (1 + power) · first: a power of two changes no digit.
    return to.multiply(to.multiply_add(power, first, first), second)


LOG_COEFFICIENTS = (
    0.3333333134651184,
    -0.250008225440979,
    0.20001250505447388,
    -0.1662331521511078,
    0.14201273024082184,
    -0.13160189986228943,
    0.12764766812324524,
    -0.07638195157051086,
)

_LEAST_NORMAL = 2.0**-126
_ROOT_OF_HALF = 0x3F3504F3
"""Its bits."""


def logarithm(to: Arithmetic, x: SSAValue) -> SSAValue:
    """The natural one."""
    raised = to.select(x, "olt", _LEAST_NORMAL, to.multiply(x, 2.0**_EXPONENT), x)
    offset = to.select(x, "olt", _LEAST_NORMAL, -float(_EXPONENT), 0.0)
    bits = to.bits(raised)
    exponent = to.shift_right(to.subtract_integers(bits, _ROOT_OF_HALF), _EXPONENT)
    f = to.subtract(to.float_of_bits(to.subtract_integers(bits, to.shift_left(exponent, _EXPONENT))), 1.0)
    e = to.add(to.float_of(exponent), offset)
    second = to.multiply_add(to.polynomial(LOG_COEFFICIENTS, f), f, -0.5)
    small = to.add(to.multiply(e, LN2[1]), to.multiply(to.multiply(f, f), second))
    value = to.multiply_add(e, LN2[0], to.add(f, small))
    value = to.select(x, "olt", inf, value, x)
    value = to.select(x, "oge", 0.0, value, nan)
    return to.select(x, "oeq", 0.0, -inf, value)


TANH_LIMIT = 9.02
TANH_NUMERATOR = (1.0, 0.1338268501, 0.003497454991, 2.063577852e-05, 1.338423179e-08)
TANH_DENOMINATOR = (1.0, 0.4671600626, 0.02588435073, 0.0003288512961, 7.790224559e-07)
"""Coefficients of 1, x², x⁴ …"""


def hyperbolic_tangent(to: Arithmetic, x: SSAValue) -> SSAValue:
    """tanh x."""
    x = _limited(to, x, TANH_LIMIT)
    square = to.multiply(x, x)
    above = to.multiply(x, to.polynomial(TANH_NUMERATOR, square))
    return _limited(to, to.divide(above, to.polynomial(TANH_DENOMINATOR, square)), 1.0)


def _limited(to: Arithmetic, x: SSAValue, limit: float) -> SSAValue:
    return to.at_most(to.at_least(x, -limit), limit)


ERF_BORDER, ERF_LIMIT = 1.0, 3.95
ERF_NEAR = (
    0.12837916612625122,
    -0.3761262595653534,
    0.11283578723669052,
    -0.026853347197175026,
    0.005187162198126316,
    -0.0007997853099368513,
    7.806903158780187e-05,
)
ERF_FAR = (
    1.0003554821014404,
    -0.14285793900489807,
    -0.06568089127540588,
    -0.006900915876030922,
    0.010164478793740273,
    -0.0014692606637254357,
    -4.6977314923424274e-05,
    1.6211584807024337e-05,
)


def error_function(to: Arithmetic, x: SSAValue) -> SSAValue:
    """erf x."""
    near = to.multiply_add(to.polynomial(ERF_NEAR, to.multiply(x, x)), x, x)
    magnitude = to.magnitude(x)
    power = to.polynomial(ERF_FAR, to.at_most(magnitude, ERF_LIMIT))
    for _ in range(3):
        power = to.multiply(power, power)
    far = to.with_sign(to.subtract(1.0, power), x)
    return to.select(magnitude, "olt", ERF_BORDER, near, far)


_Expansion = Callable[[Arithmetic, SSAValue], SSAValue]

_ANYWHERE: Mapping[type[Operation], _Expansion] = {math.TanhOp: hyperbolic_tangent}
_ON_VECTORS: Mapping[type[Operation], _Expansion] = {
    **_ANYWHERE,
    math.ErfOp: error_function,
    math.ExpOp: exponential,
    math.LogOp: logarithm,
}


@dataclass
class ExpandFunction(RewritePattern):
    """Expands a function of f32 into arithmetic.

    See the module's docstring.
    """

    expansions: Mapping[type[Operation], _Expansion]
    constants: HoistedConstants

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        expansion = self.expansions.get(type(op))
        if expansion is not None and lane_type(op.results[0].type) == f32:
            value = expansion(Arithmetic(op, self.constants, rewriter), op.operands[0])
            rewriter.replace(op, [], [value])


@dataclass(frozen=True)
class MathExpandPass(ModulePass):
    """Expands f32 functions into arithmetic for a `machine`.

    It covers functions of scalars and of vectors; f64 stays a call. See the package's docstring.
    """

    name = "math-expand"
    EXACT = False

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # (On scalars, too, where there are vectors: what is left of a row has to be what its other elements are.)
        expansions = _ON_VECTORS if machine_of(self.machine).lanes > 1 else _ANYWHERE
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                pattern = ExpandFunction(expansions, HoistedConstants(function))
                rewrite(function.body, pattern, once=True)
