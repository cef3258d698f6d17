"""Small models and the options of inputs and outputs that the Model Optimizer was run with: it makes IR of some, and refuses others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import onnx
import onnx.parser

FIXTURES = Path(__file__).parents[1] / "fixtures" / "model-optimizer" / "cutting"

_HEADER = '<ir_version: 7, opset_import: ["" : 11]>'

_TEXTS = {
    # Branches, a node with two outputs, one without a name ('m').
    "branches": """g (float[1,3,4,4] x, float[1,2,4,4] k) => (float[1,2,4,4] y, float[1,2,4,4] z)
    <float[4,3,1,1] w = {0.5, 1, -1, 0.25, 2, 0.75, -0.5, 1, 1, 0.125, -2, 0.5}> {
      [conv] c = Conv (x, w)
      [relu] r = Relu (c)
      [split] s0, s1 = Split <axis = 1> (r)
      [add] a = Add (s0, s1)
      m = Mul (a, k)
      [sig] y = Sigmoid (m)
      [tanh] z = Tanh (s1)
    }""",
    "chain": """g (float[1,4] x) => (float[1,4] y) {
      [relu] r = Relu (x)
      [add] a = Add (r, r)
      [tanh] y = Tanh (a)
    }""",
    "parts": """g (float[N,3] x, float[1,2] k, float[1] b) => (float[N,3] y, float[1,2] z, float[N,3] w) {
      [relu] y = Relu (x)
      [tanh] z = Tanh (k)
      [add] w = Add (x, b)
    }""",
    "frozen": """g (float[N,3,8,8] x, float k, int64[1,3,1,1] i) => (float[N,3,8,8] y) {
      [mul] m = Mul (x, k)
      [cast] f = Cast <to = 1> (i)
      [add] y = Add (m, f)
    }""",
    "images": """g (float[1,3,6,6] x, float[1,2,6,6] u) => (float[1,5,6,6] y) {
      [relu] r = Relu (x)
      [tanh] t = Tanh (u)
      [cat] y = Concat <axis = 1> (r, t)
    }""",
    "open-image": "g (float[N,3,H,W] x) => (float[N,3,H,W] y) { [relu] y = Relu (x) }",
    "open-channels": "g (float[N,C,4,4] x) => (float[N,C,4,4] y) { [relu] y = Relu (x) }",
    "channels-last": "g (float[1,6,6,3] x) => (float[1,6,6,3] y) { [relu] y = Relu (x) }",
    "bytes": "g (uint8[1,3,6,6] x) => (float[1,3,6,6] y) { [cast] y = Cast <to = 1> (x) }",
    "square": "g (float[1,3,3,6] x) => (float[1,3,3,6] y) { [relu] y = Relu (x) }",
    "vector": "g (float[1,3] x) => (float[1,3] y) { [relu] y = Relu (x) }",
}


def model(name: str) -> onnx.ModelProto:
    """One of the models."""
    return onnx.parser.parse_model(f"{_HEADER} {_TEXTS[name]}")


@dataclass(frozen=True)
class Case:
    """A model, and the options by the Model Optimizer's own names. `refused`: loomir's error where both refuse."""

    name: str
    model: str
    options: Mapping[str, str]
    refused: str | None = None
    ordered: bool = True
    """True if the inputs are in the same order.

    The inputs of loomir are always in the order of `--input`.
    """
    extents: tuple[int, ...] = (2, 3)
    """Extents of the inputs' open dimensions when the model is run."""


def _case(
    name: str,
    model: str,
    refused: str | None = None,
    *,
    ordered: bool = True,
    extents: tuple[int, ...] = (2, 3),
    **options: str,
) -> Case:
    return Case(name, model, options, refused, ordered, extents)


