"""Work in child processes that may die or hang.

If a process dies or hangs, nothing else is lost. `run_parts` distributes parts (lists of numbers) to workers. Before
each step, a worker reports its current number and the step, and it sends the results. A worker that ends or reports
nothing for too long is replaced: its current number is reported as `Lost`, and another worker completes the unfinished
rest of its part.
"""

from __future__ import annotations

import multiprocessing
import resource
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

T = TypeVar("T")

Work = Callable[[Sequence[int], Callable[[int, str], None], Callable[[int, T], None]], None]
"""`work(numbers, say, done)` calls `say(number, step)` before each step and `done(number, result)` once for each number."""


@dataclass(frozen=True)
class Lost:
    """Number whose worker died or was killed.

    It records the step and the way in which the worker ended.
    """

    number: int
    step: str
    kind: str


class _Worker(Generic[T]):
    """One process, and what it works at."""

    def __init__(self, work: Work[T]) -> None:
        # `fork`: what is imported already is there; the parent has no threads.
        context = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(work, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.left: dict[int, None] = {}
        self.at: tuple[int, str] | None = None
        self.heard = time.monotonic()

    def give(self, numbers: Sequence[int]) -> None:
        self.left = dict.fromkeys(numbers)
        self.at = None
        self.heard = time.monotonic()
        self.connection.send(list(numbers))

    def stop(self) -> None:
        """End the process at once; it may be anywhere."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_parts(
    parts: Iterable[Sequence[int]], work: Work[T], *, jobs: int, patience: float
) -> Generator[tuple[int, T | Lost], None, None]:
    """Generate the result of each number, in the order of completion.

    `patience` is the maximum number of seconds for a step. Closing the iterator ends the workers. If a worker is lost
    before it reports a number, the lost number is the first remaining one of its part.
    """
    source = iter(parts)
    todo: deque[list[int]] = deque()
    workers: list[_Worker[T]] = []
    try:
        while True:
            for worker in workers:
                if not worker.left and (part := _next_part(todo, source)):
                    worker.give(part)
            while len(workers) < jobs and (part := _next_part(todo, source)):
                workers.append(_Worker(work))
                workers[-1].give(part)
            if not any(w.left for w in workers):
                return
            ready = wait([w.connection for w in workers if w.left], timeout=_next_deadline(workers, patience))
            for worker in [w for w in workers if w.connection in ready]:
                yield from _receive(worker, workers, todo)
            for worker in [w for w in workers if w.left and time.monotonic() - w.heard > patience]:
                yield _replace(worker, workers, todo, "timeout")
    finally:
        for worker in workers:
            worker.stop()


def _next_part(todo: deque[list[int]], source: Iterator[Sequence[int]]) -> list[int]:
    """Return a part that a worker gave up, or the next part.

    A part that was given up comes first. The result is empty if there is nothing left.
    """
    return todo.popleft() if todo else list(next(source, ()))


def _next_deadline(workers: Sequence[_Worker[Any]], patience: float) -> float:
    now = time.monotonic()
    return max(0.05, min(w.heard + patience - now for w in workers if w.left))


def _receive(
    worker: _Worker[T], workers: list[_Worker[T]], todo: deque[list[int]]
) -> Generator[tuple[int, T | Lost], None, None]:
    try:
        kind, number, what = worker.connection.recv()
    except (EOFError, ConnectionResetError):
        worker.process.join()
        code = worker.process.exitcode or 0
        ended = f"died of {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"
        yield _replace(worker, workers, todo, ended)
        return
    worker.heard = time.monotonic()
    if kind == "at":
        worker.at = (number, what)
    else:
        del worker.left[number]
        yield number, what


def _replace(
    worker: _Worker[Any], workers: list[_Worker[Any]], todo: deque[list[int]], how: str
) -> tuple[int, Lost]:
    """Give up a worker; the next one completes its part."""
    worker.stop()
    workers.remove(worker)
    number, step = worker.at or (next(iter(worker.left)), "start")
    worker.left.pop(number, None)
    if worker.left:
        todo.appendleft(list(worker.left))
    return number, Lost(number, step, how)


def _serve(work: Work[Any], connection: Connection) -> None:
    """The life of a worker."""
    # Ctrl-C goes to the whole group; the parent decides what becomes of the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            numbers = connection.recv()
        except EOFError:
            return
        work(
            numbers,
            lambda number, step: connection.send(("at", number, step)),
            lambda number, result: connection.send(("done", number, result)),
        )
