"""Run the Model Optimizer with the extensions of `extension_cases.py`, and keep what its graphs have.

    python -m tests.model_optimizer.make_extension_fixtures PATH/TO/python

The Python is that of an environment with the PyPI package openvino-dev 2024.6.0.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import onnx

from tests.model_optimizer.extension_cases import CASES, DUMP, FIXTURE, FOLDER, Case, summary


def run(python: str, case: Case, folder: Path) -> dict[str, Any]:
    """By phase what is compared. (That no IR can be written of layers that OpenVINO does not have comes after all phases.)"""
    source = folder / "model.onnx"
    onnx.save(case.model, source)
    done = subprocess.run(
        [
            *(python, "-m", "openvino.tools.mo", "--use_legacy_frontend", "--input_model", str(source)),
            *("--extensions", f"{FOLDER / case.extension},{DUMP}", "--output_dir", str(folder)),
        ],
        env={**os.environ, "DUMP_TO": str(folder), "PYTHONPATH": str(DUMP.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    missing = [phase for phase in case.phases if not (folder / f"{phase}.json").exists()]
    if missing:
        raise SystemExit(f"{case.name}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return {phase: summary(json.loads((folder / f"{phase}.json").read_text()), case) for phase in case.phases}


def main(python: str) -> None:
    made: dict[str, Any] = {}
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            made[case.name] = run(python, case, Path(folder))
        print(case.name, flush=True)
    head = {"made": f"{datetime.date.today():%Y-%m-%d}", "with": "openvino-dev 2024.6.0"}
    FIXTURE.write_text(json.dumps({**head, "cases": made}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
