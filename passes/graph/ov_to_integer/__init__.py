"""`ov-to-integer`: computes quantised networks in integer arithmetic.

The network says how it is quantised:

```mlir
%x = ov.fake_quantize %a, %il, %ih, %ol, %oh {levels = 256 : i64} : (tensor<1x8x4x4xf32>, …) -> tensor<1x8x4x4xf32>
%f = ov.convert %w {destination_type = f32} : (tensor<16x8x1x1xi8>) -> tensor<16x8x1x1xf32>
%s = ov.multiply %f, %scale : (tensor<16x8x1x1xf32>, tensor<16x1x1x1xf32>) -> tensor<16x8x1x1xf32>
%c = ov.convolution %x, %s {…} : (tensor<1x8x4x4xf32>, tensor<16x8x1x1xf32>) -> tensor<1x16x4x4xf32>
%b = ov.add %c, %bias : (tensor<1x16x4x4xf32>, tensor<1x16x1x1xf32>) -> tensor<1x16x4x4xf32>
%y = ov.fake_quantize %b, … {levels = 256 : i64}
```

becomes

```mlir
%q = …                                                          : tensor<1x8x4x4xui8>     the level of each element of %a
%w32 = ov.convert %w {destination_type = i32}
%q32 = ov.convert %q {destination_type = i32}
%c = ov.convolution %q32, %w32 {…}                              : tensor<1x16x4x4xi32>
%b = ov.add %c, %bias32                                          : the bias, in steps of the sum
%m = ov.multiply %b64, %multipliers                             : tensor<1x16x4x4xi64>
%r = ov.bitwise_right_shift %m + half, %shift
%y = ov.convert (ov.clamp %r) {destination_type = ui8}
```

A bias of floats that is no multiple of the sum's steps is not rounded to them where the sum is quantised, limited perhaps: what the nearest
steps leave of it is in the addend of the requantisation, one for each channel, and limits between the two (ReLU, clamps) limit its results.

- `scaled.py`: a tensor as scale · (integers − zero point), with exact scales, and requantisation from one scale to another.
  `exact_rounding.py` rounds as exact arithmetic does: `proving.py` finds by which numbers, and proves it. `tflite_rounding.py` gives
  the bits of TensorFlow Lite's reference kernels.
- `quantised_values.py`: the forms of such tensors; scales and offsets that are known, exactly; functions as tables, which lead out of
  integers and back to them.
- The rules in this module say which form each operation's result has, and emit the operations that compute its integers:
  `quantising.py` leads into integers and from one scale to another, and lets integers cross the edges of loops and branches;
  `products.py` and `arithmetic.py` stay there.

Run it before `ov-fold-constants`, which makes floats of integer weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import is_float
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp, FakeQuantizeOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import ClampOp, NegativeOp, ReLUOp, RoundOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, VariadicSplitOp
from loomir.dialects.ov.operators.normalisation import SoftmaxOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, MaxPoolOp
from loomir.dialects.ov.operators.reduction import ReduceMeanOp, ReduceSumOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.upstream.dead_code import remove_dead_code
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.integer_weights import MOVES, PICKS, PRODUCTS, decoded, factor_of
from loomir.passes.analysis.quantisation import may_have_empty_windows, report_quantised_tensor
from loomir.passes.graph.ov_decompose import decompose
from loomir.passes.graph.ov_to_integer.arithmetic import add, average, mean, negative, scale
from loomir.passes.graph.ov_to_integer.exact_rounding import ExactRounding
from loomir.passes.graph.ov_to_integer.products import (
    clamp,
    concat,
    greatest,
    limit,
    move,
    pad,
    pick,
    product_of_integers,
    relu,
    split,
)
from loomir.passes.graph.ov_to_integer.quantised_values import (
    FLOATS,
    QuantisedForm,
    QuantisedForms,
    TableLookup,
    function_of,
    reads_a_function,
    softmax,
)
from loomir.passes.graph.ov_to_integer.quantising import (
    carry_integers,
    converted,
    fake_quantize,
    round_half_to_even,
)
from loomir.passes.graph.ov_to_integer.scaled import Rounding, Scaled
from loomir.passes.graph.ov_to_integer.tflite_rounding import TfliteRounding
from loomir.passes.options import check_choice

_RULES: dict[type[Operation], Callable[[QuantisedForms, Any, GraphBuilder], QuantisedForm | None]] = {
    ConvertOp: converted,
    RoundOp: round_half_to_even,
    FakeQuantizeOp: fake_quantize,
    MultiplyOp: scale,
    DivideOp: scale,
    AddOp: add,
    SubtractOp: add,
    NegativeOp: negative,
    ClampOp: clamp,
    ReLUOp: relu,
    MaximumOp: limit,
    MinimumOp: limit,
    ConvolutionOp: product_of_integers,
    GroupConvolutionOp: product_of_integers,
    MatMulOp: product_of_integers,
    ReshapeOp: move,
    SqueezeOp: move,
    UnsqueezeOp: move,
    TransposeOp: move,
    MaxPoolOp: greatest,
    **dict.fromkeys(PICKS, pick),
    SplitOp: split,
    VariadicSplitOp: split,
    PadOp: pad,
    ConcatOp: concat,
    SoftmaxOp: softmax,
    AvgPoolOp: average,
    ReduceMeanOp: mean,
    ReduceSumOp: mean,
}


def form_of(op: Operation, forms: QuantisedForms) -> QuantisedForm | None:
    """Return the form of an operation's result, or None without a rule.

    The operations that compute its integers are inserted before the operation. No other result of the operation may be used.
    """
    rule = _RULES.get(type(op))
    # What computes with integers already is arithmetic of reals where it does not wrap around.
    if rule is None or (fact_of(op.results[0]).element not in FLOATS and not _is_of_integers(op)):
        return None
    if any(result.first_use is not None for result in op.results[1:]) and rule is not split:
        return None
    return rule(forms, op, GraphBuilder(InsertPoint.before(op), op.location))


def _is_of_integers(op: Operation) -> bool:
    """Return True if an integer operation computes the real-number result.

    This holds as long as 32 bits hold the result. Importers emit such operations for operators on quantised tensors.
    """
    if isinstance(op, AddOp | SubtractOp | ConvolutionOp | GroupConvolutionOp | MatMulOp):
        return fact_of(op.results[0]).element == i32
    # What moves elements, and picks the greatest, does that with integers of any type.
    return isinstance(op, (ConvertOp, PadOp, MaxPoolOp, ConcatOp, SplitOp, VariadicSplitOp, *MOVES, *PICKS))


_ROUNDINGS: dict[str, Callable[[], Rounding]] = {"exact": ExactRounding, "tflite": TfliteRounding}
"""By the words of the pass's option."""


