"""The nets' programs notice a mistake in each rule by which vectors become C, and agree without it."""

from __future__ import annotations

import pytest

from tests.differential.planted_vectors import SPOILT, search
from tests.tiers import sample


@pytest.mark.parametrize("mistake", sample(sorted(SPOILT), 5))
def test_it_is_found(mistake: str, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    # What is compiled with a mistake must not stay where others look for libraries.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert search(mistake) is not None


def test_without_it_programs_agree(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert search("addf", planted=False) is None
