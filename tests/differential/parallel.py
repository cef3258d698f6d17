"""A command line that runs random programs of a seed in several processes."""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TypeVar

PROCESSES, SHARE = 2, 5
T = TypeVar("T")


def asked(seed: int, count: int) -> argparse.Namespace:
    """`--seed`, `--start` and `--count` of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=count)
    return parser.parse_args()


def run_all(run: Callable[[int, Sequence[int]], list[T]], options: argparse.Namespace) -> Iterator[list[T]]:
    """Yield the results of `run` for shares of the indices, in order.

    Each call of `run` gets the seed and one share.
    """
    indices = range(options.start, options.start + options.count)
    shares = [indices[k : k + SHARE] for k in range(0, len(indices), SHARE)]
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("fork")) as pool:
        yield from pool.map(partial(run, options.seed), shares)
