"""Default target of the native engine.

It is the processor that the engine runs on, unless an option or the environment specifies another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir import Model
from loomir.compiler.engines import native
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.options import Options
from loomir.passes.analysis.machines import machine_of
from tests.support import raises_error

PROGRAM = """
func.func @main(%x: tensor<40x24xf32> {loomir.name = "x"}, %w: tensor<24x48xf32> {loomir.name = "w"})
    -> (tensor<40x48xf32> {loomir.name = "y"}) {
  %y = ov.mat_mul %x, %w : (tensor<40x24xf32>, tensor<24x48xf32>) -> tensor<40x48xf32>
  func.return %y : tensor<40x48xf32>
}
"""
RNG = np.random.default_rng(0)
FEED = {name: RNG.standard_normal(s).astype(np.float32) for name, s in (("x", (40, 24)), ("w", (24, 48)))}


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The machines that native functions are built for from here on."""
    monkeypatch.delenv("LOOMIR_MACHINE", raising=False)
    machines: list[str] = []
    make = native.NativeFunction.__init__

    def recorded(
        self: native.NativeFunction, module: ModuleOp, *, flags: Sequence[str] = (), machine: str = "generic"
    ) -> None:
        machines.append(machine)
        make(self, module, flags=flags, machine=machine)

    monkeypatch.setattr(native.NativeFunction, "__init__", recorded)
    return machines


def model(**options: str) -> Model:
    return Model(parse_module(PROGRAM), options=Options(**options))  # pyright: ignore[reportArgumentType]


def test_by_default_it_is_this_processor(built: list[str]) -> None:
    program = model()
    y = program.run(FEED)["y"]
    assert built == ["native"]
    np.testing.assert_allclose(y, FEED["x"] @ FEED["w"], rtol=1e-5, atol=1e-5)
    # What is lowered and emitted is for any.
    assert "vector<" not in program.mlir("loops")
    # Once.
    assert program.run(FEED)["y"].tobytes() == y.tobytes()
    assert built == ["native"]


@pytest.mark.skipif(machine_of("native").lanes == 1, reason="this processor has no vectors")
def test_it_has_vectors_here(built: list[str]) -> None:
    """Products are added up as the machine does it, fused where it can."""
    program = model()
    here, named = program.run(FEED)["y"], model(machine="native").run(FEED)["y"]
    assert built == ["native", "native"]
    assert here.tobytes() == named.tobytes()


def test_the_environment_says_what_else(built: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    program = model()
    monkeypatch.setenv("LOOMIR_MACHINE", "generic")
    generic = program.run(FEED)["y"]
    assert built == ["generic"]
    assert generic.tobytes() == program.run(FEED, engine="loops")["y"].tobytes()


def test_an_option_says_more_than_the_environment(built: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOMIR_MACHINE", "native")
    model(machine="generic").run(FEED)
    assert built == ["generic"]


def test_a_machine_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOMIR_MACHINE", "z80")
    with raises_error("bad-option", "z80"):
        model().run(FEED)


def test_limits_hold_there_too(built: list[str]) -> None:
    """The other options are the same ones."""
    program = Model(parse_module(PROGRAM), options=Options(max_bytes=1000))
    with raises_error("limit-bytes"):
        program.run(FEED)
