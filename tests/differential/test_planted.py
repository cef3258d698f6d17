"""The net is tested: random programs find each of the planted faults, and agree without it."""

from __future__ import annotations

import pytest

from tests.differential.planted import FAULTS, SEARCH, search


@pytest.mark.internal_error
@pytest.mark.parametrize("name", FAULTS)
def test_it_is_found(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    # What is compiled with a fault must not stay where others look for libraries.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = search(name)
    print(f"{name}: {found}")
    assert found.where is not None, f"not found within {SEARCH} programs"


def test_a_fault_is_off_again(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """Each `with` leaves the compiler as it was: `search` relies on it for the clean runs in between."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, fault in FAULTS.items():
        with pytest.raises(ZeroDivisionError), fault.switched_on():
            raise ZeroDivisionError(name)
    for name in FAULTS:
        assert search(name, count=2, planted=False).where is None