CASES = [
    _case("as-it-is", "branches"),
    _case("input-order", "branches", input="k,x"),
    _case("input-port-with-range", "branches", input="relu[1,4,2..9,?]", output="tanh"),
    _case("output-ports-as-inputs", "branches", input="split:1[1,2,4,4],split:0[1,2,4,4],k"),
    _case("both-input-ports", "branches", input="0:add[1,2,4,4],1:add[1,2,4,4],k", output="y"),
    _case("port-of-node-without-name", "branches", input="1:m[1,2,4,4],x"),
    _case("input-type", "branches", input="relu[1,4,4,4]{f16}", output="relu"),
    _case("inferred-shape", "branches", input="conv", output="relu"),
    _case("output-port-as-input", "branches", input="split:1[1,2,4,4]", output="tanh"),
    _case("node-of-one-input", "branches", input="split[1,4,4,4],k"),
    _case("unneeded-input", "branches", input="relu[1,4,4,4],x,k", ordered=False),
    _case("output-node", "branches", output="relu"),
    _case("output-input-port", "branches", output="1:add"),
    _case("output-node-of-two-outputs", "branches", output="split"),
    _case("output-of-the-model", "branches", output="y"),
    _case("output-order", "branches", output="z,y"),
    _case("outputs-by-nodes", "branches", output="tanh,sig"),
    _case("output-what-comes-in", "branches", output="0:m"),
    _case("output-is-input", "branches", output="x"),
    _case("outputs-one-behind-the-other", "branches", output="relu:0,conv"),
    _case("one-port-of-two-that-are-one", "chain", input="1:add[1,4],x"),
    _case("inferred-output-port", "chain", input="add:0"),
    _case("inferred-input-ports", "chain", input="0:add,1:add", output="add"),
    _case("declared-shape-overridden", "chain", input="x[3,4]"),
    _case("only-shape-with-range", "chain", input_shape="[1..3,4]"),
    _case("batch", "chain", batch="4"),
    _case("outputs-not-reached", "parts", input="x,b", input_shape="[2,3],[1]"),
    _case("freeze-scalar", "frozen", freeze_placeholder_with_value="k->2.5"),
    _case("freeze-list", "frozen", freeze_placeholder_with_value="i->[1 2 3],k->2.5"),
    _case("freeze-in-input", "frozen", input="x,k->2,i->[1,2,3]"),
    _case("freeze-port", "frozen", input="x,i,1:mul[1]->[2.5]"),
    _case(
        "freeze-and-shape",
        "frozen",
        input_shape="[2,3,8,8]",
        freeze_placeholder_with_value="i->[1 2 3],k->2.5",
    ),
    _case("mean-and-scale", "images", mean_values="x[10,20,30]", scale_values="x[2,4,8]"),
    _case("reverse-mean-scale", "images", reverse_input_channels="", mean_values="x[10,20,30]", scale="2"),
    _case("mean-by-layout", "images", mean_values="u[1,2]", layout="u(nchw)"),
    _case("scalar-scales", "images", scale_values="u[3],x[4]"),
    _case("means-in-order", "images", input="u,x", mean_values="[1],[10,20,30]", scale_values="[3],[4,5,6]"),
    _case("mean-of-a-cut-input", "images", input="u,relu[1,3,6,6]", mean_values="relu[10,20,30]"),
    _case("dynamic-extents", "open-image", mean_values="[10,20,30]", scale="3", reverse_input_channels=""),
    _case("reverse-dynamic-channels", "open-channels", reverse_input_channels="", layout="nchw"),
    _case("mean-dynamic-channels", "open-channels", extents=(3,), mean_values="[1,2,3]", layout="nchw"),
    _case("channels-last", "channels-last", mean_values="[10,20,30]", reverse_input_channels=""),
    _case("layout-decides", "square", mean_values="[10,20,30]", layout="nchw"),
    _case("mean-for-all", "square", mean_values="[10]"),
    _case("layout-of-vector", "vector", mean_values="[10,20,30]", layout="nc"),
    # Both refuse these.
    _case("refused-other-inputs", "branches", "inputs-needed", input="relu,k", output="y,conv"),
    _case("refused-shape-of-which-port", "branches", "bad-option", input="add[1,2,4,4],k,x"),
    _case("refused-no-node", "branches", "unknown-name", input="nothere,k"),
    _case("refused-no-input-port", "branches", "unknown-port", input="7:relu,k"),
    _case("refused-port-of-input", "branches", "unknown-port", input="0:x,k"),
    _case("refused-no-output", "branches", "unknown-name", output="nope"),
    _case("refused-no-output-port", "branches", "unknown-port", output="split:5"),
    _case("refused-input-not-named", "parts", "inputs-needed", input="x"),
    _case("refused-shape-of-which-input", "parts", "bad-option", input_shape="[2,3]"),
    _case("refused-shapes-of-which-inputs", "parts", "bad-option", input_shape="[2,3],[1,2],[1]"),
    _case("refused-batch-of-scalar", "frozen", "bad-option", batch="4"),
    _case("refused-frozen-count", "branches", "value-mismatch", freeze_placeholder_with_value="k->2.5"),
    _case("refused-frozen-shape", "branches", "bad-option", input="k[1,2,4,4]->2.5,x"),
    _case("refused-frozen-type", "frozen", "value-mismatch", freeze_placeholder_with_value="i->[1.5 2 3]"),
    _case(
        "refused-shapes-twice", "branches", "bad-option", input="x[1,3,4,4],k", input_shape="[1,3,4,4],[1]"
    ),
    _case("refused-shape-and-batch", "chain", "bad-option", input_shape="[2,4]", batch="2"),
    _case(
        "refused-frozen-twice", "frozen", "bad-option", input="x,k->2,i", freeze_placeholder_with_value="k->3"
    ),
    _case("refused-mean-of-two-channels", "images", "unknown-channels", mean_values="x[10,20,30],u[1,2]"),
    _case("refused-number-of-means", "images", "bad-option", mean_values="[1,2,3]"),
    _case("refused-mean-of-no-input", "images", "unknown-input", mean_values="relu[1]"),
    _case("refused-integers", "bytes", "integer-input", mean_values="[10,20,30]"),
    _case("refused-two-dimensions", "square", "unknown-channels", mean_values="[10,20,30]"),
    _case("refused-nothing-to-reverse", "square", "bad-option", reverse_input_channels=""),
    _case("refused-vector", "vector", "unknown-channels", mean_values="[10,20,30]"),
    _case("refused-number-of-channels", "vector", "unknown-channels", mean_values="[10,20]", layout="nc"),
    _case("refused-means-and-scales", "vector", "bad-option", mean_values="[10,20]", scale_values="[1,2,3]"),
    _case(
        "refused-layout-without-channels", "vector", "unknown-channels", mean_values="[10,20,30]", layout="n?"
    ),
]
