"""Models that people use, as OpenVINO IR that loomir writes: OpenVINO gives what loomir does, of those too that it cannot load itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from real_models import MODELS, RealModel

import loomir
from loomir.tools.fuzz.openvino_oracle import EXACT
from tests.conformance.test_openvino_round_trip import saved
from tests.openvino_process import run_openvino
from tests.support import assert_agree


@pytest.mark.parametrize("real", MODELS, ids=lambda m: m.name)
def test_real_models(real: RealModel, tmp_path: Path) -> None:
    """Silero with its rate fixed and with `sr` left open, SLANet-plus with its loop, magika, MLPerf Tiny in floats and quantised."""
    model = real.load("O2")
    written = saved(model, tmp_path)
    feed = real.feed(model)
    expected = model.run(feed)
    (actual,) = run_openvino(written, [[np.asarray(feed[i.name]) for i in model.inputs]], tmp_path)
    assert len(actual) == len(expected)
    for (name, value), theirs in zip(expected.items(), actual):
        assert_agree(theirs, value, name)


def test_what_openvino_cannot_load_itself(tmp_path: Path) -> None:
    """Silero as it is distributed: without our help OpenVINO refuses it, so the tests above show something."""
    import openvino as ov

    core = ov.Core()
    (silero,) = (m for m in MODELS if m.name == "silero-any-rate")
    with pytest.raises(RuntimeError, match="If"):
        core.compile_model(core.read_model(silero.file), "CPU", EXACT)
    loomir.load(silero.file)
