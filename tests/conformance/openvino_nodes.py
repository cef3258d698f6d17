"""The ONNX node models as OpenVINO converts and saves them: read back by loomir, compared with OpenVINO and with the suite.

`python -m tests.conformance.openvino_nodes [REGEX]` runs all (or those that match), writes `build/openvino-node-models.md` and exits
with 1 where an outcome is not what `openvino_node_models.toml` explains.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import select
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from onnx.backend.test.case.test_case import TestCase as NodeTest

import loomir
from loomir.errors import Error
from tests.conformance.onnx_suite import as_array, node_tests
from tests.conformance.openvino_node_worker import store, stored

HERE = Path(__file__).parent
REPORT = HERE.parents[1] / "build" / "openvino-node-models.md"
EXPLAINED = HERE / "openvino_node_models.toml"
SECONDS = 60
"""For one model; conversion and inference of a node take milliseconds."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of one node test.

    `kind` is `agree`, `unconvertible` (OpenVINO does not convert or save it), `unrunnable` (it does not run what it saved),
    `crash` (of OpenVINO), `refused` (loomir does not load it), `failed` (loomir does not run it) or `disagree`. `onnx` says, for what
    loomir ran, whether the result is the suite's.
    """

    name: str
    kind: str
    why: str = ""
    onnx: bool | None = None

    @property
    def concern(self) -> str:
        """Kind of outcome that a reason must explain.

        It is `kind`, or `suite` if loomir and OpenVINO agree with each other but not with ONNX.
        """
        return "suite" if self.kind == "agree" and self.onnx is False else self.kind


CONCERNS = ("disagree", "failed", "refused", "suite")
"""Kinds of outcome that require an explanation.

If OpenVINO does not convert or run a model, this says nothing about loomir.
"""

PROCESSES = 2


class Worker:
    """The process that OpenVINO runs in; it is started anew after a crash."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, folder: Path) -> dict[str, object]:
        """Return OpenVINO's answer for the model in a folder.

        The answer has `crash` if OpenVINO died or hung.
        """
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, str(HERE / "openvino_node_worker.py")],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{folder}\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], SECONDS)
        line = process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.close()
        return {"crash": f"exit {process.returncode}" if ready else "no answer in time"}

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                pipe.close()
            self._process = None


def run_nodes(tests: Iterable[NodeTest]) -> Iterator[Outcome]:
    """The outcome of each test."""
    return in_folders(tests, _outcome)


Found = TypeVar("Found")


def in_folders(
    tests: Iterable[NodeTest], outcome: Callable[[NodeTest, Worker, Path], Found]
) -> Iterator[Found]:
    """Yield the outcome of each test.

    Each test has a folder of its own; one process runs OpenVINO for all of them.
    """
    worker = Worker()
    try:
        for test in tests:
            with tempfile.TemporaryDirectory() as folder:
                yield outcome(test, worker, Path(folder))
    finally:
        worker.close()


def _outcome(test: NodeTest, worker: Worker, folder: Path) -> Outcome:
    assert test.model is not None
    assert test.data_sets is not None
    inputs, outputs = test.data_sets[0]
    feed = {i.name: as_array(v) for i, v in zip(test.model.graph.input, inputs)}
    expected = [as_array(v) for v in outputs]
    arrays = [*feed.values(), *expected]
    if not all(isinstance(a, np.ndarray) for a in arrays):
        return Outcome(test.name, "unconvertible", "sequences and optionals have no Parameter in an IR")
    if any(a.dtype.kind in "OUST" for a in arrays):
        return Outcome(test.name, "unconvertible", "strings")
    (folder / "model.onnx").write_bytes(test.model.SerializeToString())
    try:
        store(folder / "feed.npz", feed)
    except (TypeError, ValueError):
        return Outcome(test.name, "unconvertible", "the element type has no numpy type that OpenVINO takes")
    answer = worker.ask(folder)
    for kind, outcome in (("crash", "crash"), ("convert", "unconvertible"), ("run", "unrunnable")):
        if kind in answer and kind != "run":
            return Outcome(test.name, outcome, first_line(str(answer[kind])))
    try:
        model = loomir.load(folder / "model.xml")
    except Error as error:
        return Outcome(test.name, "refused", f"[{error.identifier}] {first_line(error.what)}")
    except Exception as error:  # Anything else is a defect: it is reported, and the run goes on.
        return Outcome(test.name, "failed", f"DEFECT {error!r}"[:160])
    names = answer.get("inputs")
    if not isinstance(names, list):
        return Outcome(test.name, "unrunnable", first_line(str(answer["run"])))
    try:
        run = model.run({i.name: feed[n] for i, n in zip(model.inputs, names, strict=True)}, engine="graph")
        actual = [run[o.name] for o in model.outputs]
    except Error as error:
        return Outcome(test.name, "failed", f"[{error.identifier}] {first_line(error.what)}")
    except Exception as error:
        return Outcome(test.name, "failed", f"DEFECT {error!r}"[:160])
    onnx = compare(actual, expected, test) is None
    if "run" in answer:
        return Outcome(test.name, "unrunnable", first_line(str(answer["run"])), onnx)
    problem = compare(actual, list(stored(folder / "results.npz").values()), test, oracle=True)
    return Outcome(test.name, "agree" if problem is None else "disagree", problem or "", onnx)


