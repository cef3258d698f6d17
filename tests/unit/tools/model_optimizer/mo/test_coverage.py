"""The page about what of the Model Optimizer's API there is says what is true of an installed one."""

from __future__ import annotations

from pathlib import Path

from tests import mo_coverage
from tests.mo_oracle import ORACLE, needs_oracle


@needs_oracle
def test_page_is_current_and_nearly_all_is_there() -> None:
    calls, imports, _ = mo_coverage.count(Path(ORACLE))
    assert calls.share >= 0.95
    assert imports.share >= 0.95
    assert mo_coverage.PAGE.read_text().startswith(mo_coverage.page(Path(ORACLE)))