@dataclass(frozen=True)
class OvToIntegerPass(ModulePass):
    """Compute with integers between the quantisations of a network.

    See the package's docstring.

    Each quantised tensor changes by at most one step, given equal quantised inputs. Operations without a known rule stay
    floating-point computations; a remark names each of them.

    `rounding` selects how integers are rounded where they are requantised. `exact` rounds as exact arithmetic does, halves
    to even; for each requantisation, a remark reports the number of values covered by the proof and the number of those
    rounded differently from exact arithmetic. `tflite` rounds as TensorFlow Lite's reference kernels, which round twice or
    more; nothing is proved of that, and it takes more operations. Operations without such a kernel are rounded exactly
    (docs/semantics.md, "Rounding of quantised networks"). Error: `bad-option`.
    """

    name = "ov-to-integer"
    EXACT = False
    STEPS = 1

    rounding: str = "exact"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_choice(self, "rounding", tuple(_ROUNDINGS))
        carry_integers(op)
        forms, remarks = QuantisedForms(_ROUNDINGS[self.rounding]()), Remarks(self.name)
        found: list[Operation] = []
        todo = list(walk(op))[::-1]
        while todo:
            operation = todo.pop()
            if not isinstance(operation, OvOperation):
                continue
            if operation.COMPOSITE and operation.ELEMENTWISE and reads_a_function(forms, operation):
                # (For such no rank has to be known.)
                todo += reversed(decompose(operation))
                continue
            form, function = form_of(operation, forms), function_of(forms, operation)
            if isinstance(form, Scaled) and form.is_far and form.terms is None:
                form = None
            told = forms.requantised.get(operation)
            if told is not None and not told.AS_FLOATS:
                # (Functions of what is rounded so are functions of its integers, not those of floats that are rounded on the way.)
                function = None
            if form is not None:
                forms.of_values[operation.results[0]] = form
            if function is not None:
                forms.functions[operation.results[0]] = function
            if form is not None or function is not None:
                found.append(operation)
        for operation in found:
            before = [forms.of_values.get(operand) for operand in operation.operands]
            for result in operation.results:
                form = forms.of_values.get(result)
                if not isinstance(form, Scaled) or any(form is other for other in before):
                    # (A limit that is left to what follows has computed nothing.)
                    continue
                if form.computed and form.is_exact and not form.error:
                    report_quantised_tensor(result, form.value, form.scale, form.zero)
        for operation in reversed(found):
            _replace(operation, forms, remarks)
        if found:
            remove_dead_code(op.body)
        for operation, told in forms.requantised.items():
            remarks.passed(operation, told.text, **told.figures)


