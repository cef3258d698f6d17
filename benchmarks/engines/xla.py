"""XLA's CPU backend by way of jax: a program of `in_lax/`, compiled by `jax.jit`, on one thread.

The third argument names the function, such as `in_lax.programs.rnn`. It gets the feed and, of the initializers in `model.onnx`, those whose
names its parameters have; these are constants of the compiled program, as in the other engines.

A run is a call of the compiled function with arrays that are already on the device, until its results are there. `inside` is the mean time
of a run within a `fori_loop` that calls the program: a trip takes the feed from one of two copies, so that nothing of the program is the
same in each trip, and its time includes this slice.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import onnx

from engines.protocol import Prepared, mean_of, now_of, serve

Outputs = dict[str, jax.Array]
Function = Callable[[Mapping[str, jax.Array]], Outputs]


def function_of(name: str, model: Path) -> Function:
    """A program as a function of its feed, its weights taken from the model."""
    module, _, attribute = name.rpartition(".")
    function = getattr(import_module(module), attribute)
    parameters = inspect.signature(function).parameters
    weights = {
        tensor.name: onnx.numpy_helper.to_array(tensor)
        for tensor in onnx.load(model).graph.initializer
        if tensor.name in parameters
    }

    def run(feed: Mapping[str, jax.Array]) -> Outputs:
        return function(**feed, **{name: jnp.asarray(w) for name, w in weights.items()})

    return run


def prepare(model: Path, feed: Mapping[str, np.ndarray], name: str) -> Prepared:
    """The compiled function, and one that repeats it."""
    function = function_of(name, model)
    given = {name: jax.device_put(array) for name, array in feed.items()}
    compiled = jax.jit(function)

    def collect(outputs: object) -> dict[str, np.ndarray]:
        assert isinstance(outputs, dict)
        return {name: np.asarray(array) for name, array in outputs.items()}

    return Prepared(lambda: jax.block_until_ready(compiled(given)), collect, _inside(function, given))


def _inside(function: Function, given: Mapping[str, jax.Array]) -> Callable[[], float]:
    """The seconds of a run among many in one call."""
    copies = {name: jnp.stack([array, array]) for name, array in given.items()}
    first = {name: jnp.zeros(o.shape, o.dtype) for name, o in jax.eval_shape(function, given).items()}
    now = now_of(sys.argv[2])

    @jax.jit
    def repeated(count: jax.Array, copies: Mapping[str, jax.Array], first: Outputs) -> Outputs:
        def trip(k: jax.Array, _: Outputs) -> Outputs:
            return function({name: array[k % 2] for name, array in copies.items()})

        return jax.lax.fori_loop(0, count, trip, first)

    def seconds(count: int) -> float:
        start = now()
        jax.block_until_ready(repeated(jnp.asarray(count), copies, first))
        return now() - start

    return mean_of(seconds)


def start() -> None:
    """Make jax's client, with one thread and without a queue."""
    jax.config.update("jax_enable_x64", True)  # ONNX counts in int64.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    # XLA sizes its pool of threads by the processors that the process may use now.
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    jax.devices("cpu")
    os.sched_setaffinity(0, allowed)


if __name__ == "__main__":
    start()
    serve(f"jax {jax.__version__}", prepare)
