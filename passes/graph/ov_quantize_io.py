"""`ov-quantize-io`: inputs and outputs of a quantised network as 8-bit integers.

```mlir
func.func @main(%x: tensor<1x8xf32> {loomir.name = "x"}) -> (tensor<1x4xf32> {loomir.name = "y"}) {
  %q = ov.fake_quantize %x, %low, %high, %low, %high {levels = 256 : i64}    // low = -1.28, high = 1.27
  …
  %y = ov.fake_quantize %s, %a, %b, %a, %b {levels = 256 : i64}               // a = 0, b = 25.5
  func.return %y : tensor<1x4xf32>
}
```

becomes

```mlir
func.func @main(%x: tensor<1x8xi8> {loomir.name = "x", loomir.scale = 0.01 : f64, loomir.zero_point = 0 : i64})
    -> (tensor<1x4xi8> {loomir.name = "y", loomir.scale = 0.1 : f64, loomir.zero_point = -128 : i64}) {
  %f = ov.multiply (ov.convert %x) - zero point, %scale
  %q = ov.fake_quantize %f, …
  …
  %y = ov.fake_quantize %s, …
  %z = ov.convert (ov.clamp (round(%y / scale) + zero point)) {destination_type = i8}
  func.return %z : tensor<1x4xi8>
}
```

and `ov-to-integer`, which runs behind it, finds that nothing is left to do between an input and the first integers, and between the
last ones and the output. An input is quantised where all that reads it, or parts of it, quantises it in one way: FakeQuantize, or what
importers make of QuantizeLinear. An output is where it comes of such a FakeQuantize, or of DequantizeLinear. Others stay floats, and
a remark says so. Of what is integers already the interface says the scale and the zero point (`passes/analysis/quantisation.py`
finds them).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import f32, f64, i8, is_float, ui8
from loomir.dialects.interface import (
    PART,
    STATE,
    VALUE,
    Entry,
    arguments_of,
    main_function,
    results_of,
    set_arguments,
    set_results,
)
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.passes.analysis.quantisation import is_narrow, parameters_of_reads, parameters_of_value
from loomir.passes.graph.ov_to_integer.quantising import carry_integers, make_integers, quantised
from loomir.passes.options import check_choice

_FLOATS = (f32, f64)
"""16 bits hold no scale."""


@dataclass(frozen=True)
class OvQuantizeIoPass(ModulePass):
    """Uses 8-bit integers at quantised network boundaries.

    Inputs and outputs become integers if the network is quantised there (see the module's docstring).

    `element` is the type of these integers: `int8` or `uint8`, whatever the model has; its integers of 16 bits stay
    unchanged. Their scale and zero point are in the interface (`loomir.scale`, `loomir.zero_point`). Error: `bad-option`.
    """

    name = "ov-quantize-io"
    EXACT = False

    element: str = "int8"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_choice(self, "element", ("int8", "uint8"))
        main, remarks = main_function(op), Remarks(self.name)
        wanted = i8 if self.element == "int8" else ui8
        _inputs(main, wanted, remarks)
        # (What a loop or a branch gives is a quantised tensor if its values are.)
        carry_integers(op)
        _outputs(main, wanted, remarks)
        main.update_function_type()


def _inputs(main: FuncOp, wanted: Attribute, remarks: Remarks) -> None:
    entries, first = arguments_of(main), main.body.block.first_op
    assert first is not None
    for index, argument in enumerate(main.body.block.args):
        if not _may_be_quantised(argument, entries[index]):
            continue
        steps, element = parameters_of_reads(argument), fact_of(argument).element
        if steps is not None and is_float(element):
            steps = steps.to(wanted)
            build = GraphBuilder(InsertPoint.before(first), main.location)
            make_integers(build, argument, steps, list(argument.uses))
        if steps is not None:
            entries[index] |= Entry.of(quantisation=steps.said)
        elif is_float(element):
            remarks.missed(main, f"input '{entries[index].name}' is not quantised the same way at every use")
    set_arguments(main, entries)


def _outputs(main: FuncOp, wanted: Attribute, remarks: Remarks) -> None:
    entries = results_of(main)
    end = main.body.block.last_op
    assert isinstance(end, ReturnOp)
    for index, value in enumerate(end.operands):
        if not _may_be_quantised(value, entries[index]):
            continue
        steps, element = parameters_of_value(value), fact_of(value).element
        if steps is not None and is_float(element):
            steps = steps.to(wanted)
            end.operands[index] = quantised(
                GraphBuilder(InsertPoint.before(end), main.location), value, steps
            )
        if steps is not None:
            entries[index] |= Entry.of(quantisation=steps.said)
        elif is_float(element):
            remarks.missed(main, f"output '{entries[index].name}' is not the result of a quantisation")
    set_results(main, entries)


def _may_be_quantised(value: SSAValue, entry: Entry) -> bool:
    """Return True if a tensor belongs to the caller alone.

    It is not a state, not a part of a sequence, and not a fixed input. Its elements are floats, or integers without a
    quantisation.
    """
    if not isinstance(value.type, TensorType) or entry.has(STATE, PART, VALUE) or entry.quantisation:
        return False
    element = fact_of(value).element
    return element in _FLOATS or is_narrow(element)
