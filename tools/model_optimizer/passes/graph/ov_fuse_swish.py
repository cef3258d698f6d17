"""`ov-fuse-swish`: a value times the logistic function of it is one operation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from loomir.dialects.diagnostics import PatternRemarks, Remarks
from loomir.dialects.element_types import any_tensor_of, dtype_of, is_float, scalar_array, set_type
from loomir.dialects.ov.attributes import to_str
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import RewriteBuilder
from loomir.dialects.ov.operators.activation import SwishOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, BinaryOp, DivideOp, MultiplyOp, PowerOp
from loomir.dialects.ov.operators.elementwise_unary import ExpOp, NegativeOp, SigmoidOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer

MAX_FACTORS = 4
"""Maximum number of signs and constant factors that are looked through.

They stand between a value and an exponential of it.
"""


@dataclass(frozen=True)
class OvFuseSwishPass(ModulePass):
    """Compute `x / (1 + e^(−β·x))`, in any of its forms, by `ov.swish`.

    ```mlir
    %s = ov.multiply %x, %beta : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>            // before: β is 1.5
    %n = ov.negative %s : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %e = ov.exp %n : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %d = ov.add %e, %one : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %y = ov.divide %x, %d : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>

    %b = ov.constant dense<1.5> : tensor<f32> : tensor<f32>                                   // after
    %y = ov.swish %x, %b : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    ```

    The forms are `x / d`, `x · (1 / d)`, `x · d^(−1)` with `d = 1 + e^(−β·x)`, and `x · sigmoid(β·x)`; factors and terms in any order,
    β a constant of one element, left out, or with its sign in any place. It is left where a value in between has other uses, for then
    that has to be computed all the same, and where it is computed outside of the loop or branch, for then it would be computed more
    often.
    """

    name = "ov-fuse-swish"
    EXACT = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fusion = _Fusion(analyses_of(ctx).get(infer, op), Remarks(self.name))
        with PatternRemarks().recording(op, self.name):
            # A swish makes no other one of what uses it: each operation is looked at once.
            rewrite(
                op, GreedyRewritePatternApplier([SwishOfQuotient(fusion), SwishOfProduct(fusion)]), once=True
            )


@dataclass(frozen=True)
class _Scaled:
    """Function of `factor` times another value, with the operations that compute it."""

    factor: float
    between: tuple[Operation, ...] = ()

    def behind(self, op: Operation, sign: float = 1.0) -> _Scaled:
        """The same for the result of an operation on the value."""
        return _Scaled(self.factor * sign, (op, *self.between))


@dataclass(frozen=True)
class _Fusion:
    inference: Inference
    remarks: Remarks

    def apply(self, op: BinaryOp, x: SSAValue, found: _Scaled, rewriter: PatternRewriter) -> None:
        """Replace an operation by a swish of x, where that saves something."""
        element = any_tensor_of(x).element_type
        if not is_float(element):
            return
        with np.errstate(over="ignore"):
            beta = scalar_array(found.factor, dtype_of(element))
        if not np.isfinite(beta.astype(np.float64)):
            self.remarks.missed(op, f"{found.factor} is not a finite {element}")
            return
        for inner in found.between:
            if not inner.results[0].has_one_use():
                self.remarks.missed(op, f"{inner.name} has other uses: nothing would be saved")
                return
            if inner.parent is not op.parent:
                self.remarks.missed(op, f"{inner.name} is computed outside of the body")
                return
        build = RewriteBuilder.before(op, rewriter)
        result = build.make(SwishOp, x, None if beta == 1 else build.constant(beta))
        set_type(result, op.output.type)
        rewriter.replace(op, [], [result])
        for inner in found.between:
            rewriter.erase(inner)

    def logistic(self, value: SSAValue, x: SSAValue) -> _Scaled | None:
        """β where a value is `1 / (1 + e^(−β·x))`."""
        op = value.owner
        if isinstance(op, SigmoidOp):
            found = self.scaled(op.data, x)
        elif isinstance(op, DivideOp) and self.is_number(op.a, x, 1.0) and _is_plain(op):
            found = self.denominator(op.b, x)
        elif isinstance(op, PowerOp) and self.is_number(op.b, x, -1.0) and _is_plain(op):
            found = self.denominator(op.a, x)
        else:
            return None
        return None if found is None else found.behind(op)

    def denominator(self, value: SSAValue, x: SSAValue) -> _Scaled | None:
        """β where a value is `1 + e^(−β·x)`."""
        op = value.owner
        if not isinstance(op, AddOp) or not _is_plain(op):
            return None
        for one, power in ((op.a, op.b), (op.b, op.a)):
            if isinstance(exp := power.owner, ExpOp) and self.is_number(one, x, 1.0):
                found = self.scaled(exp.data, x)
                return None if found is None else found.behind(exp, -1.0).behind(op)
        return None

    def scaled(self, value: SSAValue, x: SSAValue) -> _Scaled | None:
        """c where a value is `c · x`."""
        factor, between = 1.0, list[Operation]()
        while value is not x:
            op = value.owner
            if len(between) == MAX_FACTORS:
                return None
            if isinstance(op, NegativeOp):
                factor, value = -factor, op.data
            elif isinstance(op, MultiplyOp) and _is_plain(op):
                number, value = self.number(op.b, x), op.a
                if number is None:
                    number, value = self.number(op.a, x), op.b
                if number is None:
                    return None
                factor *= number
            else:
                return None
            between.append(op)
        return _Scaled(factor, tuple(between))

    def number(self, value: SSAValue, x: SSAValue) -> float | None:
        """Return a constant's number if broadcasting it does not enlarge x."""
        array = constant_of(value)
        if array is None or array.size != 1 or not is_float(any_tensor_of(value).element_type):
            return None
        rank = self.inference.fact(x).rank
        enlarges = array.ndim > 0 and (rank is None or array.ndim > rank)
        return None if enlarges else float(array.reshape(-1)[0])

    def is_number(self, value: SSAValue, x: SSAValue, wanted: float) -> bool:
        return self.number(value, x) == wanted


def _is_plain(op: BinaryOp) -> bool:
    """Return True if operands are broadcast by numpy's rules."""
    return to_str(op.auto_broadcast) == "numpy"


@dataclass
class SwishOfQuotient(RewritePattern):
    """`x / (1 + e^(−β·x)) → swish(x, β)`."""

    fusion: _Fusion

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DivideOp, rewriter: PatternRewriter) -> None:
        found = self.fusion.denominator(op.b, op.a) if _is_plain(op) else None
        if found is not None:
            self.fusion.apply(op, op.a, found, rewriter)


@dataclass
class SwishOfProduct(RewritePattern):
    """`x · (1 / (1 + e^(−β·x))) → swish(x, β)`, `x · sigmoid(β·x) → swish(x, β)`."""

    fusion: _Fusion

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MultiplyOp, rewriter: PatternRewriter) -> None:
        for x, logistic in ((op.a, op.b), (op.b, op.a)) if _is_plain(op) else ():
            if (found := self.fusion.logistic(logistic, x)) is not None:
                self.fusion.apply(op, x, found, rewriter)
                return
