"""Workers that die, hang or are interrupted lose only the number that they were at."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence

from loomir.tools.fuzz.runner import Lost, run_parts


def squares(
    numbers: Sequence[int], say: Callable[[int, str], None], done: Callable[[int, int], None]
) -> None:
    """Squares; 7 kills its process in the first step, 12 hangs in a second one after the others' first step."""
    for number in numbers:
        say(number, "first")
        if number == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 8:
            os._exit(3)
    for number in numbers:
        say(number, "second")
        if number == 12:
            time.sleep(60)
        done(number, number * number)


def run(count: int, jobs: int, patience: float = 30.0) -> dict[int, int | Lost]:
    results: dict[int, int | Lost] = {}
    for number, result in run_parts(
        [range(k, min(k + 5, count)) for k in range(0, count, 5)], squares, jobs=jobs, patience=patience
    ):
        assert number not in results
        results[number] = result
    return results


def test_results_of_every_number() -> None:
    assert run(5, jobs=2) == {n: n * n for n in range(5)}


def test_a_number_that_kills_its_worker_or_hangs_costs_only_itself() -> None:
    results = run(20, jobs=2, patience=1.0)
    assert sorted(results) == list(range(20))
    assert results.pop(7) == Lost(7, "first", "died of SIGKILL")
    assert results.pop(8) == Lost(8, "first", "exited with 3")
    assert results.pop(12) == Lost(12, "second", "timeout")
    assert results == {n: n * n for n in range(20) if n not in (7, 8, 12)}


def test_closing_ends_the_workers() -> None:
    pids: list[int] = []

    def work(
        numbers: Sequence[int], say: Callable[[int, str], None], done: Callable[[int, int], None]
    ) -> None:
        done(numbers[0], os.getpid())
        time.sleep(60)

    running = run_parts([[0], [1]], work, jobs=2, patience=30)
    pids.append(next(running)[1])  # pyright: ignore[reportArgumentType]
    start = time.monotonic()
    running.close()
    assert time.monotonic() - start < 10
    for pid in pids:
        # The process is gone, and was waited for.
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            continue
        raise AssertionError("a worker is left")
