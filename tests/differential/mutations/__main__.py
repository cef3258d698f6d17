"""`python -m tests.differential.mutations [NAME …] [--jobs J]`: which mutations no test notices, and how many of each family one does."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tests.differential.mutations.mutation import ROOT, Mutation
from tests.differential.mutations.table import FAMILIES, MUTATIONS

SECONDS = 120
"""A mistake may make a loop that does not end."""


@dataclass(frozen=True)
class Tried:
    """A mutation and the tests' message; None if no test failed."""

    mutation: Mutation
    said: str | None


def attempt(mutation: Mutation, *, planted: bool = True) -> Tried:
    """Try a mutation in a process of its own."""
    command = [sys.executable, "-m", "tests.differential.mutations.attempt", mutation.name]
    # The tests of `make test`, whatever runs this.
    environment = {name: value for name, value in os.environ.items() if name != "LOOMIR_THOROUGH"}
    try:
        result = subprocess.run(
            [*command, *([] if planted else ["--without"])],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return Tried(mutation, f"not done after {SECONDS} seconds")
    if result.returncode not in (0, 1) or (result.returncode and not result.stdout.strip()):
        raise AssertionError(f"{mutation.name}: {result.stderr[-2000:]}")
    return Tried(mutation, result.stdout.strip() or None)


def attempts(mutations: Iterable[Mutation], jobs: int) -> Iterable[Tried]:
    """Try mutations, some at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(attempt, mutations)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="mutations or families; all of them without")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    wanted = options.names or list(FAMILIES)
    chosen = {m.name: m for name in wanted for m in (FAMILIES.get(name) or [MUTATIONS[name]])}
    caught: set[str] = set()
    for tried in attempts(chosen.values(), options.jobs):
        print(f"{tried.mutation.name:44} {tried.said or 'NOT CAUGHT: ' + tried.mutation.what}", flush=True)
        if tried.said is not None:
            caught.add(tried.mutation.name)
    for family, mutations in FAMILIES.items():
        if names := [m.name for m in mutations if m.name in chosen]:
            print(f"| {family} | {len(names)} | {len(caught.intersection(names))} |")
    # What fails without any mistake would say nothing.
    without = {(m.lit, m.units, m.rows, m.tests): m for m in chosen.values()}
    with ThreadPoolExecutor(options.jobs) as pool:
        wrong = [t for t in pool.map(lambda m: attempt(m, planted=False), without.values()) if t.said]
    print(*(f"fails without a mistake: {t.said}" for t in wrong), sep="\n")
    return int(bool(wrong) or len(caught) < len(chosen))


if __name__ == "__main__":
    sys.exit(main())
