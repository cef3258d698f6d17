"""Nodes of the later phases go by the Model Optimizer's names, or the documentation says which others they have, and why (D22)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from loomir.tools.model_optimizer.mo import remove_legacy_names
from tests.mo_oracle import fixture
from tests.model_optimizer.name_cases import OPERATORS, REASONS
from tests.model_optimizer.names import FIXTURE, PAGE, Names, answers, page


@pytest.fixture(scope="module")
def ours() -> Mapping[str, Names]:
    found = answers()
    remove_legacy_names()
    return found


def test_other_names_have_a_reason(ours: Mapping[str, Names]) -> None:
    theirs = fixture(FIXTURE)
    assert {operator for operator in OPERATORS if ours[operator] != theirs[operator]} == REASONS.keys()


def test_the_page_is_what_the_script_writes(ours: Mapping[str, Names]) -> None:
    assert PAGE.read_text() == page(ours, fixture(FIXTURE))
