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

| operation | file | largest error in units in the last place | and with fused multiplication and addition |
|---|---|---:|---:|
| `math.exp` | `exponential.py` | 0.99 | 1.02 |
| `math.log` | `logarithm.py` | 0.93 | 0.88 |
| `math.tanh` | `tangent.py` | 6.05 | 5.44 |
| `math.erf` | `error_function.py` | 2.38 | 2.16 |

`make ulp` measures these errors (docs/testing.md). Subnormal results, infinities, zeros with their sign and NaN are as
they should be. For a `machine` without vectors, only `math.tanh` is expanded: unlike the others, it takes a fraction of
the library's time there, too. The pass runs after `lower-linalg-to-loops`, which chooses tiles for bodies as short as
those of the program and creates the vectors, and before `math-form-fma`, which makes polynomials faster.

All coefficients were fitted for this pass: least squares at Chebyshev nodes, with weights raised where the relative
error of the function is large until it is the same at all extremes (Lawson), from values of 100 bits. Then the
coefficients are rounded to f32 one after the other, the most significant first, and the remaining ones are fitted anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import math
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from loomir.dialects.vectors import lane_type
from loomir.dialects.walking import walk
from loomir.passes.analysis.machines import machine_of
from loomir.passes.loops.math_expand.arithmetic import Arithmetic, Constants
from loomir.passes.loops.math_expand.error_function import error_function
from loomir.passes.loops.math_expand.exponential import exponential
from loomir.passes.loops.math_expand.logarithm import logarithm
from loomir.passes.loops.math_expand.tangent import hyperbolic_tangent

_Expansion = Callable[[Arithmetic, SSAValue], SSAValue]

_ANYWHERE: Mapping[type[Operation], _Expansion] = {math.TanhOp: hyperbolic_tangent}
_ON_VECTORS: Mapping[type[Operation], _Expansion] = {
    **_ANYWHERE,
    math.ErfOp: error_function,
    math.ExpOp: exponential,
    math.LogOp: logarithm,
}


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
                constants = Constants(function)
                for inner in list(walk(function)):
                    expansion = expansions.get(type(inner))
                    if expansion is not None and lane_type(inner.results[0].type) == f32:
                        value = expansion(Arithmetic(inner, constants), inner.operands[0])
                        Rewriter.replace_op(inner, [], [value])
