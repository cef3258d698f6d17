"""The stage verifier: docs/ir.md's example passes, and each rule is broken once."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import MemRefType, ModuleOp, StridedLayoutAttr, f32
from xdsl.parser import Parser

from loomir.compiler.engines.lowered import StructuredEngine
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.stages import STAGES, StageError, verify_dominance, verify_stage
from loomir.compiler.stages.rules import is_contiguous
from tests.support import count_calls

CONTEXT = make_context()
DOCS = Path(__file__).parents[4] / "docs" / "ir.md"


def parse(text: str) -> ModuleOp:
    return Parser(CONTEXT, text).parse_module()


def main(body: str, arguments: str = "", results: str = "") -> str:
    """`@main` around a body; `%c0`, `%c1`, `%n` are there."""
    return f"""func.func @main({arguments}) -> ({results}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  {body}
  func.return
}}"""


def refused(module: str | ModuleOp, stage: str, message: str) -> None:
    """The stage refuses the module with this message: one short line."""
    with pytest.raises(StageError) as info:
        verify_stage(parse(module) if isinstance(module, str) else module, stage)
    text = str(info.value)
    assert message in text, text
    assert "\n" not in text
    assert len(text) < 400


def documented_example() -> str:
    """docs/ir.md's dynamic value, made a function."""
    (block,) = re.findall(r"```mlir\n(.*?)```", DOCS.read_text(), re.DOTALL)
    body = block.replace(
        "linalg.generic … ins(%x : tensor<?x3xf32>) outs(%eo : tensor<?x3xf32>) …",
        """linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
             iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x3xf32>) outs(%eo : tensor<?x3xf32>)
             {
           ^bb0(%p: f32, %q: f32):
             %s = arith.negf %p : f32
             linalg.yield %s : f32
           } -> tensor<?x3xf32>""",
    )
    assert "…" not in re.sub("//.*", "", body), "docs/ir.md changed: this test fills in its ellipses"
    return f"""func.func @main(%cap: tensor<24xf32> {{loomir.name = "x", loomir.type = tensor<?x3xf32>}},
        %n: index {{loomir.dim = "x:0"}})
        -> (tensor<24xf32> {{loomir.name = "y", loomir.type = tensor<?x3xf32>}},
            index {{loomir.dim = "y:0"}}) {{
      %c3 = arith.constant 3 : index
      {body}
      func.return %yc, %n : tensor<24xf32>, index
    }}"""


def test_the_documented_example_is_structured_and_runs():
    module = parse(documented_example())
    verify_stage(module, "structured")
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(StructuredEngine(module)({"x": x})["y"], -x)
    refused(module, "loops", "tensor")
    refused(module, "graph", "not an operation of the graph stage")


def test_stages_are_in_the_order_of_the_way():
    assert list(STAGES) == ["front", "graph", "structured", "loops"]


GOOD_LOOPS = """func.func @main(%x: memref<8xf32> {loomir.role = "input"},
    %w: memref<8xf32> {loomir.blob = dense<1.0> : tensor<8xf32>},
                                %y: memref<8xf32> {loomir.role = "output"},
                                    %a: memref<64xi8> {loomir.role = "arena",
                                    loomir.align = 16 : i64}) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i64
  %b = "memref.view"(%a, %c0) : (memref<64xi8>, index) -> memref<8xf32>
  %r:2 = scf.while (%i = %i0, %p = %b) : (i64, memref<8xf32>) -> (i64, memref<8xf32>) {
    %go = arith.cmpi slt, %i, %i0 : i64
    scf.condition(%go) %i, %p : i64, memref<8xf32>
  } do {
  ^bb0(%i: i64, %p: memref<8xf32>):
    scf.for %k = %c0 to %c8 step %c1 {
      %v = memref.load %x[%k] : memref<8xf32>
      memref.store %v, %p[%k] : memref<8xf32>
    }
    scf.yield %i, %p : i64, memref<8xf32>
  }
  %ok = arith.cmpi eq, %r#0, %i0 : i64
  cf.assert %ok, "limit: too many"
  "memref.copy"(%r#1, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  func.return %i0 : i64
}"""


def test_loops():
    verify_stage(parse(GOOD_LOOPS), "loops")
    refused(GOOD_LOOPS, "structured", "memref")


