"""Cached inference results and freshly computed ones.

They are equal in random programs during the lowering to STRUCTURED.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from xdsl.ir import Operation

import loomir
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.inference import InferenceCache
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.onnx_oracle import to_onnx

Ask = Callable[[Operation, Sequence[Fact]], Sequence[Fact]]

PROGRAMS = 16


def test_they_are_what_would_be_answered_now(monkeypatch: pytest.MonkeyPatch) -> None:
    again = 0
    remembering = InferenceCache.of

    def asked_anew(self: InferenceCache, op: Operation, facts: Sequence[Fact], ask: Ask) -> Sequence[Fact]:
        return ask(op, facts)

    def compared(self: InferenceCache, op: Operation, facts: Sequence[Fact], ask: Ask) -> Sequence[Fact]:
        nonlocal again
        found = remembering(self, op, facts, ask)
        with monkeypatch.context() as patch:
            # (What it asks for itself is not remembered either.)
            patch.setattr(InferenceCache, "of", asked_anew)
            anew = ask(op, facts)
        assert len(found) == len(anew)
        assert all(a.same(b) for a, b in zip(found, anew)), f"{op}: {found}, and now {anew}"
        again += 1
        return found

    monkeypatch.setattr(InferenceCache, "of", compared)
    for index in range(PROGRAMS):
        try:
            loomir.load(to_onnx(program_of(2026, index))).lowered("structured")
        except loomir.Error:
            # Some programs fail whatever the feed.
            continue
    assert again > 1000
