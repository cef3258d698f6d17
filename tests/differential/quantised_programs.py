"""Random quantised programs with integers: each quantised tensor is at most one step from what floats give of the same quantised tensors.

`python -m tests.differential.quantised_programs [--count N] [--seed S] [--start I]` (`make fuzz-quantised`: 1,000 of a fixed seed) makes
networks of QuantizeLinear, DequantizeLinear and QLinear operators, every third one of FakeQuantize, with branches and loops, scales and
zero points at the edges, per tensor and per channel. `ov-to-integer` computes all quantised tensors of one; each is then computed again
with floats, by itself, of the tensors that it is made of: those of the integers. That is the claim of the pass, tensor by tensor, and
iteration by iteration. Another engine and level gives the same integers. What is not so is printed, and the exit status is 1 then.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import onnx
from onnx import helper

import loomir
from loomir.compiler.feeds import TensorInfo
from loomir.dialects.diagnostics import Remark, listening
from tests.differential.parallel import asked, run_all
from tests.differential.quantised_networks import Program, info_of, model_of
from tests.support_builds import build_of

SEED, COUNT = 16, 1000
NATIVE = 8
"""Of so many programs one is compiled."""
ROUNDING = 2.0**-18
"""How far sums in single precision may be off, as a share of how far their numbers are spread."""
FEEDS = 2


def feeds(program: Program) -> Iterator[dict[str, np.ndarray]]:
    shape = program.tensors[0].shape
    for k in range(FEEDS):
        x = program.random.integers(-128, 128, shape).astype(np.int8)
        if program.fake:
            x = (x * program.random.uniform(0.01, 0.1)).astype(np.float32)
        yield {"x": x, "c": np.array(k % 2 == 0)}


def check(program: Program, found: Mapping[str, np.ndarray]) -> Iterator[tuple[str, int, int, int]]:
    """For each quantised tensor its name, its integers, how many differ from those of floats, and by how much at most.

    What single precision rounds is not counted: with a tiny scale it is many steps.
    """
    for step in program.steps:
        # (A tensor that is read twice is one input.)
        read = {tensor.name: tensor for tensor in step.inputs}
        infos = [info_of(tensor.name, tensor.element, tensor.shape) for tensor in read.values()]
        infos.append(program.inputs[1])
        output = info_of(step.output.name, step.output.element, step.output.shape)
        model = model_of(helper.make_graph(step.nodes, "step", infos, [output], program.constants))
        alone = loomir.load(model)
        names = {info.name for info in alone.inputs}
        trips = len(found[next(iter(step.iterations.values()))]) if step.iterations else 1
        for trip in range(trips):
            values = {
                name: found[step.iterations[name]][trip] if name in step.iterations else found[name]
                for name in [*read, "c"]
                if name in names
            }
            (wanted,) = alone.run(values, engine="graph").values()
            key = step.iterations.get(step.output.name)
            actual = found[step.output.name] if key is None else found[key][trip]
            away = np.abs(actual.astype(np.float64) - wanted.astype(np.float64))
            away = np.rint(away / float(step.output.scale) if program.fake else away).astype(int)
            rounding = int(step.spread * ROUNDING / float(step.output.scale))
            away = np.maximum(away - rounding, 0)
            yield step.output.name, away.size, int((away > 0).sum()), int(away.max(initial=0))


def run(seed: int, index: int) -> tuple[Counter[str], list[str]]:
    """Counts, and what is wrong."""
    program, counts, faults = Program(seed, index), Counter[str](), list[str]()
    model, remarks = program.model(), list[Remark]()
    onnx.checker.check_model(model)
    with listening(remarks.append):
        integers = loomir.load(model, integers=True)
    proofs = [remark.numbers for remark in remarks if "wrong" in remark.numbers]
    counts += Counter(programs=1, requantisations=len(proofs))
    counts["values proved"] += sum(int(proof["values"]) for proof in proofs)
    counts["values rounded otherwise"] += sum(int(proof["wrong"]) for proof in proofs)
    for feed in feeds(program):
        found = {**feed, **integers.run(feed, engine="graph")}
        for name, size, differing, most in check(program, found):
            counts += Counter({"tensors": 1, "integers": size, "differing by one": differing})
            if most > 1:
                faults.append(f"{seed}/{index}: {name} is {most} steps away")
        if index % NATIVE == 0:
            level = ("O0", "O1", "O2", "Os")[index // NATIVE % 4]
            build = build_of(f"{seed}/{index}")
            with build.chosen():
                other = loomir.load(model, integers=True, level=level).run(feed, engine="native")
                faults += _of_integers(program, model, feed, found, f"{seed}/{index} ({build})")
            counts["compiled"] += 1
            faults += [
                f"{seed}/{index}: {name} of {level} ({build}) differs"
                for name, array in other.items()
                if not np.array_equal(array, found[name])
            ]
    return counts, faults


def _of_integers(
    program: Program,
    model: onnx.ModelProto,
    feed: Mapping[str, np.ndarray],
    found: Mapping[str, np.ndarray],
    at: str,
) -> Iterator[str]:
    """Yield the differences when inputs and outputs are integers too."""
    both = loomir.load(model, io="int8")
    fed = {}
    for info in both.inputs:
        assert isinstance(info, TensorInfo)
        given = feed[info.name]
        integers = info.quantisation is not None and given.dtype.kind == "f"
        fed[info.name] = info.quantisation.integers(given, info.dtype) if integers else given
    outputs = {info.name: info for info in both.outputs}
    for name, array in both.run(fed, engine="native").items():
        info, wanted = outputs[name], found[name]
        assert isinstance(info, TensorInfo)
        if wanted.dtype.kind == "f" and info.quantisation is not None:
            wanted = info.quantisation.integers(wanted, info.dtype)
        if not np.array_equal(array, wanted):
            yield f"{at}: {name} with integers for inputs and outputs differs"


def _run(seed: int, indices: Sequence[int]) -> list[tuple[Counter[str], list[str]]]:
    done: list[tuple[Counter[str], list[str]]] = []
    for index in indices:
        try:
            done.append(run(seed, index))
        except Exception as error:
            done.append((Counter(programs=1), [f"{seed}/{index}: {type(error).__name__}: {error}"]))
    return done


def main() -> int:
    """Entry point."""
    total, wrong = Counter[str](), 0
    for part in run_all(_run, asked(SEED, COUNT)):
        for counts, faults in part:
            total.update(counts)
            wrong += len(faults)
            for fault in faults:
                print(fault[:300], flush=True)
    print(", ".join(f"{count:,} {what}" for what, count in total.items()), f"{wrong} faults", sep="; ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