LOOPS_FAULTS = [
    ("scf.condition(%go) %i, %p", "scf.condition(%go) %i, %b", "forward the before-arguments unchanged"),
    ('"limit: too many"', '"too many"', "does not begin with one of index, capacity, limit, shape"),
    ("memref.store %v, %p[%k]", "memref.store %v, %x[%k]", "writes an input or a constant"),
    ('"memref.copy"(%r#1, %y)', '"memref.copy"(%r#1, %w)', "writes an input or a constant"),
    ('loomir.role = "input"', 'loomir.role = "inputs"', "unknown role 'inputs'"),
    (
        "%r:2 = scf.while",
        "%q = memref.alloc() : memref<8xf32>\n%r:2 = scf.while",
        "memref.alloc: left over after plan-memory",
    ),
    (
        "    scf.for %k",
        '%q = "memref.view"(%a, %c0) : (memref<64xi8>, index) -> memref<8xf32>\nscf.for %k',
        "memref.view: outside of the entry block",
    ),
    ("(%a, %c0)", "(%a, %n)", "an offset that is not a constant"),
    (
        "func.return %i0 : i64",
        "%d = arith.constant dense<1.0> : tensor<8xf32>\nfunc.return %i0 : i64",
        "of type tensor<8xf32>",
    ),
    (
        "func.return %i0 : i64",
        "%d = memref.dim %a, %c0 : memref<64xi8>\nfunc.return %i0 : i64",
        "not an operation of the loops stage",
    ),
]


@pytest.mark.parametrize(("good", "bad", "message"), LOOPS_FAULTS)
def test_a_fault_in_loops(good: str, bad: str, message: str):
    assert good in GOOD_LOOPS
    text = GOOD_LOOPS.replace(good, bad, 1)
    if "%n" in bad:
        text = text.replace("%i0 = ", "%n = arith.addi %c0, %c1 : index\n%i0 = ", 1)
    refused(text, "loops", message)


def test_buffers_across_regions_are_static_with_identity_layout():
    text = main(
        """%m = memref.alloc() : memref<8xf32>
  %s = memref.subview %m[0] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2]>>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%p = %s) -> (memref<4xf32, strided<[2]>>) {
    scf.yield %p : memref<4xf32, strided<[2]>>
  }"""
    )
    refused(text, "loops", "buffers cross static and with identity layout")


def test_allocations_are_at_entry_and_copies_contiguous():
    inner = """scf.for %i = %c0 to %c1 step %c1 {
    %m = memref.alloc() : memref<8xf32>
  }"""
    refused(main(inner), "loops", "memref.alloc: outside of the entry block")
    refused(main(inner.replace("alloc", "alloca")), "loops", "memref.alloca: outside of the entry block")
    refused(main("%m = memref.alloc(%c1) : memref<?xf32>"), "loops", "dynamic: only capacities are allocated")
    strided = """%m = memref.alloc() : memref<8xf32>
  %s = memref.subview %m[0] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2]>>
  "memref.copy"(%s, %s) : (memref<4xf32, strided<[2]>>, memref<4xf32, strided<[2]>>) -> ()"""
    refused(main(strided), "loops", "not contiguous")


def test_contiguity_of_a_type():
    def strided(shape: list[int], strides: list[int]) -> MemRefType:
        return MemRefType(f32, shape, StridedLayoutAttr(strides, 0))

    assert is_contiguous(MemRefType(f32, [2, 3]))
    assert is_contiguous(strided([2, 3], [3, 1]))
    assert is_contiguous(strided([1, 3], [7, 1]))
    assert is_contiguous(strided([-1, 3], [3, 1]))
    assert not is_contiguous(strided([2, 3], [4, 1]))
    assert not is_contiguous(strided([2, -1], [3, 1]))
    assert not is_contiguous(strided([3], [2]))


STRUCTURED_FAULTS = {
    "a dynamic tensor.empty": "%e = tensor.empty(%c1) : tensor<?xf32>",
    "a tensor of rank 0": "%e = tensor.empty() : tensor<f32>",
    "arith and math need scalars": "%e = tensor.empty() : tensor<2xf32>\n"
    "%s = arith.addf %e, %e : tensor<2xf32>",
    "a rank-reducing slice": "%e = tensor.empty() : tensor<2x3xf32>\n"
    "%s = tensor.extract_slice %e[0, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<3xf32>",
    "strides are positive": "%e = tensor.empty() : tensor<3xf32>\n"
    "%s = tensor.extract_slice %e[2] [3] [-1] : tensor<3xf32> to tensor<3xf32>",
    "a body that computes": """%e = tensor.empty() : tensor<3xf32>
  %p = tensor.pad %e low[1] high[0] {
  ^bb0(%i: index):
    %z = arith.constant 0.0 : f32
    tensor.yield %z : f32
  } : tensor<3xf32> to tensor<4xf32>""",
    "crosses as its flat capacity": """%e = tensor.empty() : tensor<3xf32>
  %s = tensor.extract_slice %e[0] [%c1] [1] : tensor<3xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %s) -> (tensor<?xf32>) {
    scf.yield %t : tensor<?xf32>
  }""",
    "integers are signless": "%e = tensor.empty() : tensor<3xui8>",
    "not an operation of the structured stage": "%e = tensor.empty() : tensor<3xf32>\n"
    "%d = tensor.dim %e, %c0 : tensor<3xf32>",
    "not an operation for the body of a linalg.generic": """%e = tensor.empty() : tensor<3xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32):
    %u = tensor.insert %a into %e[%c0] : tensor<3xf32>
    linalg.yield %a : f32
  } -> tensor<3xf32>""",
}


