"""Counts of calls to the Model Optimizer's API from a folder's files.

They are taken while the files run, in the Model Optimizer and in loomir alike.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

NOT_COUNTED = {"__getattr__", "__setattr__", "__getitem__", "__call__", "sibling", "import_"}
"""How attributes are read and written, and files are imported, differs in the two."""


def calls_of(folder: Path, run: Callable[[], object]) -> dict[str, int]:
    """Runs a function; how often each function of the API was called from the folder's files, by name.

    Of a function of the files that is called several times, as those are that infer shapes, the calls of one time.
    """
    calls: Counter[tuple[CodeType, str]] = Counter()
    times: Counter[CodeType] = Counter()

    def profile(frame: FrameType, event: str, argument: object) -> None:
        if event != "call":
            return
        if _within(frame.f_code, folder):
            times[frame.f_code] += 1
        caller = frame.f_back
        if caller is None or not _within(caller.f_code, folder):
            return
        name, file = frame.f_code.co_name, frame.f_code.co_filename
        api = "/tools/mo/" in file or "/tools/model_optimizer/mo/" in file
        if api and name not in NOT_COUNTED and not name.startswith("<"):
            calls[caller.f_code, name] += 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(before)
    found: Counter[str] = Counter()
    for (code, name), count in calls.items():
        found[name] += count // times[code]
    return dict(sorted(found.items()))


def _within(code: CodeType, folder: Path) -> bool:
    return code.co_filename.startswith(f"{folder}/")
