"""The page about what of the Model Optimizer's API there is says what is true of an installed one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import mo_coverage

ORACLE = os.environ.get("LOOMIR_MO_ORACLE")


@pytest.mark.skipif(not ORACLE, reason="LOOMIR_MO_ORACLE does not say where a Model Optimizer is")
def test_page_is_current_and_nearly_all_is_there() -> None:
    assert ORACLE
    calls, imports, _ = mo_coverage.count(Path(ORACLE))
    assert calls.share >= 0.95
    assert imports.share >= 0.95
    assert mo_coverage.PAGE.read_text().startswith(mo_coverage.page(Path(ORACLE)))
