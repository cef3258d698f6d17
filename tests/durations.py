"""Durations of tests, and what follows for the tiers.

    make durations

runs all tests with this module as a plugin of pytest and writes `tests/durations.json`:

- the lit tests and unit tests that take more than `QUICK` seconds of processor time, or start another process (a C compiler, an
  upstream tool): `make quick` leaves them out;
- the tests that take more than `LONG` seconds: `make test` leaves them out;
- of each function whose other cases take more than `FAMILY` seconds together: how many of them are the sample of `make test`.

A new test belongs to all tiers until the file is written again.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import pytest

from tests.tiers import DURATIONS, QUICK_FOLDERS, family_of, is_quick

RECORDS = DURATIONS.parents[1] / "build" / "durations"
QUICK = 0.2
"""Seconds of processor time that a test of `make quick` may take."""
LONG = 5.0
"""Seconds that a test of `make test` may take."""
FAMILY = 1.25
"""Seconds that the cases of a test function may take in `make test`."""

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


def shortest_names(tests: Mapping[str, bool]) -> list[str]:
    """Return the shortest names of the tests that are True: files, functions or cases of which all are."""
    for key in (lambda node: node.partition("::")[0], family_of):
        groups: dict[str, list[str]] = defaultdict(list)
        for node in tests:
            groups[key(node)].append(node)
        whole = {name for name, nodes in groups.items() if all(tests[node] for node in nodes)}
        tests = dict.fromkeys(whole, True) | {n: yes for n, yes in tests.items() if key(n) not in whole}
    return sorted(node for node, yes in tests.items() if yes)


def samples(seconds: Mapping[str, float], left_out_of_quick: frozenset[str]) -> dict[str, int]:
    """Return how many cases of a family `make test` runs beside those of `make quick`, where it does not run all."""
    families: dict[str, list[float]] = defaultdict(list)
    for node, value in seconds.items():
        if value <= LONG and not is_quick(node, left_out_of_quick):
            families[family_of(node)].append(value)
    return {
        family: max(1, int(FAMILY * len(values) / sum(values)))
        for family, values in sorted(families.items())
        if len(values) > 1 and sum(values) > FAMILY
    }


def table(records: Iterable[Mapping[str, object]]) -> dict[str, object]:
    """Return what `tests/durations.json` has, from the records of a run."""
    seconds = {str(record["id"]): float(str(record["seconds"])) for record in records}
    starts = {str(record["id"]) for record in records if record["starts"]}
    slow = {n: n in starts or s > QUICK for n, s in seconds.items() if n.startswith(QUICK_FOLDERS)}
    left_out_of_quick = shortest_names(slow)
    return {
        "left out of make quick": left_out_of_quick,
        "left out of make test": shortest_names({node: value > LONG for node, value in seconds.items()}),
        "cases in make test": samples(seconds, frozenset(left_out_of_quick)),
    }


def main() -> None:
    """Write `tests/durations.json` from the records of a run."""
    lines = (line for path in sorted(RECORDS.glob("*.jsonl")) for line in path.read_text().splitlines())
    written = json.dumps(table([json.loads(line) for line in lines]), indent=1, ensure_ascii=False)
    DURATIONS.write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
