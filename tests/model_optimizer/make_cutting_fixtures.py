"""Run the Model Optimizer on the cases of `cutting_cases.py` and keep what it makes.

    python -m tests.model_optimizer.make_cutting_fixtures PATH/TO/mo [CASE …]

`mo` is that of the PyPI package openvino-dev 2024.6.0 in an environment of its own. A case that it refuses is a line of `refused.txt`.
"""

from __future__ import annotations

import datetime
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

from tests.model_optimizer.cutting_cases import CASES, FIXTURES, Case, model


def run(command: str, case: Case, folder: Path) -> bool:
    """Run it on one case; whether it made IR, `<case>.xml` and `<case>.bin` in the folder."""
    source = folder / f"{case.name}.onnx"
    onnx.save(model(case.model), source)
    options = [word for name, text in case.options.items() for word in (f"--{name}", text) if word]
    fixed = ["--use_legacy_frontend", "--compress_to_fp16=False", "--model_name", case.name]
    paths = ["--input_model", str(source), "--output_dir", str(folder)]
    done = subprocess.run([command, *fixed, *paths, *options], capture_output=True, text=True, check=False)
    return done.returncode == 0 and (folder / f"{case.name}.xml").exists()


def main(command: str, names: list[str]) -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    listed = FIXTURES / "refused.txt"
    refused = {
        line for line in (listed.read_text().splitlines() if listed.exists() else []) if line[:1] != "#"
    }
    for case in CASES:
        if names and case.name not in names:
            continue
        refused.discard(case.name)
        with tempfile.TemporaryDirectory() as folder:
            if run(command, case, Path(folder)):
                for ending in ("xml", "bin"):
                    made = Path(folder) / f"{case.name}.{ending}"
                    (FIXTURES / made.name).write_bytes(made.read_bytes())
            else:
                refused.add(case.name)
        print(case.name, "refused" if case.name in refused else "made", flush=True)
    head = f"# Cases that openvino-dev 2024.6.0 refuses, {datetime.date.today():%Y-%m-%d}."
    listed.write_text("\n".join([head, *sorted(refused), ""]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
