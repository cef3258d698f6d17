"""Random control-flow programs as OpenVINO IR that loomir writes: read back they are the same program, and OpenVINO runs them.

`python -m tests.differential.exported_programs [--count N] [--seed S] [--start I]` (`make fuzz-openvino`: 1,000 of a fixed seed) saves each
as it is specified and with `target="openvino-2026"`, and says for both how many are read back as the same GRAPH text up to names and
written again to the same bytes, and how many OpenVINO runs in agreement with ONNX Runtime. Each difference is of one of the
classes of `exported_faults.py`; what is of none is printed, and the exit status is 1 then.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, UnknownLoc

import loomir
from loomir.compiler.checking.agreement import Outcome, compare
from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.feeds import Boundary
from loomir.compiler.formats.openvino.writer import SaveOptions, prepared, save_openvino
from loomir.dialects.element_types import set_type
from loomir.dialects.interface import main_function, result_names
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, TRIP_TYPE
from loomir.dialects.ov.operators.internal import FailOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.graph.ov_infer import OvInferPass, write_result_types
from loomir.tools.fuzz import Program
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.onnx_oracle import OracleFault, run_onnxruntime, to_onnx
from loomir.tools.fuzz.openvino_oracle import OpenVINO
from tests.differential.exported_faults import UNKNOWN, WITH_NUMBERS, fault_of, workarounds
from tests.differential.parallel import asked, run_all

SEED = 14
COUNT = 1000
TARGETS = (None, "openvino-2026")


@dataclass(frozen=True)
class Trial:
    """Outcome of a program that was written for a target.

    `read` is `same`, or the difference after the program is read back. `run` is `agree`, or the class of the difference
    (`unknown` if it has none), and `why` describes the difference.
    """

    index: int
    target: str | None
    read: str
    run: str
    why: str = ""


def trials(seed: int, indices: Sequence[int]) -> Iterator[Trial]:
    """Each program for each target. Programs of even numbers are written as they are imported, the others after optimisation."""
    openvino = OpenVINO()
    try:
        for index in indices:
            program = program_of(seed, index)
            with tempfile.TemporaryDirectory(prefix="loomir-exported-") as folder:
                yield from _trials_of(program, index, openvino, Path(folder))
    finally:
        openvino.close()


def _trials_of(program: Program, index: int, openvino: OpenVINO, folder: Path) -> Iterator[Trial]:
    model_proto = to_onnx(program)
    try:
        expected = run_onnxruntime(model_proto, program.feeds)
    except OracleFault:
        return
    model = loomir.load(model_proto, optimize=index % 2 == 1)
    done = {t: _one(program, index, model.module, t, openvino, expected, folder) for t in TARGETS}
    plain, mended = done[None], done["openvino-2026"]
    faults = workarounds(model.module) if plain.run in (UNKNOWN, *WITH_NUMBERS) else []
    if faults and mended.run != UNKNOWN:
        # Of what the target goes round, something is the reason; what is left with it is another one.
        rest = [] if mended.run == "agree" else [mended.run]
        plain = replace(plain, run="; ".join(["gone round", *faults, *rest]))
    yield from (plain, mended)


def _one(
    program: Program,
    index: int,
    module: ModuleOp,
    target: str | None,
    openvino: OpenVINO,
    expected: Sequence[Mapping[str, np.ndarray]],
    folder: Path,
) -> Trial:
    """One program for one target: written, read, run."""
    path = folder / "program.xml"
    options = SaveOptions(target=target)
    try:
        save_openvino(module, path, options)
        ready = prepared(module, options)
        read = _read_back(ready, path)
    except Error as error:
        return Trial(index, target, "refused", "refused", f"[{error.identifier}] {error}")
    engine = GraphEngine(ready)
    ours = [list(engine(feed).values()) for feed in program.feeds]
    difference = _difference(program, ready, ours, expected)
    if difference is not None:
        return Trial(index, target, read, "ours", difference)
    difference = _difference(program, ready, openvino.run(path, program.feeds, folder), expected)
    if difference is None:
        return Trial(index, target, read, "agree")

    def again() -> str | None:
        twice = openvino.run(path, [feed for feed in program.feeds for _ in range(2)], folder)
        return _difference(program, ready, twice if isinstance(twice, str) else twice[1::2], expected)

    run = fault_of(ready, program.feeds, difference, again)
    return Trial(index, target, read, run, difference)


def _difference(
    program: Program,
    ready: ModuleOp,
    given: list[list[np.ndarray]] | str,
    expected: Sequence[Mapping[str, Any]],
) -> str | None:
    """How what OpenVINO gave differs from what is expected. Outputs of open rank are two tensors in the file."""
    if isinstance(given, str):
        return given
    names, boundary = result_names(main_function(ready)), Boundary.of(ready)
    for call, (values, wanted) in enumerate(zip(given, expected, strict=True)):
        made = boundary.assemble(dict(zip(names, values, strict=True)))
        found = compare(Outcome(wanted), Outcome(made), exact=False)
        if found is not None:
            return f"call {call}: {found.text}"
    return None


def _read_back(ready: ModuleOp, path: Path) -> str:
    """`same`, or what is not."""
    again = loomir.load(path, optimize=False)
    if canonical_text(ready) != canonical_text(again.module):
        return "another program"
    second = path.parent / "again" / path.name
    second.parent.mkdir(exist_ok=True)
    again.save(second)
    same = all(
        path.with_suffix(s).read_bytes() == second.with_suffix(s).read_bytes() for s in (".xml", ".bin")
    )
    return "same" if same else "another file"


def canonical_text(module: ModuleOp) -> str:
    """The text of a program in GRAPH without what a file does not say: names of values, layers, tensors and the model, bounds of values
    in between. (Of a condition whose rank it does not know yet the reader makes a scalar by a Reshape that may change nothing.)
    """
    module = module.clone()
    OvInferPass().apply(Context(), module)
    module.attributes.clear()
    main = main_function(module)
    main.arg_attrs = main.res_attrs = None
    for op in list(walk(module)):
        if isinstance(op, ReshapeOp) and op.data.type == op.output.type in (CONDITION_TYPE, TRIP_TYPE):
            op.output.replace_all_uses_with(op.data)
            shape = op.shape.owner
            op.detach()
            op.erase()
            if isinstance(shape, ConstantOp) and shape.output.first_use is None:
                shape.detach()
                shape.erase()
    for op in walk(module):
        op.location = UnknownLoc()
        if isinstance(op, FailOp):
            op.properties["reason"] = StringAttr("")
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)):
            value.name_hint = None
            if isinstance(value.type, TensorType):
                set_type(value, TensorType(value.type.element_type, value.type.get_shape()))
    write_result_types(module)
    return str(module)


def report(done: Sequence[Trial]) -> str:
    """Counts for each target."""
    lines: list[str] = []
    for target in TARGETS:
        mine = [t for t in done if t.target == target]
        lines.append(f"for {target or 'no version in particular'}: {len(mine)} programs")
        for what in ("read", "run"):
            counts = Counter(getattr(t, what) for t in mine).most_common()
            lines.append(f"  {what}: " + ", ".join(f"{name} {count}" for name, count in counts))
    return "\n".join(lines)


def unexplained(done: Sequence[Trial]) -> list[Trial]:
    """Those that are read as something else, and those whose difference is of no known class."""
    return [t for t in done if t.read != "same" or t.run in (UNKNOWN, "ours")]


def _run(seed: int, indices: Sequence[int]) -> list[Trial]:
    return list(trials(seed, indices))


def main() -> int:
    """Entry point."""
    options = asked(SEED, COUNT)
    done: list[Trial] = []
    for part in run_all(_run, options):
        done += part
        for trial in unexplained(part):
            print(
                f"{options.seed}/{trial.index} for {trial.target}: {trial.read}, {trial.run}: {trial.why[:300]}",
                flush=True,
            )
    print(report(done))
    return 1 if unexplained(done) else 0


if __name__ == "__main__":
    sys.exit(main())
