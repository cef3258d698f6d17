"""Faults of the options that cut, freeze and normalise a model.

With their errors they are the last part of the table of docs/errors.md.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.tools.model_optimizer.convert.cutting import apply_input_options
from loomir.tools.model_optimizer.convert.preprocessing import normalise_inputs
from loomir.tools.model_optimizer.convert.preprocessing_options import (
    PreprocessingOptions,
    parse_layouts,
    parse_scale,
    parse_values,
)
from loomir.tools.model_optimizer.convert.specifications import input_options, parse_outputs
from tests.hostile.fault import fault


def program() -> ModuleOp:
    """Two inputs and two outputs that need not the same of them."""
    return parse_module("""
      func.func @main(%x: tensor<1x3x4x4xf32> {loomir.name = "x"}, %k: tensor<2xi32> {loomir.name = "k"})
          -> (tensor<1x3x4x4xf32> {loomir.name = "y"}, tensor<2xi32> {loomir.name = "z"}) {
        %r = ov.relu %x : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> loc("relu")
        %s = ov.add %r, %x : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> loc("sum")
        %z = ov.abs %k : (tensor<2xi32>) -> tensor<2xi32> loc("abs")
        func.return %s, %z : tensor<1x3x4x4xf32>, tensor<2xi32>
      }""")


def cutting(what: str, identifier: str, output: str | None = None, **options: str) -> None:
    @fault(what, identifier)
    def attempt(folder: object) -> None:
        outputs = None if output is None else parse_outputs(output)
        apply_input_options(program(), input_options(**options), outputs)


def normalising(what: str, identifier: str, options: Callable[[], PreprocessingOptions]) -> None:
    fault(what, identifier)(lambda folder: normalise_inputs(program(), options()))


cutting("an input of --input that is not there", "unknown-name", input="rely")
cutting("an output of --output that is not there", "unknown-name", output="q")
cutting("an input port that a node does not have", "unknown-port", input="3:relu")
cutting("an output port that a node does not have", "unknown-port", output="relu:3")
cutting("an input port of an input", "unknown-port", input="0:x")
cutting("a cut that leaves another input needed", "inputs-needed", input="0:sum", output="y")
cutting("a shape for a node with two inputs", "bad-option", input="sum[1,3,4,4],x,k")
cutting("a place that is named twice", "bad-option", input="relu,0:relu,x,k")
cutting("--input that is empty", "bad-option", input="")
cutting("a shape that is not closed", "bad-option", input="x[1,3")
cutting("a dimension beyond 64 bits", "bad-option", input_shape="[99999999999999999999]")
cutting("an element type that is none", "bad-option", input="x{float}")
cutting("a shape without its input", "bad-option", input_shape="[1,3,4,4]")
cutting("a shape and a batch size", "bad-option", input="x[1,3,4,4],k", batch="2")
cutting("a batch size for what has no batch", "bad-option", batch="4")
cutting("a frozen input that is not there", "unknown-input", freeze="u->1")
cutting("a frozen input with too few values", "value-mismatch", freeze="k->1")
cutting("a frozen integer that is a fraction", "value-mismatch", freeze="k->[1.5 2]")
cutting("a frozen value that is text", "bad-option", freeze="k->one")
normalising(
    "means of integers", "integer-input", lambda: PreprocessingOptions(parse_values("mean-values", "k[1]"))
)
normalising(
    "means of an input that is not there",
    "unknown-input",
    lambda: PreprocessingOptions(parse_values("mean-values", "u[1]")),
)
normalising(
    "means of channels that cannot be told",
    "unknown-channels",
    lambda: PreprocessingOptions(parse_values("mean-values", "x[1,2,3,4]")),
)
normalising(
    "a layout that has no channels",
    "unknown-channels",
    lambda: PreprocessingOptions(parse_values("mean-values", "x[1,2,3]"), layouts=parse_layouts("x(nhw?)")),
)
normalising(
    "more means than channels",
    "unknown-channels",
    lambda: PreprocessingOptions(parse_values("mean-values", "x[1,2]"), layouts=parse_layouts("x(nchw)")),
)
normalising(
    "as many means as one of two inputs",
    "bad-option",
    lambda: PreprocessingOptions(parse_values("mean-values", "[1]")),
)
normalising("a scale of 0", "bad-option", lambda: PreprocessingOptions(scale=parse_scale("0")))
normalising(
    "a layout with a letter twice",
    "bad-option",
    lambda: PreprocessingOptions(layouts=parse_layouts("x(ncch)")),
)
normalising(
    "a layout with other dimensions behind the arrow",
    "bad-option",
    lambda: PreprocessingOptions(layouts=parse_layouts("x(nhwc->nchd)")),
)
