"""Durations of tests, and the tests that `make quick` leaves out.

    make durations

runs all tests with this module as a plugin of pytest and writes `tests/durations.json`. It names the lit tests and unit tests that
take more than `QUICK` seconds of processor time or start another process (a C compiler, an upstream tool): `make quick` runs the others.
A test that is new belongs to `make quick` until the file is written again.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILE = ROOT / "tests" / "durations.json"
RECORDS = ROOT / "build" / "durations"
QUICK = 0.2
"""Seconds of processor time that a test of `make quick` may take."""
QUICK_FOLDERS = ("tests/lit/", "tests/unit/")
THROUGH_EVERYTHING = frozenset(
    {
        "tests/conformance/test_specification_examples.py",
        "tests/conformance/test_real_models.py::test_mlperf_tiny[ad01_fp32-native]",
        "tests/conformance/test_real_onnx_models.py::test_silero_exports[silero_vad_op18_ifless.onnx-16000-True-1-native]",
        "tests/conformance/test_exported_real_models.py::test_real_models[controlflow]",
    }
)
"""Tests of `make quick` in other folders: a model of each kind through every stage, C included."""

_started: list[str] = []
"""Events of processes that the running test has started."""


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("subprocess.Popen", "os.posix_spawn", "os.fork"):
        _started.append(event)


def pytest_configure() -> None:
    """Begin to measure."""
    sys.addaudithook(_hear)
    RECORDS.mkdir(parents=True, exist_ok=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Record the processor time of a test, with that of its children, and if it starts a process."""
    _started.clear()
    before = sum(os.times()[:4])
    result = yield
    record = {"id": item.nodeid, "seconds": round(sum(os.times()[:4]) - before, 2), "starts": bool(_started)}
    with (RECORDS / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    return result


def is_quick(node: str, left_out: frozenset[str]) -> bool:
    """Return True if `make quick` runs a test.

    `left_out` has files, functions and single cases.
    """
    file, _, rest = node.partition("::")
    names = {file, f"{file}::{rest.partition('[')[0]}", node}
    if not THROUGH_EVERYTHING.isdisjoint(names):
        return True
    return file.startswith(QUICK_FOLDERS) and left_out.isdisjoint(names)


def left_out(records: Mapping[str, bool]) -> list[str]:
    """The shortest names of the tests that are too long: files, functions or cases of which all are."""
    for key in (lambda node: node.partition("::")[0], lambda node: node.partition("[")[0]):
        groups: dict[str, list[str]] = defaultdict(list)
        for node in records:
            groups[key(node)].append(node)
        whole = {name for name, nodes in groups.items() if all(records[node] for node in nodes)}
        records = dict.fromkeys(whole, True) | {n: long for n, long in records.items() if key(n) not in whole}
    return sorted(node for node, long in records.items() if long)


def main() -> None:
    """Write `tests/durations.json` from the records of a run."""
    records: dict[str, bool] = {}
    for path in sorted(RECORDS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["id"].startswith(QUICK_FOLDERS):
                records[record["id"]] = record["starts"] or record["seconds"] > QUICK
    FILE.write_text(
        json.dumps({"left out of make quick": left_out(records)}, indent=1, ensure_ascii=False) + "\n"
    )


if __name__ == "__main__":
    main()
