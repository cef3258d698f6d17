"""`python -m tests.hostile.attack --seed S --count N [--jobs J] [--kinds xml,onnx] [--only K]`: damaged files of every kind.

Each case is a valid model of the corpus with one to three mistakes, which goes a way that a user may choose for it (`routes.py`), in a
process of its own with 10 seconds of processor time and 1 GiB of memory. Only success and a `loomir.Error` are right. Prints what
happened how often; what is wrong is grouped by its place, its files are under `build/attack/`, and the exit status is 1. `--only K`
shows case K again.
"""

from __future__ import annotations

import os

# Before numpy is imported: its threads do not survive a fork.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import contextlib
import gc
import io
import multiprocessing
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.hostile.case import KINDS, Case, case_of, warm
from tests.hostile.isolation import Ended, isolated
from tests.hostile.routes import attempt

KEPT = Path(__file__).parents[2] / "build" / "attack"
KEPT_EACH = 5
"""Files that are kept for one place."""


@dataclass
class Report:
    """Findings of an attack."""

    cases: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    seconds: float = 0
    memory: int = 0

    def add(self, case: Case, ended: Ended) -> None:
        """Count a case."""
        self.cases[case.kind] += 1
        self.seconds, self.memory = max(self.seconds, ended.seconds), max(self.memory, ended.memory)
        if ended.kind == "fine":
            self.outcomes[ended.what] += 1
        else:
            self.wrong.setdefault((ended.kind, ended.what), []).append(case.name)

    def __str__(self) -> str:
        lines = [f"{count:6} {what}" for what, count in self.outcomes.most_common()]
        lines.append("cases: " + ", ".join(f"{count} {kind}" for kind, count in self.cases.most_common()))
        lines.append(f"at most {self.seconds:.1f} CPU seconds and {self.memory >> 20} MiB in a case")
        for (kind, what), names in sorted(self.wrong.items(), key=lambda w: -len(w[1])):
            lines.append(f"{len(names):6} × {kind}: {what}\n         {' '.join(names[:KEPT_EACH])}")
        kinds = Counter(dict.fromkeys(("exception", "signal", "time", "memory"), 0))
        for (kind, _), names in self.wrong.items():
            kinds[kind] += len(names)
        lines.append(
            f"{self.cases.total()} cases; wrong: " + ", ".join(f"{n} × {kind}" for kind, n in kinds.items())
        )
        return "\n".join(lines)


def run_case(case: Case) -> Ended:
    """Run a case in its own process and return the outcome."""
    with tempfile.TemporaryDirectory() as name:
        path = case.write(Path(name))
        return isolated(partial(attempt, path, case.kind, case.route))


def keep(case: Case, ended: Ended) -> None:
    """Keep a case's files and what it ended with."""
    folder = KEPT / case.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    case.write(folder)
    (folder / "ended.txt").write_text(
        f"{ended.kind}: {ended.what}\nof {case.model.kind}/{case.model.name}, {case.route}, {ended.seconds:.1f} s\n\n{ended.details}"
    )


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with (
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def attack(seed: int, numbers: Sequence[int], kinds: list[str], jobs: int) -> Report:
    """Try cases of a seed."""
    with tempfile.TemporaryDirectory() as folder, _silence():
        warm(Path(folder))
    gc.collect()
    gc.freeze()
    report = Report()
    cases = (case_of(seed, number, kinds) for number in numbers)
    if jobs == 1:
        for case in cases:
            _count(report, case, run_case(case))
    else:
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            for case, ended in pool.imap_unordered(_run_named, cases, chunksize=4):
                _count(report, case, ended)
    return report


def _run_named(case: Case) -> tuple[Case, Ended]:
    return case, run_case(case)


def _count(report: Report, case: Case, ended: Ended) -> None:
    report.add(case, ended)
    if ended.kind != "fine" and len(report.wrong[ended.kind, ended.what]) <= KEPT_EACH:
        keep(case, ended)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description="Damaged files of every kind.")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"some of {', '.join(KINDS)}")
    parser.add_argument("--only", type=int, metavar="K", help="only this case, and everything about it")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    if options.only is not None:
        case = case_of(options.seed, options.only, kinds)
        with tempfile.TemporaryDirectory() as folder, _silence():
            warm(Path(folder))
        ended = run_case(case)
        keep(case, ended)
        print(f"{KEPT / case.name}\n{case.route}\n{ended.kind}: {ended.what}\n{ended.details}")
        return 0 if ended.kind == "fine" else 1
    start = time.monotonic()
    report = attack(options.seed, range(options.count), kinds, options.jobs)
    print(f"{report}\nseed {options.seed}, {time.monotonic() - start:.0f} s")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
