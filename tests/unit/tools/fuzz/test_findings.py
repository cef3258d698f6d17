"""Written reproducers of failures.

Each reproduces its failure, whichever way of the net found it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import onnx
import pytest

from loomir.compiler.formats.openvino import port_maps
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.operators.elementwise_binary import AddOp, SubtractOp
from loomir.errors import Error
from loomir.passes.graph.ov_loop_unroll import OvLoopUnrollPass
from loomir.tools.fuzz.findings import reduce_failure, write_finding
from loomir.tools.fuzz.metamorphic import TRANSFORMS
from loomir.tools.fuzz.runner import FuzzOptions, fuzz
from loomir.tools.fuzz.trial import Report, TrialFailure, TrialPlan


def importer_turns_slices_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenVINO IR only: what goes backwards goes forwards."""

    def forwards(axis: int, start: int, end: int, stride: int, part: int) -> Slicing:
        return Slicing(axis, *((start, end) if stride > 0 else (end, start)), abs(stride), part)

    monkeypatch.setattr(port_maps, "Slicing", forwards)


def transformation_changes_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the transformed program is another one."""

    def other(model: onnx.ModelProto, *_: object) -> onnx.ModelProto:
        changed = onnx.ModelProto()
        changed.CopyFrom(model)
        for node in changed.graph.node:
            node.op_type = {"Tanh": "Neg", "Add": "Sub"}.get(node.op_type, node.op_type)
        return changed

    monkeypatch.setitem(TRANSFORMS, "rename", other)


def pass_changes_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last pass of GRAPH but for cleaning takes sums for differences."""
    real = OvLoopUnrollPass.apply

    def apply(self, ctx, op) -> None:
        real(self, ctx, op)
        for found in [o for o in op.walk() if isinstance(o, AddOp)]:
            made = SubtractOp.make(*found.operands, attributes=dict(found.attributes))
            found.parent_block().insert_op_before(made, found)
            found.results[0].replace_all_uses_with(made.results[0])

    monkeypatch.setattr(OvLoopUnrollPass, "apply", apply)


@pytest.mark.parametrize(
    ("engine", "fault", "plan"),
    [
        ("IR graph", importer_turns_slices_round, TrialPlan(engines=())),
        (
            "metamorphic rename",
            transformation_changes_the_program,
            TrialPlan(engines=(), ir=False, metamorphic=True),
        ),
        ("check-each-pass", pass_changes_the_program, TrialPlan(engines=(), ir=False, check_each_pass=True)),
    ],
)
def test_the_test_that_is_written_fails_with_the_fault(
    engine: str,
    fault: Callable[[pytest.MonkeyPatch], None],
    plan: TrialPlan,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    fault(monkeypatch)
    options = FuzzOptions(seed=7, size=6, level="unrolled", plan=plan)
    report, failure = first_failure(options, engine)
    finding = reduce_failure(options, report, failure, max_checks=25)
    path = write_finding(options, finding, tmp_path)[-1]
    test = written_test(path)
    with pytest.raises((AssertionError, Error)):
        test()
    monkeypatch.undo()
    test()


def first_failure(options: FuzzOptions, engine: str) -> tuple[Report, TrialFailure]:
    """The first program for which an engine fails, sought a few at a time."""
    for start in range(0, 400, 10):
        summary = fuzz(
            FuzzOptions(options.seed, start, 10, options.size, level=options.level, plan=options.plan)
        )
        found = [(r, f) for r, f in summary.failures if f.engine == engine]
        if found:
            return found[0]
    raise AssertionError(f"{engine} never failed")


def written_test(path: Path) -> Callable[[], None]:
    """The test function of a file."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, path.stem)
