"""For every test: an exception that nobody foresaw fails it, even where the test takes any `loomir.Error`."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from loomir import errors
from loomir.tools.fuzz.builds import Build
from tests import durations
from tests.support_builds import build_of, default_build_of


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "internal_error: the test makes loomir raise `internal-error` on purpose"
    )
    config.addinivalue_line("markers", "quick: `make quick` runs the test (tests/durations.py)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of `make quick`."""
    left_out = frozenset(json.loads(durations.FILE.read_text(encoding="utf-8"))["left out of make quick"])
    for item in items:
        if durations.is_quick(item.nodeid, left_out) or item.get_closest_marker("quick"):
            item.add_marker("quick")


@pytest.fixture(autouse=True)
def _nothing_unforeseen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`internal-error` is for users: in a test it is a failure."""
    seen: list[Exception] = []
    answer = errors.internal_error

    def recorded(error: Exception) -> errors.Error:
        seen.append(error)
        return answer(error)

    monkeypatch.setattr(errors, "internal_error", recorded)
    yield
    if seen and request.node.get_closest_marker("internal_error") is None:
        raise AssertionError(f"not foreseen: {seen[0]!r}") from seen[0]


@pytest.fixture
def rotated_build(request: pytest.FixtureRequest) -> Iterator[Build]:
    """Native code of this test is in a build of its own: `pytestmark = pytest.mark.usefixtures("rotated_build")` for a net."""
    with build_of(request.node.name).chosen():
        yield build_of(request.node.name)


@pytest.fixture
def default_build(request: pytest.FixtureRequest) -> Iterator[Build]:
    """Native code of this test is for the machine that users get, by one compiler or the other."""
    with default_build_of(request.node.name).chosen():
        yield default_build_of(request.node.name)
