"""Passes that miscompile, each in a way of its own, and a program for them to spoil."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.elementwise_binary import SubtractOp

PROGRAM = """
func.func @main(%x: tensor<2x3xf32> {loomir.name = "x"}, %w: tensor<3xf32> {loomir.name = "w"},
                %n: tensor<i64> {loomir.name = "n"}, %c: tensor<i1> {loomir.name = "c"})
    -> (tensor<2x3xf32> {loomir.name = "y"}, tensor<2x3xf32> {loomir.name = "z"}, tensor<?x2x3xf32> {loomir.name = "all"},
        tensor<i64> {loomir.name = "k"}) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %half = ov.constant dense<5.0e-01> : tensor<f32> : tensor<f32>
  %trips = ov.minimum %n, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %some = ov.maximum %trips, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %a = ov.multiply %x, %w : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %b = ov.tanh %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y, %z, %k, %all = ov.loop trip(%some) carried(%x, %b, %zero) {concats = [#ov.slice<axis = 0>]}
      : (tensor<i64>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<i64>)
      -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i64>, tensor<?x2x3xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2x3xf32>, %q: tensor<2x3xf32>, %s: tensor<i64>):
    %d = ov.subtract %p, %q : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %odd = ov.equal %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %both = ov.logical_and %odd, %c : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %e = ov.if %both -> (tensor<2x3xf32>) {
      %t = ov.add %d, %w : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      %u = ov.sigmoid %t : (tensor<2x3xf32>) -> tensor<2x3xf32>
      ov.yield %u : tensor<2x3xf32>
    } else {
      %v = ov.loop trip(%some) carried(%d) : (tensor<i64>, tensor<2x3xf32>) -> (tensor<2x3xf32>) {
      ^bb0(%j: tensor<i64>, %r: tensor<2x3xf32>):
        %f = ov.multiply %r, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
        %g = ov.add %f, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        ov.next carried(%g : tensor<2x3xf32>)
      }
      ov.yield %v : tensor<2x3xf32>
    }
    %m = ov.add %s, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %row = ov.unsqueeze %e, %axes : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1x2x3xf32>
    ov.next carried(%q, %e, %m : tensor<2x3xf32>, tensor<2x3xf32>, tensor<i64>) concat(%row : tensor<1x2x3xf32>)
  }
  %h = ov.sqrt %half : (tensor<f32>) -> tensor<f32>
  %out = ov.multiply %y, %h : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %out, %z, %all, %k : tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x2x3xf32>, tensor<i64>
}
"""
"""Two loops, one in an arm of a branch, with captures, a swap, a count and a concatenation."""


def planted_program() -> ModuleOp:
    """`PROGRAM`, parsed."""
    return parse_module(PROGRAM)


def planted_feed(trips: int = 3) -> dict[str, np.ndarray]:
    """Inputs with which it goes through both arms."""
    random = np.random.default_rng(0)
    return {
        "x": random.standard_normal((2, 3)).astype(np.float32),
        "w": random.standard_normal(3).astype(np.float32),
        "n": np.array(trips, np.int64),
        "c": np.array(True),
    }


@dataclass(frozen=True)
class SwapSubtractPass(ModulePass):
    """a - b becomes b - a, in GRAPH and below."""

    name = "swap-subtract"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if isinstance(inner, SubtractOp | arith.SubfOp):
                inner.operands = tuple(inner.operands)[::-1]


@dataclass(frozen=True)
class DropCapturePass(ModulePass):
    """A loop's body sees a zero in the place of a float from outside."""

    name = "drop-capture"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [o for o in op.walk() if isinstance(o, LoopOp)]:
            inside = set(loop.body.walk())
            for user in inside:
                for k, value in enumerate(user.operands):
                    outside = isinstance(value.owner, Operation) and value.owner not in inside
                    if outside and str(value.type) == "tensor<2x3xf32>":
                        zero = ConstantOp.of(np.zeros((2, 3), np.float32))
                        assert user.parent is not None
                        user.parent.insert_op_before(zero, user)
                        user.operands[k] = zero.output


@dataclass(frozen=True)
class InitialForFinalPass(ModulePass):
    """Planted mistake: a loop's first carried result is its initial value."""

    name = "initial-for-final"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in op.walk():
            if isinstance(loop, LoopOp) and loop.carried:
                loop.final[0].replace_all_uses_with(loop.carried[0])
            if isinstance(loop, scf.ForOp) and loop.iter_args:
                loop.res[0].replace_all_uses_with(loop.iter_args[0])


@dataclass(frozen=True)
class SwapArmsPass(ModulePass):
    """The arms of each branch with results change places."""

    name = "swap-arms"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for branch in op.walk():
            if isinstance(branch, IfOp | scf.IfOp) and branch.results:
                first, second = list(branch.regions)
                for region in (first, second):
                    branch.detach_region(region)
                for region in (second, first):
                    branch.add_region(region)


@dataclass(frozen=True)
class OneTripLessPass(ModulePass):
    """Every `scf.for` ends one iteration early."""

    name = "one-trip-less"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [o for o in op.walk() if isinstance(o, scf.ForOp)]:
            less = arith.SubiOp(loop.ub, loop.step)
            assert loop.parent is not None
            loop.parent.insert_op_before(less, loop)
            loop.operands[1] = less.result


@dataclass(frozen=True)
class FailPass(ModulePass):
    """A program with a branch below GRAPH fails when it runs."""

    name = "fail-on-branch"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for branch in [o for o in op.walk() if isinstance(o, scf.IfOp)]:
            false = arith.ConstantOp.from_int_and_width(0, 1)
            assert branch.parent is not None
            branch.parent.insert_ops_before(
                [false, cf.AssertOp(false.result, StringAttr("index: planted"))], branch
            )


@dataclass(frozen=True)
class CrashPass(ModulePass):
    """Cannot deal with a loop inside of a branch."""

    name = "crash-on-nesting"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in op.walk():
            if isinstance(loop, LoopOp) and isinstance(loop.parent_op(), IfOp):
                _give_up(loop)


def _give_up(loop: LoopOp) -> None:
    raise KeyError(f"a loop with {len(loop.carried)} carried values")


@dataclass(frozen=True)
class UseBeforeDefinitionPass(ModulePass):
    """Moves a subtraction to the end of its block."""

    name = "use-before-definition"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [o for o in op.walk() if isinstance(o, SubtractOp)]:
            block = inner.parent
            assert block is not None
            end = block.last_op
            assert end is not None
            inner.detach()
            block.insert_op_before(inner, end)


@dataclass(frozen=True)
class ScalePass(ModulePass):
    """Results of subtractions in f32 by a little too large: by how much is the option."""

    name = "scale"

    by: float = 1e-3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp

        for inner in [o for o in op.walk() if isinstance(o, SubtractOp)]:
            factor = ConstantOp.of(np.float32(1 + self.by).reshape(()))
            assert inner.parent is not None
            inner.parent.insert_op_after(factor, inner)
            scaled = MultiplyOp.make(inner.results[0], factor.output)
            inner.parent.insert_op_after(scaled, factor)
            inner.results[0].replace_uses_with_if(
                scaled.results[0], lambda use, new=scaled: use.operation is not new
            )
