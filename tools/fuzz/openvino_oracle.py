"""OpenVINO as a second oracle, in a process of its own.

The process serves one model after another; it is separate because OpenVINO can crash or hang. As a program it reads
lines `MODEL.xml<TAB>FEEDS.npz<TAB>OUT.npz` and replies to each with a line: `ok`, or the reason for a refusal.
"""

from __future__ import annotations

import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from loomir.compiler.files import write_arrays
from loomir.tools.fuzz import Loop, Program, Region, Scan, Value, regions_of, walk

SECONDS = 30.0

EXACT = {
    "INFERENCE_PRECISION_HINT": "f32",
    "LP_TRANSFORMS_MODE": "NO",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
}
"""CPU plugin properties that make results follow the operations on every processor.

There is no bf16; there are no integer kernels between FakeQuantize operations (without VNNI these sum u8 × s8 in 16
bits, which saturate: up to 26 steps of 255 at the output of ResNet-8); and values that are multiplied with int8 weights
are not rounded.
"""

KNOWN_FAULTS = frozenset(
    {
        # Back edges are copied one after another.
        "swap",
        "rotation of three",
        # Values of the call before, shapes that are not 0, crashes.
        "zero trips",
        "initial condition false",
        "dynamic initial condition",
        "dynamic trips",
        "computed trips",
        "while trips",
        # Trip counts and 64-bit integers are computed in 32 bits.
        "huge trips",
        "wrapping integers",
        "fed ends of 64 bits",
        "limit of the ends of 64 bits",
        # The start of a slice is not looked at; parts of several elements and other axes are refused or garbage.
        "parts of several elements",
        "joined parts of several elements",
        "joined parts backwards",
        "parts backwards",
        "empty input",
        "empty slice",
        "fault in an arm not taken",
    }
)
"""Features of programs that OpenVINO (2026.4) gets wrong.

The results violate OpenVINO's own specification; shared/notes/openvino-ir.md lists how.
"""


def known_faults(program: Program) -> list[str]:
    """Return the features of a program that OpenVINO gets wrong."""
    found = sorted(KNOWN_FAULTS & set(program.features))
    read = needed(program.body)
    for _, statement in walk(program.body):
        if isinstance(statement, Scan | Loop):
            parts = len(statement.sequences if isinstance(statement, Scan) else statement.sliced)
            if parts and not read & set(statement.body.parameters[-parts:]):
                # The TensorIterator runs once then.
                found.append("parts that nobody reads")
    return found


def needed(region: Region) -> set[Value | None]:
    """Return the values that the results of a region depend on.

    These include the results of the regions of the statements that they depend on.
    """
    found: set[Value | None] = set(region.results)
    for statement in reversed(region.statements):
        if found & set(statement.outputs):
            found.update(statement.inputs)
            for inner in regions_of(statement):
                found |= needed(inner)
    return found


class OpenVINO:
    """Process that runs models in OpenVINO.

    It is started when it is first needed, and again after it has died.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(
        self, model: Path, feeds: Sequence[Mapping[str, np.ndarray]], folder: Path
    ) -> list[list[np.ndarray]] | str:
        """Return the outputs for each feed, or the reason for having none.

        Outputs and inputs are in the order of the model.
        """
        given, result = folder / "openvino-feeds.npz", folder / "openvino-results.npz"
        arrays = {f"{c}/{i}": a for c, feed in enumerate(feeds) for i, a in enumerate(feed.values())}
        write_arrays(given, arrays)
        answer = self._ask(f"{model}\t{given}\t{result}\n")
        if answer != "ok":
            return answer
        with np.load(result) as stored:
            return [
                [stored[f"{c}/{i}"] for i in range(sum(k.startswith(f"{c}/") for k in stored.files))]
                for c in range(len(feeds))
            ]

    def _ask(self, line: str) -> str:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], SECONDS)
            answer = process.stdout.readline().strip() if ready else ""
        except BrokenPipeError:
            answer = ""
        if answer:
            return answer
        hung = process.poll() is None and not ready_to_end(process)
        process.kill()
        process.wait()
        self._process = None
        return "no answer in time" if hung else "crashed"

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def ready_to_end(process: subprocess.Popen[str]) -> bool:
    """Return True if a process with closed output ends by itself."""
    try:
        process.wait(1.0)
    except subprocess.TimeoutExpired:
        return False
    return True


def _serve() -> None:
    import openvino as ov

    core = ov.Core()
    for line in sys.stdin:
        model, given, result = line.rstrip("\n").split("\t")
        try:
            compiled = core.compile_model(core.read_model(model), "CPU", EXACT)
            outputs: dict[str, np.ndarray] = {}
            with np.load(given) as feeds:
                for call in sorted({int(key.split("/")[0]) for key in feeds.files}):
                    count = sum(key.startswith(f"{call}/") for key in feeds.files)
                    values = compiled([feeds[f"{call}/{i}"] for i in range(count)])
                    for index in range(len(compiled.outputs)):
                        outputs[f"{call}/{index}"] = np.array(values[index])
            write_arrays(result, outputs)
            answer = "ok"
        except Exception as error:
            # Whatever OpenVINO says of a model, it is an answer.
            answer = "refused: " + " ".join(str(error).split())[-300:]
        print(answer, flush=True)


if __name__ == "__main__":
    _serve()
