"""Selection of transformations: anchors, places, switches."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.extensions.extension import PHASES, Phase, Transformation
from loomir.tools.model_optimizer.convert.phases import BUILT_IN, plan
from tests.support import raises_error


def step(id: str, phase: Phase = "middle", **options: object) -> Transformation:
    def nothing(module: ModuleOp) -> None:
        pass

    return Transformation(id, phase, nothing, **options)  # type: ignore[arg-type]


def ids(*added: Transformation, phase: Phase = "middle", **options: list[str]) -> list[str]:
    return [each.id for each in plan(added, **options).phases[phase]]


@pytest.mark.parametrize("phase", PHASES)
def test_a_phase_stands_between_its_anchors(phase: Phase) -> None:
    found = ids(step("mine", phase), phase=phase)
    assert (found[0], found[-1]) == (f"{phase.capitalize()}Start", f"{phase.capitalize()}Finish")
    assert "mine" in found[1:-1]
    assert all(each.is_anchor for each in (plan().phases[phase][0], plan().phases[phase][-1]))


def test_added_ones_follow_the_built_in_ones() -> None:
    own = [each.id for each in BUILT_IN if each.phase == "middle" and each.enabled]
    assert ids(step("b"), step("a")) == ["MiddleStart", *own, "b", "a", "MiddleFinish"]


def test_a_place_before_the_start_and_behind_the_end() -> None:
    found = ids(
        step("early", run_before=("MiddleStart",)), step("late", run_after=("MiddleFinish",)), step("usual")
    )
    assert found[:2] == ["early", "MiddleStart"]
    assert found[-2:] == ["MiddleFinish", "late"]
    assert found[-3] == "usual"


def test_a_place_beside_another() -> None:
    found = ids(step("after", run_after=("FuseSwish",)), step("before", run_before=("CleanUp",)))
    assert found[1] == "before"
    assert found.index("FuseSwish") < found.index("after")


def test_off_by_itself_on_by_its_id_and_the_other_way_round() -> None:
    off = step("off", enabled=False)
    assert "off" not in ids(off)
    assert "off" in ids(off, enable=["off"])
    assert "CleanUp" not in ids(disable=["CleanUp"])
    assert "CleanUp" in ids(enable=["CleanUp"], disable=["CleanUp"])
    assert "LstmSequenceToLoop" in ids(enable=["LstmSequenceToLoop"])


def test_one_that_does_not_run_has_its_place_all_the_same() -> None:
    chain = [step("c", run_after=("b",)), step("b", enabled=False, run_after=("a",)), step("a")]
    found = ids(*chain)
    assert found.index("a") < found.index("c")


def test_an_id_that_nothing_has() -> None:
    with raises_error("bad-option", "unknown transformation 'Frobnicate'", "known: AcmeX"):
        plan([step("AcmeX")], disable=["Frobnicate"])


def test_two_of_one_id_and_a_cycle_through_an_anchor() -> None:
    for phase in PHASES:
        with raises_error("phase-duplicate", "'CleanUp'"):
            plan([step("CleanUp", phase)])
        with raises_error("phase-duplicate", "'BackStart'"):
            plan([step("BackStart", phase)])
    with raises_error("phase-cycle", "MiddleStart", " → x"):
        plan([step("x", run_before=("MiddleStart",), run_after=("MiddleStart",))])


def test_a_phase_that_does_not_exist() -> None:
    with raises_error("bad-option", "unknown phase 'sideways'"):
        Transformation("x", "sideways")  # type: ignore[arg-type]


def test_the_text_has_ids_and_passes() -> None:
    text = str(plan([Transformation("Mine", "back", "cse,canonicalize")]))
    assert text.splitlines()[-2] == "back: BackStart, Mine (cse,canonicalize), BackFinish"
