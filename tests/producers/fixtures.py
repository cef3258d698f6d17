"""How the generators describe programs, and how a program becomes a fixture: a model, and calls with what they have to give.

What a call has to give comes from the producer itself where it can run the program (torch), else from ONNX Runtime. Where there are
both, they have to agree, or the program says why not: an exporter that changes a program's meaning is no oracle for its models.
"""

from __future__ import annotations

import argparse
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from tests.producers.values import Call, Value, store

FIXTURES = Path(__file__).parents[1] / "fixtures" / "producers"


@dataclass(frozen=True)
class Made:
    """A program as its producer wrote it, and what to run it with."""

    model: onnx.ModelProto
    feeds: Sequence[Mapping[str, Value]]
    expected: Sequence[Sequence[Value]] | None = None
    """By the producer itself, or worked out by hand: the outputs of each feed."""
    deviates: str = ""
    """Why ONNX Runtime gives something else, or does not run the program. What is expected counts then."""
    wrong: str = ""
    """Why the model means something else than what it was made from. What ONNX Runtime gives counts then."""


Maker = Callable[[], Made]


@dataclass
class Programs:
    """The programs of one producer by name: `@programs` registers a function that makes one."""

    producer: str
    makers: dict[str, Maker] = field(default_factory=dict)

    def __call__(self, maker: Maker) -> Maker:
        assert maker.__name__ not in self.makers, f"two programs are called {maker.__name__}"
        self.makers[maker.__name__] = maker
        return maker

    def write(self, pattern: str = "") -> None:
        """Make the programs whose names match. Those that are not registered any more go, when all are made."""
        folder = FIXTURES / self.producer
        folder.mkdir(parents=True, exist_ok=True)
        for name, maker in self.makers.items():
            if re.search(pattern, name):
                write(folder / name, maker())
                print(f"{self.producer}/{name}", flush=True)
        if not pattern:
            for path in folder.iterdir():
                if path.stem not in self.makers:
                    path.unlink()


def write(path: Path, made: Made) -> None:
    """`path`.onnx and `path`.npz."""
    model = stripped(made.model)
    names = [o.name for o in model.graph.output]
    calls: list[Call] = []
    for number, feed in enumerate(made.feeds):
        given = None if made.expected is None else dict(zip(names, made.expected[number], strict=True))
        if made.deviates:
            assert given is not None, "nothing says what is expected"
            calls.append(Call(feed, given))
            continue
        run = dict(zip(names, run_onnxruntime(model, feed), strict=True))
        if given is not None and not made.wrong:
            for name in names:
                assert_close(run[name], given[name], f"{path.name}, call {number}, {name}")
        calls.append(Call(feed, run if given is None or made.wrong else given))
    path.with_suffix(".onnx").write_bytes(model.SerializeToString(deterministic=True))
    store(path.with_suffix(".npz"), calls)


def run_onnxruntime(model: onnx.ModelProto, feed: Mapping[str, Value]) -> list[Value]:
    """The outputs in the model's order, as `loomir.tools.fuzz.onnx_oracle` has them made: exact on every processor.

    Nothing is optimised: fused quantised operators round otherwise.
    """
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return list(session.run(None, dict(feed)))


def assert_close(actual: Value, expected: Value, what: str) -> None:
    """ONNX Runtime and the producer mean the same. How exactly loomir has to agree is said in the tests."""
    if isinstance(expected, list):
        assert isinstance(actual, list), what
        assert len(actual) == len(expected), what
        for a, e in zip(actual, expected):
            assert_close(a, e, what)
        return
    if expected is None or actual is None:
        assert expected is actual, what
        return
    assert isinstance(actual, np.ndarray), what
    assert actual.dtype == expected.dtype, f"{what}: {actual.dtype}, expected {expected.dtype}"
    assert actual.shape == expected.shape, f"{what}: {actual.shape}, expected {expected.shape}"
    np.testing.assert_allclose(
        actual.astype(np.float64), expected.astype(np.float64), rtol=1e-3, atol=1e-5, err_msg=what
    )


def stripped(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without what a producer notes for people: documentation, stack traces, the places of source files."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    _strip(result)
    text = result.SerializeToString()
    for trace in (b"/usr/", b"/root/", b"site-packages", b'.py"', str(Path.cwd()).encode()):
        assert trace not in text, f"{trace!r} is left in the model"
    return result


def _strip(message: Any) -> None:
    """Clears the fields in a message and all messages inside."""
    for descriptor, value in message.ListFields():
        if descriptor.name in ("doc_string", "metadata_props"):
            message.ClearField(descriptor.name)
        elif descriptor.message_type is not None:
            repeated = not hasattr(value, "ListFields")
            for inner in value if repeated else (value,):
                if hasattr(inner, "ListFields"):
                    _strip(inner)


def random_of(name: str) -> np.random.Generator:
    """Random numbers that belong to a name: other programs do not change them."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def normal(*shape: int, seed: str = "") -> np.ndarray:
    """Standard normal f32 of a shape; the same each time."""
    return random_of(f"{shape}{seed}").standard_normal(shape).astype(np.float32)


def integers(low: int, high: int, *shape: int, seed: str = "", dtype: Any = np.int64) -> np.ndarray:
    """Integers of a shape in [low, high); the same each time."""
    return random_of(f"{low} {high} {shape}{seed}").integers(low, high, shape).astype(dtype)


def main(programs: Iterable[Programs]) -> None:
    """The command of a generator: all programs, or those whose names match."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "pattern", nargs="?", default="", help="a regular expression: only programs whose names match"
    )
    pattern = parser.parse_args().pattern
    for each in programs:
        each.write(pattern)
