"""One operation in several engines against its numpy semantics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from loomir.compiler.model import Engine, Model
from loomir.dialects.ov.base import AttrValue, OvOperation, evaluate
from loomir.dialects.ov.facts import Fact
from tests.operators import one_operation


def check(
    op_class: type[OvOperation],
    arrays: Sequence[np.ndarray],
    attributes: Mapping[str, AttrValue],
    *,
    constants: Sequence[int] = (),
    dynamic: bool = False,
    engines: Sequence[Engine] = ("structured",),
) -> None:
    """Check an operation's inferred facts and its lowering against `evaluate`.

    Integers agree exactly, NaN with NaN, floats to a few units of their last place (exponentials differ there).
    """
    module, op = one_operation(op_class, arrays, attributes, constants=constants, dynamic=dynamic)
    what = f"{op_class.name} {[(a.shape, str(a.dtype)) for a in arrays]} {attributes} dynamic={dynamic}"
    expected = evaluate(op, arrays)
    for fact, array in zip(op.infer([Fact.of_array(a) for a in arrays]), expected, strict=True):
        assert fact.shape is not None, what
        assert len(fact.shape) == array.ndim, what
        for d, extent in zip(fact.shape, array.shape):
            assert d.lo <= extent, what
            assert d.hi is None or extent <= d.hi, what
    model = Model(module)
    feed = {f"x{k}": a for k, a in enumerate(arrays) if k not in constants}
    for engine in engines:
        results = model.run(feed, engine=engine)
        for k, wanted in enumerate(expected):
            got = results[f"y{k}"]
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), f"{engine} {what}"
            if wanted.dtype.kind in "biu":
                np.testing.assert_array_equal(got, wanted, err_msg=f"{engine} {what}")
                continue
            rough = 1e-2 if wanted.dtype.itemsize == 2 else 1e-5
            np.testing.assert_allclose(
                got.astype(np.float64),
                wanted.astype(np.float64),
                rtol=rough,
                atol=1e-5,
                err_msg=f"{engine} {what}",
            )