def first_line(text: str) -> str:
    """The line of OpenVINO's message that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [
        line
        for line in lines
        if not re.match(r"(\w+: )?(Exception from|Check '.*failed at|While |.*:$)", line)
    ]
    return (telling or lines or [""])[0][:160]


def compare(
    actual: list[np.ndarray], expected: list[np.ndarray], test: NodeTest, *, oracle: bool = False
) -> str | None:
    """Return the difference between two lists of outputs, or None.

    The tolerance is the suite's; for an oracle, that of docs/testing.md suffices as well.
    """
    if len(actual) != len(expected):
        return f"{len(actual)} outputs instead of {len(expected)}"
    for index, (a, e) in enumerate(zip(actual, expected)):
        if a.dtype != e.dtype or a.shape != e.shape:
            return f"output {index} is {a.dtype}{list(a.shape)} instead of {e.dtype}{list(e.shape)}"
        if e.dtype.kind not in "fV":
            if not np.array_equal(a, e):
                return f"output {index} differs"
            continue
        with np.errstate(invalid="ignore"):
            x, y = a.astype(np.float64), e.astype(np.float64)
        close = np.allclose(x, y, rtol=test.rtol, atol=test.atol, equal_nan=True)
        if not close and not (oracle and np.isfinite(y).all() and _agrees(x, y)):
            with np.errstate(invalid="ignore"):
                return f"output {index} differs by up to {np.nanmax(np.abs(x - y)):.2g}"
    return None


def _agrees(x: np.ndarray, y: np.ndarray) -> bool:
    return bool(np.abs(x - y).max(initial=0) <= 1e-5 + 1e-4 * np.abs(y).max(initial=0))


@dataclass(frozen=True)
class Reason:
    """Why some tests do not agree: `kind` is their concern, `tests` are expressions for their names."""

    kind: str
    why: str
    tests: tuple[str, ...]

    def covers(self, outcome: Outcome) -> bool:
        return outcome.concern == self.kind and any(re.fullmatch(t, outcome.name) for t in self.tests)


def reasons() -> list[Reason]:
    """The committed explanations."""
    table = tomllib.loads(EXPLAINED.read_text())
    return [Reason(r["kind"], r["why"], tuple(r["tests"])) for r in table["reason"]]


def unexplained(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes in which somebody differs, or loomir fails or refuses, and that no reason covers."""
    known = reasons()
    return [o for o in outcomes if o.concern in CONCERNS and not any(r.covers(o) for r in known)]


def stale(outcomes: list[Outcome]) -> list[str]:
    """Expressions of reasons that no outcome needs any more."""
    found: list[str] = []
    for reason in reasons():
        for test in reason.tests:
            only = Reason(reason.kind, reason.why, (test,))
            if not any(only.covers(o) for o in outcomes):
                found.append(f"{reason.kind}: {test}")
    return found


def report(outcomes: list[Outcome]) -> str:
    """The page with counts and, by kind and reason, the tests."""
    kinds = Counter(o.kind for o in outcomes)
    converted = [o for o in outcomes if o.kind not in ("unconvertible", "crash")]
    loaded = [o for o in converted if o.kind != "refused"]
    lines = [
        "# ONNX node models converted by OpenVINO\n",
        "| | tests |", "|---|---|",
        f"| all | {len(outcomes)} |",
        f"| converted and saved by OpenVINO | {len(converted)} |",
        f"| loaded by loomir | {len(loaded)} |",
        f"| run by OpenVINO too | {sum(o.kind != 'unrunnable' for o in loaded)} |",
        f"| agree with OpenVINO | {kinds['agree']} |",
        f"| disagree with OpenVINO | {kinds['disagree']} |",
        f"| fail in loomir | {kinds['failed']} |",
        f"| loomir's result is the ONNX suite's | {sum(o.onnx is True for o in outcomes)} |",
        f"| loomir and OpenVINO agree, the suite differs | {sum(o.kind == 'agree' and o.onnx is False for o in outcomes)} |",
    ]  # fmt: skip
    for kind in ("disagree", "failed", "refused", "unrunnable", "crash", "unconvertible"):
        lines.append(f"\n## {kind}\n")
        groups: dict[str, list[str]] = {}
        for o in outcomes:
            if o.kind == kind:
                suffix = "" if o.onnx is None else " (loomir = ONNX)" if o.onnx else " (loomir ≠ ONNX)"
                groups.setdefault(o.why + suffix, []).append(o.name)
        lines += [
            f"- {why or '—'}: {len(names)}: {', '.join(names)}" for why, names in sorted(groups.items())
        ]
    differing = [o.name for o in outcomes if o.kind == "agree" and o.onnx is False]
    lines += ["\n## loomir and OpenVINO agree, the suite differs\n", ", ".join(differing)]
    return "\n".join(lines) + "\n"


def _run_names(names: list[str]) -> list[Outcome]:
    wanted = set(names)
    return list(run_nodes(t for t in node_tests() if t.name in wanted))


def main() -> int:
    """Entry point."""
    pattern = re.compile(sys.argv[1] if len(sys.argv) > 1 else "")
    tests = [t for t in node_tests() if pattern.search(t.name)]
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("fork")) as pool:
        parts = list(pool.map(_run_names, [[t.name for t in tests[k::PROCESSES]] for k in range(PROCESSES)]))
    place = {t.name: k for k, t in enumerate(tests)}
    outcomes = sorted((o for part in parts for o in part), key=lambda o: place[o.name])
    text = report(outcomes)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(text)
    print(text.split("\n## ")[0])
    wrong = unexplained(outcomes)
    for o in wrong:
        print(f"{o.name}: {o.concern}: {o.why} (loomir {'=' if o.onnx else '≠'} ONNX)")
    old = stale(outcomes) if not pattern.pattern else []
    for each in old:
        print(f"no longer so: {each}")
    return 1 if wrong or old else 0


if __name__ == "__main__":
    sys.exit(main())
