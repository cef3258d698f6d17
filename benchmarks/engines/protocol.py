"""The engine's side: a model is prepared once, then run once for each line on standard input.

    python -m engines.NAME FOLDER CLOCK [ARGUMENT …]

`FOLDER` has `model.onnx` (or `model.xml`) and `feed.npz`; `CLOCK` is `wall` or `cpu`, the processor time of this process. Every answer is
one line:

| asked | answered |
|---|---|
| (at the start) | `ready`, or `refused` and the reason |
| `run` | the seconds of one run; the first run of a feed also stores its results in `out.npz` |
| `feed` | prepares the model for what `feed.npz` now holds, and answers as at the start |
| `inside` | the seconds of one run without the call from Python, where the engine can tell |
| `memory` | the largest resident set of this process so far, in bytes |

Without arguments the answer is the version of the engine, and that is all. An exception in a run is answered by `failed` and the reason.
Any other end of the process is a crash. This module and those of engines need numpy and the engine, nothing of loomir.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

import numpy as np

Arrays = Mapping[str, np.ndarray]


class Refused(Exception):
    """The engine does not take the model; the text says why."""


class Prepared:
    """A model that is ready. `call` runs it; `collect` makes arrays by name of what `call` returned."""

    def __init__(
        self,
        call: Callable[[], object],
        collect: Callable[[object], Arrays],
        inside: Callable[[], float] | None = None,
    ) -> None:
        """`inside` gives the seconds of one run, measured within the engine."""
        self.call, self.collect, self.inside = call, collect, inside


def serve(version: str, prepare: Callable[..., Prepared]) -> None:
    """Prepare the model of the command line with `prepare(model, feed, *arguments)` and answer until standard input ends."""
    answers = _private_output()
    if len(sys.argv) == 1:
        _answer(answers, version)
        return
    folder, clock, *arguments = sys.argv[1:]
    (model,) = (p for p in map(Path(folder).joinpath, ("model.onnx", "model.xml")) if p.exists())

    def prepared_now() -> Prepared:
        with np.load(Path(folder) / "feed.npz") as stored:
            return prepare(model, {name: stored[name] for name in stored.files}, *arguments)

    try:
        prepared = prepared_now()
    except Exception as error:
        _answer(answers, f"refused {_line(error)}")
        return
    _answer(answers, "ready")
    first = True
    for line in sys.stdin:
        word = line.strip()
        try:
            if word == "memory":
                _answer(answers, str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024))
            elif word == "inside":
                _answer(answers, repr(prepared.inside()) if prepared.inside else "failed no such measure")
            elif word == "feed":
                prepared, first = prepared_now(), True
                _answer(answers, "ready")
            else:
                seconds, result = _run(prepared.call, clock)
                if first:
                    np.savez(Path(folder) / "out.npz", **prepared.collect(result))  # pyright: ignore[reportArgumentType]
                    first = False
                _answer(answers, repr(seconds))
        except Exception as error:
            _answer(answers, f"failed {_line(error)}")


def now_of(clock: str) -> Callable[[], float]:
    """The function that reads a clock."""
    return time.process_time if clock == "cpu" else time.perf_counter


def mean_of(seconds: Callable[[int], float]) -> Callable[[], float]:
    """The mean time of a run, from the seconds that a number of runs takes: enough runs for 10 ms or more, 4¹⁰ at most."""
    counts: list[int] = []

    def mean() -> float:
        count = counts[0] if counts else 1
        if not counts:
            seconds(count)  # The first run may compile.
        taken = seconds(count)
        while not counts and taken < 0.01 and count < 4**10:
            count *= 4
            taken = seconds(count)
        counts[:] = [count]
        return taken / count

    return mean


def _run(call: Callable[[], object], clock: str) -> tuple[float, object]:
    now = now_of(clock)
    start = now()
    result = call()
    return now() - start, result


def _private_output() -> IO[str]:
    """Standard output for answers alone: what the engine prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def _answer(answers: IO[str], text: str) -> None:
    print(text, file=answers, flush=True)


def _line(error: Exception) -> str:
    """Text of an error on one line of at most 300 characters: of diagnostics the first error, no stack."""
    text = " ".join(str(error).split()).partition(" Stack backtrace:")[0]
    return (text.partition("error: ")[2] or f"{type(error).__name__}: {text}")[:300]
