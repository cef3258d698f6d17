"""Bodies that compute little and hand on much: their own arguments, what comes from outside and constants, in every place.

What asks for the uses of an argument before the terminator is there, takes an argument that is only handed on for one that nobody needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir

pytestmark = pytest.mark.usefixtures("rotated_build")

ENGINES = ("graph", "structured", "loops", "native")
LEVELS = ("O0", "O1", "O2", "Os")
SEEDS, LOOPS = range(3), 14

BOOLEANS = ("c", "p", "s", "x", "t", "f", "d")
"""The condition, both carried flags, a flag from outside, both constants and a comparison of the iteration number."""
NUMBERS = ("q", "a", "k")
"""A carried number, one from outside, a constant."""
SCANNED = (*BOOLEANS, *NUMBERS, "i")


@dataclass
class Handing:
    """A loop: whether it has a trip count and a condition, the condition, carried values and scan outputs of its body, by their names."""

    trip: str
    condition: str
    next: str
    carried: tuple[str, str, str]
    scans: tuple[str, ...]

    @staticmethod
    def random(random: Random) -> Handing:
        trip, condition = random.choice([("n", ""), ("n", "x"), ("n", "z"), ("", "x")])
        # Without a trip count the comparison ends it.
        again = random.choice(BOOLEANS) if trip else "d"
        carried = random.choice(BOOLEANS), random.choice(BOOLEANS), random.choice(NUMBERS)
        return Handing(trip, condition, again, carried, tuple(random.choices(SCANNED, k=random.randrange(3))))

    def text(self, at: int) -> str:
        """The node. (An ONNX body names each result once.)"""
        names, lines, outputs = {}, [], []
        for place, name in enumerate((self.next, *self.carried, *self.scans)):
            if name in names.values() or name in ("x", "a", "z"):
                lines.append(f"o{place} = Identity ({name})")
                names[place] = f"o{place}"
            else:
                names[place] = name
        types = ["bool", "bool", "bool", "float", *(_type(name) for name in self.scans)]
        outputs = [f"{type_} {names[place]}" for place, type_ in enumerate(types)]
        results = [f"l{at}_{k}" for k in range(3 + len(self.scans))]
        return f"""{", ".join(results)} = Loop ({self.trip or '""'}, {self.condition or '""'}, x, z, a) <body = b{at}
          (int64 i, bool c, bool p, bool s, float q) => ({", ".join(outputs)}) {{
          t = Constant <value = bool {{1}}> () f = Constant <value = bool {{0}}> () k = Constant <value = float {{2}}> ()
          two = Constant <value_int = 2> () d = Less (i, two) {" ".join(lines)} }}>"""

    def run(self, feed: dict[str, Any]) -> list[np.ndarray]:
        """Compute the results that the specification prescribes."""
        carried = [feed["x"], feed["z"], feed["a"]]
        again = True if self.condition == "" else bool(feed[self.condition])
        seen, scans, i = True, [[] for _ in self.scans], 0
        while (self.trip == "" or i < feed["n"]) and again:
            now = {**feed, "c": seen, "t": True, "f": False, "k": np.float32(2), "d": i < 2, "i": i}
            now |= dict(zip("psq", carried))
            for scan, name in zip(scans, self.scans):
                scan.append(now[name])
            # The body's condition is what the next iteration sees as its own, whether it ends the loop or not.
            seen = bool(now[self.next])
            again = True if self.condition == "" else seen
            carried = [now[name] for name in self.carried]
            i += 1
        types = ["bool", "bool", "float", *(_type(name) for name in self.scans)]
        return [np.array(v, {"float": np.float32}.get(t, t)) for v, t in zip([*carried, *scans], types)]


def _type(name: str) -> str:
    return "int64" if name == "i" else "float" if name in NUMBERS else "bool"


def model_of(loops: list[Handing]) -> onnx.ModelProto:
    outputs = [
        f"{type_} l{at}_{k}"
        for at, loop in enumerate(loops)
        for k, type_ in enumerate(("bool", "bool", "float", *(f"{_type(s)}[m{at}]" for s in loop.scans)))
    ]
    return onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 21]>
        g (int64 n, bool x, bool z, float a) => ({", ".join(outputs)}) {{
        {" ".join(loop.text(at) for at, loop in enumerate(loops))} }}"""
    )


@pytest.mark.filterwarnings("ignore::loomir.errors.SemanticsWarning")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_handed_on(seed: int, level: str) -> None:
    random = Random(seed)
    loops = [Handing.random(random) for _ in range(LOOPS)]
    model = loomir.load(model_of(loops), level=level)
    for n, x, z in ((0, True, False), (1, True, True), (1, False, True), (2, True, False), (3, True, True)):
        feed = {"n": np.array(n), "x": np.array(x), "z": np.array(z), "a": np.array(3, np.float32)}
        for engine in ENGINES:
            got = model.run(feed, engine=engine)
            for at, loop in enumerate(loops):
                for k, wanted in enumerate(loop.run(feed)):
                    np.testing.assert_array_equal(
                        got[f"l{at}_{k}"], wanted, err_msg=f"{loop} {feed} {engine}", strict=True
                    )