@pytest.mark.parametrize("message", STRUCTURED_FAULTS)
def test_a_fault_in_structured(message: str):
    refused(main(STRUCTURED_FAULTS[message]), "structured", message)


def test_yields_are_checked():
    text = main(
        """%t = arith.constant true
  %z = arith.constant 0.0 : f32
  %r = "scf.if"(%t) ({
    scf.yield %z : f32
  }, {
    scf.yield %c0 : index
  }) : (i1) -> f32"""
    )
    refused(text, "structured", "scf.yield: value 0 is index where it must be f32")
    text = main('%t = arith.constant true\n"scf.if"(%t) ({\nscf.yield %c0 : index\n}, {}) : (i1) -> ()')
    refused(text, "loops", "scf.yield: 1 values where there must be 0")
    refused("func.func @main() -> i64 {\nfunc.return\n}", "loops", "func.return: Expected arguments")


@pytest.mark.parametrize("stage", ["structured", "loops"])
def test_steps_and_casts_that_mean_nothing(stage: str) -> None:
    loop = "scf.for %i = %c0 to %c1 step %c0 {\n}"
    refused(main(loop), stage, "scf.for: a step of 0")
    refused(
        main("%s = arith.constant -1 : index\n" + loop.replace("step %c0", "step %s")), stage, "a step of -1"
    )
    wide = "%w = arith.constant 1.0 : f32\n%z = arith.constant 1.0 : bf16\n"
    refused(main(wide + "%x = arith.extf %w : f32 to f16"), stage, "from f32 to f16, which is not wider")
    refused(main(wide + "%x = arith.extf %z : bf16 to f16"), stage, "from bf16 to f16, which is not wider")
    refused(main(wide + "%x = arith.truncf %w : f32 to f64"), stage, "from f32 to f64, which is not narrower")


def test_a_program_is_one_function_main():
    refused("func.func @other() {\nfunc.return\n}", "loops", "one function @main")
    refused(
        "func.func @main() {\nfunc.return\n}\nfunc.func @f() {\nfunc.return\n}", "loops", "one function @main"
    )
    refused("func.func private @main()", "graph", "one function @main")
    refused("%c = arith.constant 1 : i32", "structured", "may contain only functions")


def test_blobs_come_behind_the_inputs():
    blob = "%w: memref<1xf32> {loomir.blob = dense<1.0> : tensor<1xf32>}"
    refused(main("", f"{blob}, %x: f32"), "loops", "argument 1 is an input behind a blob")
    refused(main("", "%w: f32 {loomir.blob = dense<1.0> : tensor<1xf32>}"), "loops", "argument 0 is a blob")


def test_the_message_has_the_place():
    text = main('%e = tensor.empty(%c1) : tensor<?xf32> loc("decoder/loop")')
    refused(text, "structured", "'decoder/loop' (tensor.empty): a dynamic")


def test_the_verifier_of_an_operation_speaks_in_one_line():
    text = main(
        """%e = tensor.empty() : tensor<3xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types =
  ["parallel"]}
      outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32):
    linalg.yield %a : f32
  } -> tensor<3xf32>"""
    )
    refused(text, "structured", "linalg.generic: ")


def test_dominance():
    text = main(
        """%t = arith.constant true
  %a = scf.if %t -> (index) {
    %b = arith.addi %c0, %c1 : index
    scf.yield %b : index
  } else {
    scf.yield %c0 : index
  }
  %d = arith.addi %a, %c1 : index"""
    )
    module = parse(text)
    verify_dominance(module)
    entry = list(module.body.block.first_op.regions[0].block.ops)
    branch, last = entry[3], entry[4]
    inner = branch.regions[0].block.first_op
    last.operands[1] = inner.results[0]  # a value of a region that doesn't dominate
    with pytest.raises(StageError, match=r"arith\.addi: operand 1 .* not visible here"):
        verify_dominance(module)
    last.operands[1] = last.results[0]  # its own result
    with pytest.raises(StageError, match="not defined before"):
        verify_dominance(module)
    last.operands[1] = entry[1].results[0]
    verify_dominance(module)
    inner.operands[0] = last.results[0]  # a value defined after the region
    with pytest.raises(StageError, match="not defined before"):
        verify_stage(module, "structured")


def test_dominance_is_linear():
    def calls(n: int) -> int:
        chain = "\n".join(f"%v{i + 1} = arith.addi %v{i}, %c1 : index" for i in range(n))
        module = parse(main(f"%v0 = arith.addi %c0, %c1 : index\n{chain}"))
        return count_calls(lambda: verify_dominance(module))

    # Four times as long: quadratic would be sixteen times the work.
    assert calls(2000) < 5 * calls(500)
