"""Profiles: their file, keys of loops and branches, and what a wrong one says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loomir
from loomir.compiler.profile import Profile, keys
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.profile import branch_facts, loop_facts
from loomir.tools.profiling import Profiler
from tests.support import raises_error

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "examples/controlflow.xml"
X = {"x": np.random.default_rng(0).standard_normal((8, 16)).astype(np.float32)}

TEXT = """func.func @main(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.sin %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  } loc("loop")
  func.return %r : tensor<4xf32>
}"""


def recorded(path: Path, feed: dict[str, Any], level: str = "O0") -> Profile:
    profiler = Profiler("graph", level)
    loomir.load(path, level=level).observe(feed, [profiler])
    return profiler.profile


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.mlir"
    path.write_text(TEXT)
    return path


def feed(trips: int) -> dict[str, Any]:
    return {"arg0": np.int64(trips), "arg1": np.linspace(0, 1, 4, dtype=np.float32)}


def test_a_profile_is_written_and_read_again(tmp_path: Path) -> None:
    profile = recorded(MODEL, X)
    profile.write(tmp_path / "p.json")
    for layer in profile.layers.values():
        layer.seconds = round(layer.seconds, 9)
    assert Profile.read(tmp_path / "p.json") == profile
    assert profile.loops["TensorIterator_9"].trips == {8: 1}
    assert profile.branches["If_31"].then + profile.branches["If_31"].otherwise == 3


def test_several_profiles_are_added(text: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{k}.json" for k in range(3)]
    for file, trips in zip(files, (4, 4, 1)):
        recorded(text, feed(trips)).write(file)
    model = loomir.load(text, profile=files, level="O0")
    (loop,) = (op for op in model.module.walk() if isinstance(op, LoopOp))
    facts = loop_facts(loop)
    assert facts is not None
    assert facts.trips == {1: 1, 4: 2}
    assert (facts.entered, facts.iterations, facts.typical_trips, facts.rarely_iterates) == (
        3,
        9,
        None,
        False,
    )
    assert branch_facts(loop) is None


@pytest.mark.parametrize("trips", [0, 3, 5])
def test_results_are_the_same_whatever_the_profile_says(text: Path, tmp_path: Path, trips: int) -> None:
    recorded(text, feed(3)).write(tmp_path / "p.json")
    usual, using = loomir.load(text), loomir.load(text, profile=str(tmp_path / "p.json"))
    assert "ov.if" in using.mlir()
    assert "ov.if" not in usual.mlir()
    for engine in ("graph", "structured", "loops", "native"):
        expected, found = usual.run(feed(trips), engine=engine), using.run(feed(trips), engine=engine)
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value)


def test_keys_are_names_or_paths(tmp_path: Path) -> None:
    loop = TEXT[TEXT.index("%r =") : TEXT.index("func.return")]
    second = loop.replace("%r =", "%s =").replace("carried(%x)", "carried(%r)")
    twice = TEXT.replace("func.return %r", f"{second} func.return %s")
    path = tmp_path / "twice.mlir"
    path.write_text(twice)
    assert list(keys(loomir.load(path, level="O0").module).values()) == [
        "loop@main/ov.loop:0",
        "loop@main/ov.loop:1",
    ]
    path.write_text(TEXT.replace(' loc("loop")', ""))
    assert list(keys(loomir.load(path, level="O0").module).values()) == ["main/ov.loop:0"]


def _data(change: Callable[[Any], object]) -> str:
    data: Any = {
        "loomir-profile": 1,
        "model": "m",
        "stage": "graph",
        "level": "O0",
        "runs": 1,
        "loops": {"loop": {"operation": "ov.loop", "trips": {"4": 1}}},
        "branches": {},
        "layers": {"loop": {"operations": 4, "bytes": 64, "seconds": 0.5}},
    }
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "[] is not an object"),
        ("{}", "not a profile of loomir"),
        ('{"loomir-profile": 2}', "a profile of version 2"),
        (_data(lambda d: d.pop("loops")), 'is not an object with "loops"'),
        (_data(lambda d: d.update(runs=-1)), '"runs": -1 is not a count'),
        (_data(lambda d: d["loops"]["loop"].update(trips=[])), '"loops"."loop"."trips": [] is not an object'),
        (_data(lambda d: d["loops"]["loop"].update(trips={"x": 1})), '"trips"."x": 1 is not at a number of trips'),
        (_data(lambda d: d["loops"]["loop"].update(trips={"1": True})), '"trips"."1": True is not a count'),
        (_data(lambda d: d["layers"]["loop"].update(seconds="1")), "is not a time in seconds"),
        (_data(lambda d: d["layers"]["loop"].update(seconds=float("nan"))), "is not a time in seconds"),
        (_data(lambda d: d.update(level="O2")), "it was recorded in graph at -O2"),
        (_data(lambda d: d.update(stage="loops")), "it was recorded in loops at -O0"),
        (_data(lambda d: d["loops"].update(lop=d["loops"].pop("loop"))), "the program has no ov.loop 'lop'; the nearest is 'loop'"),
        (_data(lambda d: d["loops"].pop("loop")), "the profile has no ov.loop 'loop'"),
        (_data(lambda d: d["loops"]["loop"].update(operation="scf.for")), "the program has no scf.for 'loop'"),
    ],
)  # fmt: skip
def test_a_wrong_profile_says_what_and_where(text: Path, tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(content)
    with raises_error("bad-profile", str(path), words):
        loomir.load(text, profile=path)


def test_profiles_of_two_programs_are_not_added(text: Path, tmp_path: Path) -> None:
    recorded(text, feed(2)).write(tmp_path / "a.json")
    recorded(text, feed(2), "O2").write(tmp_path / "b.json")
    with raises_error("bad-profile", "profiles of two programs: level O0 and O2", "b.json"):
        loomir.load(text, profile=[tmp_path / "a.json", tmp_path / "b.json"])


def test_a_missing_profile(text: Path) -> None:
    with raises_error("file-unreadable"):
        loomir.load(text, profile="nowhere.json")


def test_profile_is_an_option_of_graph(text: Path, tmp_path: Path) -> None:
    recorded(text, feed(2)).write(tmp_path / "p.json")
    lowered = tmp_path / "lowered.mlir"
    lowered.write_text(loomir.load(text).mlir("loops"))
    with raises_error("stage-passed", "--profile-use"):
        loomir.load(lowered, profile=tmp_path / "p.json")
    with raises_error("bad-option", "profile=7"):
        loomir.load(text, profile=7)  # pyright: ignore[reportArgumentType]
