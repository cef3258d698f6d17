"""`bufferize` keeps the meaning of programs, and inserts the copies that it has to and no others."""

from __future__ import annotations

import re
import subprocess
from io import StringIO

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, NameLoc, StringAttr, UnknownLoc
from xdsl.dialects.func import FuncOp
from xdsl.printer import Printer

from loomir.passes.structured.bufferize import BufferizePass, bufferize
from tests.support import raises_error
from tests.support_tools import MLIR_OPT, needs
from tests.tiers import sample
from tests.unit.passes.structured.mini_eval import POISON, Evaluator, parse
from tests.unit.passes.structured.random_programs import CAPACITY, SHAPES, STEPS, Program


def text_of(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


def main_of(module: ModuleOp) -> FuncOp:
    (main,) = [op for op in module.ops if isinstance(op, FuncOp)]
    return main


def run_buffers(module: ModuleOp, args: list, seed: int = 0) -> tuple[list, list[np.ndarray], int]:
    """Results, output buffers and elements copied of a bufferized module; its inputs must stay as they are."""
    given_args = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    outputs = [
        np.full(type.get_shape(), POISON)
        for type in list(main_of(module).function_type.inputs)[len(args) :]
        if isinstance(type, MemRefType)
    ]
    evaluator = Evaluator(module, seed)
    results = evaluator.run(*given_args, *outputs)
    for before, after in zip(args, given_args, strict=True):
        np.testing.assert_array_equal(before, after, "an input was written")
    return results, outputs, evaluator.copied


def check_random(seed: int, size: int) -> None:
    """Bufferize a random program and compare with the tensor form on several inputs."""
    tensors = parse(Program(seed, size).text())
    tensors.verify()
    buffers = tensors.clone()
    bufferize(buffers)
    buffers.verify()
    random = np.random.default_rng(seed)
    for n in range(STEPS):
        for condition in (False, True):
            data = np.full(CAPACITY, POISON)
            data[: 2 * n] = random.integers(0, 1000, 2 * n)
            inputs = [random.integers(0, 1000, shape) for shape in [*SHAPES, *SHAPES[:2]]]
            args = [*inputs, data, n, condition]
            *expected, dynamic, extent = Evaluator(tensors, seed).run(*args)
            results, outputs, _ = run_buffers(buffers, args, seed)
            assert results == [extent]
            for actual, wanted in zip(outputs[:-1], expected, strict=True):
                np.testing.assert_array_equal(actual, wanted)
            np.testing.assert_array_equal(outputs[-1][: 2 * extent], dynamic[: 2 * extent])


@pytest.mark.parametrize("seed", sample(range(60), 3))
def test_random_programs(seed: int) -> None:
    check_random(seed, 4 + seed % 8)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(min_value=1000, max_value=1_000_000), st.integers(min_value=2, max_value=10))
def test_random_programs_any_seed(seed: int, size: int) -> None:
    check_random(seed, size)