def _replace(op: Operation, forms: QuantisedForms, remarks: Remarks) -> None:
    """Replace the remaining uses of an operation by floats computed from integers.

    Erase the operation if it has no uses left.
    """
    for result in op.results:
        if result.first_use is not None:
            _replace_value(op, result, forms, remarks)
    if all(result.first_use is None for result in op.results):
        Rewriter.erase_op(op)


def _replace_value(op: Operation, result: SSAValue, forms: QuantisedForms, remarks: Remarks) -> None:
    form = forms.of_values.get(result)
    if form is None:
        # A function that nobody quantises.
        if any(forms.scaled(operand) is not None for operand in op.operands):
            remarks.missed(op, _why(op))
        return
    if isinstance(form, TableLookup):
        form.value.name_hint = form.value.name_hint or result.name_hint
        result.replace_all_uses_with(form.value)
        return
    if not isinstance(form, Scaled):
        # A step on the way to integers that somebody else needs, too.
        return
    element = fact_of(result).element
    if is_float(element):
        for user in dict.fromkeys(use.operation for use in result.uses):
            if (
                isinstance(user, OvOperation)
                and not isinstance(user, ShapeOfOp)
                and user.results
                and not (user.results[0] in forms.of_values or user.results[0] in forms.functions)
                and user not in forms.left
            ):
                # (Before one of its operands is replaced.)
                forms.left.add(user)
                remarks.missed(user, _why(user))
    if not form.computed or form.error:
        # Floats that come of integers as they are; or that no steps stand for exactly.
        return
    replacement = form.value
    if is_float(element):
        replacement = form.as_float(GraphBuilder(InsertPoint.before(op), op.location), element)
    elif form.zero.any() or form.element != element:
        # (The integers are other ones than those that the operation gives.)
        replacement = form.as_integer(GraphBuilder(InsertPoint.before(op), op.location), element)
    replacement.name_hint = replacement.name_hint or result.name_hint
    result.replace_all_uses_with(replacement)


def _why(user: Operation) -> str:
    """Return why an operation cannot compute with integers."""
    if isinstance(user, PRODUCTS):
        found = decoded(user.operands[1])
        if found is None:
            return "its weights are not integers times a scale: if they were before folding, run this pass before ov-fold-constants"
        if factor_of(user, 1, found[1]) is None:
            return "the scale of its weights differs within a sum"
    if isinstance(user, MaxPoolOp) and may_have_empty_windows(user):
        return "a window may contain only padding: no integer represents -inf"
    return "it computes with floats: no integer rule exists"
