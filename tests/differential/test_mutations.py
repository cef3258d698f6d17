"""The tests of the control-flow passes notice planted mistakes: a sample of `make mutations`, and whether the table is still true."""

from __future__ import annotations

import pytest

from tests.differential.mutations.__main__ import attempt
from tests.differential.mutations.mutation import ROOT, Mutation
from tests.differential.mutations.table import FAMILIES, MUTATIONS
from tests.tiers import sample

BY_LIT = [m for m in MUTATIONS.values() if not m.units and not m.tests]
"""Those that take no other tests, which are slower."""


def test_every_mutation_has_its_place() -> None:
    """Every mutation replaces existing text and names existing tests.

    The replaced text occurs once in its file, and the replacement is Python.
    """
    assert len(MUTATIONS) == sum(map(len, FAMILIES.values())), "two mutations of one name"
    for mutation in MUTATIONS.values():
        source = (ROOT / mutation.file).read_text(encoding="utf-8")
        compile(mutation.planted(source), mutation.file, "exec", dont_inherit=True)
        assert mutation.lit_tests or mutation.tests
        files = [
            *(f"unit/{file}" for file in mutation.units),
            *(t.partition("::")[0] for t in mutation.tests),
        ]
        assert all((ROOT / "tests" / file).exists() for file in files)


@pytest.mark.parametrize(
    "mutation", sample(BY_LIT, max(1, len(BY_LIT) // 6)), ids=lambda mutation: mutation.name
)
def test_it_is_caught(mutation: Mutation) -> None:
    tried = attempt(mutation)
    print(f"{mutation.name}: {tried.said}")
    assert tried.said is not None, f"no test notices it: {mutation.what}"


def test_the_page_has_the_numbers() -> None:
    """All were noticed when the page was written: `make mutations` says so."""
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8").splitlines()
    for family, mutations in FAMILIES.items():
        assert f"| {family} | {len(mutations)} | {len(mutations)} |" in page


def test_nothing_fails_without_a_mistake() -> None:
    (mutation,) = BY_LIT[:1]
    assert attempt(mutation, planted=False).said is None