@needs(MLIR_OPT)
@pytest.mark.parametrize("seed", range(200, 220))
def test_upstream_verifies(seed: int) -> None:
    module = parse(Program(seed, 8).text())
    before = text_of(module)
    bufferize(module)
    for text in (before, text_of(module)):
        done = subprocess.run([MLIR_OPT], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def compare(text: str, *args: object) -> tuple[ModuleOp, list[str], int]:
    """Check one program on one input; gives the bufferized module, the reasons for copies, elements copied."""
    tensors = parse(text)
    tensors.verify()
    buffers = tensors.clone()
    reasons = [reason.reason for reason in bufferize(buffers)]
    expected = Evaluator(tensors).run(*args)
    results, outputs, copied = run_buffers(buffers, list(args))
    types = main_of(tensors).function_type.outputs
    wanted = [value for value, type in zip(expected, types, strict=True) if "tensor" in type.name]
    for actual, value in zip(outputs, wanted, strict=True):
        np.testing.assert_array_equal(actual, value)
    assert results == [v for v, type in zip(expected, types, strict=True) if "tensor" not in type.name]
    return buffers, reasons, copied


def allocations(module: ModuleOp) -> int:
    return sum(isinstance(op, memref.AllocOp) for op in module.walk())


def elementwise(name: str, source: str, outs: str, size: int) -> str:
    """%name = 2 * source + 1."""
    type = f"tensor<{size}xi64>"
    return f"""
    {name} = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]}} ins({source} : {type}) outs({outs} : {type}) {{
    ^bb0(%p: i64, %o: i64):
      %t = arith.addi %p, %p : i64
      %one = arith.constant 1 : i64
      %u = arith.addi %t, %one : i64
      linalg.yield %u : i64
    }} -> {type}"""


X6 = np.arange(6) * 10


def test_slice_updated_in_place_and_put_back() -> None:
    text = f"""
    func.func @main(%x: tensor<6xi64>) -> tensor<6xi64> {{
      %e = tensor.empty() : tensor<6xi64>
      {elementwise("%a", "%x", "%e", 6)}
      %s = tensor.extract_slice %a[1] [4] [1] : tensor<6xi64> to tensor<4xi64>
      {elementwise("%u", "%s", "%s", 4)}
      %b = tensor.insert_slice %u into %a[1] [4] [1] : tensor<4xi64> into tensor<6xi64>
      return %b : tensor<6xi64>
    }}"""
    module, reasons, copied = compare(text, X6)
    assert (reasons, copied, allocations(module)) == ([], 0, 0)


def test_slice_put_back_somewhere_else() -> None:
    """The old contents of the slice are still there for the insertion elsewhere: the update isn't in place."""
    text = f"""
    func.func @main(%x: tensor<6xi64>) -> tensor<6xi64> {{
      %e = tensor.empty() : tensor<6xi64>
      {elementwise("%a", "%x", "%e", 6)}
      %s = tensor.extract_slice %a[1] [2] [1] : tensor<6xi64> to tensor<2xi64>
      {elementwise("%u", "%s", "%s", 2)}
      %b = tensor.insert_slice %u into %a[4] [2] [1] : tensor<2xi64> into tensor<6xi64>
      return %b : tensor<6xi64>
    }}"""
    compare(text, X6)


def test_updated_slice_survives_another_insertion() -> None:
    """%u is in a slice of %a's buffer; inserting %v there must not overwrite it, for it is used afterwards."""
    text = f"""
    func.func @main(%x: tensor<6xi64>, %v: tensor<4xi64>, %i: index) -> (tensor<6xi64>, i64) {{
      %e = tensor.empty() : tensor<6xi64>
      {elementwise("%a", "%x", "%e", 6)}
      %s = tensor.extract_slice %a[1] [4] [1] : tensor<6xi64> to tensor<4xi64>
      {elementwise("%u", "%s", "%s", 4)}
      %b = tensor.insert_slice %v into %a[1] [4] [1] : tensor<4xi64> into tensor<6xi64>
      %k = tensor.extract %u[%i] : tensor<4xi64>
      return %b, %k : tensor<6xi64>, i64
    }}"""
    compare(text, X6, np.arange(4), 2)


def test_flat_use_keeps_a_value_out_of_a_strided_slice() -> None:
    """A value that is read as one row can't be computed in a column block, whichever way round the reshape is."""
    text = f"""
    func.func @main(%x: tensor<4xi64>, %i: index) -> (tensor<2x6xi64>, i64) {{
      %z = arith.constant 7 : i64
      %e = tensor.empty() : tensor<4xi64>
      %ea = tensor.empty() : tensor<2x6xi64>
      %a = linalg.fill ins(%z : i64) outs(%ea : tensor<2x6xi64>) -> tensor<2x6xi64>
      {elementwise("%g", "%x", "%e", 4)}
      %m = tensor.expand_shape %g [[0, 1]] output_shape [2, 2] : tensor<4xi64> into tensor<2x2xi64>
      %flat = tensor.collapse_shape %m [[0, 1]] : tensor<2x2xi64> into tensor<4xi64>
      %v = tensor.extract %flat[%i] : tensor<4xi64>
      %b = tensor.insert_slice %m into %a[0, %i] [2, 2] [1, 1] : tensor<2x2xi64> into tensor<2x6xi64>
      return %b, %v : tensor<2x6xi64>, i64
    }}"""
    _, _, copied = compare(text, np.arange(4), 1)
    assert copied == 4


def test_offset_that_is_not_known_in_time() -> None:
    """The offset comes from a load, which isn't moved before the computation: the slice is copied."""
    text = f"""
    func.func @main(%x: tensor<4xi64>, %y: tensor<6xi64>, %i: index) -> tensor<6xi64> {{
      %e = tensor.empty() : tensor<4xi64>
      %f = tensor.empty() : tensor<6xi64>
      {elementwise("%a", "%y", "%f", 6)}
      {elementwise("%g", "%x", "%e", 4)}
      %k = tensor.extract %x[%i] : tensor<4xi64>
      %at = arith.index_cast %k : i64 to index
      %b = tensor.insert_slice %g into %a[%at] [4] [1] : tensor<4xi64> into tensor<6xi64>
      return %b : tensor<6xi64>
    }}"""
    _, reasons, copied = compare(text, np.array([0, 2, 5, 7]), X6, 1)
    assert copied == 4
    assert reasons == []


def test_offset_computed_behind_the_value_moves_before_it() -> None:
    text = f"""
    func.func @main(%x: tensor<2xi64>, %y: tensor<6xi64>, %n: index) -> tensor<6xi64> {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> (tensor<6xi64>) {{
        %e = tensor.empty() : tensor<2xi64>
        {elementwise("%g", "%x", "%e", 2)}
        %at = arith.muli %i, %c2 : index
        %b = tensor.insert_slice %g into %a[%at] [2] [1] : tensor<2xi64> into tensor<6xi64>
        scf.yield %b : tensor<6xi64>
      }}
      return %r : tensor<6xi64>
    }}"""
    module, _, copied = compare(text, np.array([3, 4]), X6, 3)
    assert copied == 6  # the initial value
    assert allocations(module) == 0


def test_reading_the_accumulator_between_keeps_the_value_out_of_it() -> None:
    text = f"""
    func.func @main(%x: tensor<2xi64>, %y: tensor<6xi64>, %n: index) -> (tensor<6xi64>, i64) {{
      %c0 = arith.constant 0 : index
      %e = tensor.empty() : tensor<6xi64>
      {elementwise("%a", "%y", "%e", 6)}
      %f = tensor.empty() : tensor<2xi64>
      {elementwise("%g", "%x", "%f", 2)}
      %old = tensor.extract %a[%c0] : tensor<6xi64>
      %b = tensor.insert_slice %g into %a[0] [2] [1] : tensor<2xi64> into tensor<6xi64>
      return %b, %old : tensor<6xi64>, i64
    }}"""
    module, _, copied = compare(text, np.array([3, 4]), X6, 3)
    assert copied == 2
    assert allocations(module) == 1


@pytest.mark.parametrize("n", range(5))
def test_constant_trip_count_ends_in_the_output(n: int) -> None:
    """Three buffers rotate n times; the one that holds each result then is the output's from the start."""
    text = f"""
    func.func @main() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {n} : index
      %u = arith.constant 1 : i64
      %v = arith.constant 2 : i64
      %w = arith.constant 3 : i64
      %e = tensor.empty() : tensor<2xi64>
      %x = linalg.fill ins(%u : i64) outs(%e : tensor<2xi64>) -> tensor<2xi64>
      %y = linalg.fill ins(%v : i64) outs(%e : tensor<2xi64>) -> tensor<2xi64>
      %z = linalg.fill ins(%w : i64) outs(%e : tensor<2xi64>) -> tensor<2xi64>
      %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %z)
          -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {{
        scf.yield %b, %c, %a : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
      }}
      return %r#0, %r#1, %r#2 : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
    }}"""
    module, reasons, copied = compare(text)
    assert (reasons, copied, allocations(module)) == ([], 0, 0)


@pytest.mark.parametrize("n", range(6))
def test_fibonacci_needs_two_buffers(n: int) -> None:
    """(a, b) ← (b, a + b): the sum is computed elementwise, so it may be put where a was."""
    text = """
    func.func @main(%x: tensor<2xi64>, %y: tensor<2xi64>, %n: index) -> (tensor<2xi64>, tensor<2xi64>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2xi64>, tensor<2xi64>) {
        %e = tensor.empty() : tensor<2xi64>
        %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
            affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
            ins(%a, %b : tensor<2xi64>, tensor<2xi64>) outs(%e : tensor<2xi64>) {
        ^bb0(%p: i64, %q: i64, %o: i64):
          %t = arith.addi %p, %q : i64
          linalg.yield %t : i64
        } -> tensor<2xi64>
        scf.yield %b, %s : tensor<2xi64>, tensor<2xi64>
      }
      return %r#0, %r#1 : tensor<2xi64>, tensor<2xi64>
    }"""
    module, _, copied = compare(text, np.array([0, 2]), np.array([1, 1]), n)
    assert allocations(module) == 2
    assert copied == 2 * 4, "two initial values and two results"


def test_padding_of_static_shape_is_read_without_a_buffer() -> None:
    """The source of the padding counts as read by the generic, so the update before it is not in place."""
    text = """
    func.func @main(%k: i64, %n: index) -> tensor<4xi64> {
      %e = tensor.empty() : tensor<4xi64>
      %x = linalg.fill ins(%k : i64) outs(%e : tensor<4xi64>) -> tensor<4xi64>
      %zero = arith.constant 0 : i64
      %p = tensor.pad %x low[1] high[0] {
      ^bb0(%i: index):
        tensor.yield %zero : i64
      } : tensor<4xi64> to tensor<5xi64>
      %y = tensor.insert %zero into %x[%n] : tensor<4xi64>
      %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0)>,
          affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          ins(%p, %y : tensor<5xi64>, tensor<4xi64>) outs(%e : tensor<4xi64>) {
      ^bb0(%a: i64, %b: i64, %o: i64):
        %s = arith.addi %a, %b : i64
        linalg.yield %s : i64
      } -> tensor<4xi64>
      return %g : tensor<4xi64>
    }"""
    module, reasons, copied = compare(text, 5, 2)
    text = text_of(module)
    assert re.search(r"unrealized_conversion_cast %\S+ : memref<4xi64> to memref<5xi64>", text)
    assert re.search(r"ins\(%\S+, %\S+, %zero : memref<5xi64>, memref<4xi64>, i64\)", text)
    assert reasons == ["its contents are used later, by linalg.generic"]
    assert copied == 4


def test_explain_leaves_the_module_alone() -> None:
    module = parse("""
    func.func @main(%x: tensor<4xi64>) -> tensor<4xi64> {
      return %x : tensor<4xi64>
    }""")
    before = text_of(module)
    (reason,) = BufferizePass.explain(module)
    assert (reason.value, reason.reason) == ("%x", "an input or weight is returned")
    assert text_of(module) == before


def test_unknown_operation_is_refused() -> None:
    module = parse("""
    func.func @main(%c: i1, %x: tensor<4xi64>, %y: tensor<4xi64>) -> tensor<4xi64> {
      %r = arith.select %c, %x, %y : tensor<4xi64>
      return %r : tensor<4xi64>
    }""")
    with raises_error("not-of-stage", "arith.select is not an operation of STRUCTURED"):
        bufferize(module)


def test_time_is_linear() -> None:
    """Ten times the operations take about ten times the uses looked at, not a hundred."""

    def chain(length: int) -> str:
        lines = ["func.func @main(%x: tensor<6xi64>, %u: i64, %i: index) -> tensor<6xi64> {"]
        lines.append("%v0 = tensor.insert %u into %x[%i] : tensor<6xi64>")
        for k in range(length):
            lines.append(f"%v{k + 1} = tensor.insert %u into %v{k}[%i] : tensor<6xi64>")
        return "\n".join([*lines, f"return %v{length} : tensor<6xi64>", "}"])

    import loomir.passes.structured.bufferize.slices as conflicts

    def looks(length: int) -> int:
        count = 0
        original = conflicts.uses_from

        def counting(*args):
            nonlocal count
            for use in original(*args):
                count += 1
                yield use

        conflicts.uses_from = counting
        try:
            bufferize(parse(chain(length)))
        finally:
            conflicts.uses_from = original
        return count

    assert looks(1000) <= 11 * looks(100)


def test_a_function_of_buffers_stays() -> None:
    module = parse("""
    func.func @main(%x: memref<4xi64>, %k: i64) {
      linalg.fill ins(%k : i64) outs(%x : memref<4xi64>)
      return
    }""")
    before = str(module)
    assert bufferize(module) == []
    assert str(module) == before


def test_buffers_beside_tensors_are_refused() -> None:
    module = parse("""
    func.func @main(%x: memref<4xi64>, %y: tensor<4xi64>, %k: i64) -> tensor<4xi64> {
      linalg.fill ins(%k : i64) outs(%x : memref<4xi64>)
      return %y : tensor<4xi64>
    }""")
    with raises_error("not-of-stage", "linalg.fill on memrefs"):
        bufferize(module)


@pytest.mark.parametrize("seed", range(10))
def test_every_operation_has_a_location(seed: int) -> None:
    module = parse(Program(seed, 8).text())
    for op in module.walk():
        op.location = NameLoc(StringAttr("layer"), UnknownLoc())
    bufferize(module)
    assert not [op.name for op in module.walk() if not isinstance(op.location, NameLoc)]
