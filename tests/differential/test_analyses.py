"""Analyses that passes keep hold for random programs."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

import loomir
from loomir.passes.analysis.inference.state import InferenceState
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.onnx_oracle import to_onnx

PROGRAMS = 16


def test_they_hold_until_structured(monkeypatch: pytest.MonkeyPatch) -> None:
    compared, difference = 0, InferenceState.difference

    def counted(self: InferenceState, other: InferenceState, module: ModuleOp) -> str | None:
        nonlocal compared
        compared += 1
        return difference(self, other, module)

    monkeypatch.setattr(InferenceState, "difference", counted)
    for index in range(PROGRAMS):
        program = to_onnx(program_of(2026, index))
        for options in ({}, {"optimize": False}):
            try:
                loomir.load(program, verify_each=True, **options).lowered("structured")
            except loomir.Error as error:
                # Some programs fail whatever the feed.
                if error.identifier == "pass-broke-ir":
                    raise
    assert compared > PROGRAMS
