"""Mistakes in passes that change the layout of what loops carry and slice."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_lit = ("passes/graph/ov_loop_carry_layout.mlir",)
_changes = Place("passes/graph/ov_loop_carry_layout/changes.py", _lit)
_carried = Place("passes/graph/ov_loop_carry_layout/carried.py", _lit)
_sliced = Place("passes/graph/ov_loop_carry_layout/sliced.py", _lit)
_narrowing = Place("passes/graph/ov_loop_carry_layout/narrowing.py", _lit)
_joined_lit = ("passes/graph/ov_loop_carry_joined.mlir", "passes/graph/xla/loop_joins.mlir")
_families = Place("passes/graph/ov_loop_carry_joined/families.py", _joined_lit)
_plan = Place("passes/graph/ov_loop_carry_joined/plan.py", _joined_lit)
_shifts = Place("passes/graph/ov_loop_shift_slices.py", ("passes/graph/ov_loop_shift_slices.mlir",))

LAYOUTS: tuple[Mutation, ...] = (
    _changes(
        "order-undone-by-itself",
        "return Transposed(tuple(self.place_of(k) for k in range(len(self.order))))",
        "return Transposed(self.order)",
        "a transpose is undone by the same one",
    ),
    _changes(
        "dimension-that-may-not-go",
        "if not all(wide[k] == 1 for k in axes):",
        "if False:",
        "a squeeze of an open extent gives what it was given back",
    ),
    _carried(
        "initial-value-that-is-wide",
        "if not change.keeps_every_value and not self._is_undone(self._initial(k), change):",
        "if False:",
        "an initial value is rounded to the narrow type",
    ),
    _carried(
        "next-value-that-is-wide",
        "            elif not change.keeps_every_value:\n                return 0\n",
        "",
        "a next value is rounded to the narrow type",
    ),
    _carried(
        "changed-although-it-does-not-pay",
        "gain -= len(changed) < len(reads)",
        "pass",
        "a value is changed back in each iteration for what reads it as it is",
    ),
    _carried(
        "each-alone",
        "group[first_of(k)] = first_of(arguments[value])",
        "pass",
        "values that iterations hand on are not changed together",
    ),
    _carried(
        "changed-although-the-program-grows",
        "if gain <= 0 or not (grow or change.is_free or not self._made_outside(change)):",
        "if gain <= 0:",
        "small code moves elements around a loop",
    ),
    _sliced(
        "sliced-along-the-old-axis",
        "axis=change.place_of(cut.normalised_axis(len(change.order)))",
        "axis=cut.normalised_axis(len(change.order))",
        "a transposed input is sliced along the axis of the input",
    ),
    _sliced(
        "slices-that-are-read-as-they-are",
        "if not isinstance(change, Transposed) or found not in (None, change):",
        "if change is None:\n            continue\n        if not isinstance(change, Transposed):",
        "what reads the slice itself gets it transposed",
    ),
    _sliced(
        "transposed-of-any-size",
        "if not room.take(_size(value, inference)):",
        "if False:",
        "a transposed input takes more memory than it may",
    ),
    _narrowing(
        "narrow-although-read-wide",
        "            else:\n                break\n",
        "            else:\n                continue\n",
        "high bits that are read are lost",
    ),
    _narrowing(
        "narrow-maximum",
        "element = _integer_type(op.results[0]) if isinstance(op, _RING) else None",
        'element = _integer_type(op.results[0]) if isinstance(op, _RING) or op.name == "ov.maximum" else None',
        "the low bits of a maximum are not the maximum of low bits",
    ),
    _shifts(
        "shifted-although-it-may-fail",
        "shifts = shifts_of(loop, lambda op: may_stop(op, inference))",
        "shifts = shifts_of(loop, lambda op: False)",
        "what may stop the program is computed for iterations that may not come",
    ),
    _shifts(
        "shifted-of-another-shape",
        "alike = initial.type == value.type == argument.type",
        "alike = True",
        "an initial value of another shape is joined with slices",
    ),
    _shifts(
        "shifted-with-a-last-value",
        "not any(result.first_use is not None for result in loop.last)\n            and all(k",
        "all(k",
        "a loop with a last value that is read does not go",
    ),
    _shifts(
        "shifted-although-it-is-needed-now",
        "use.index - first in self.order if use.operation is self.end else use.operation in found",
        "use.index - first in self.order if use.operation is self.end else True",
        "what the iteration itself needs does not leave the loop",
    ),
    _shifts(
        "shifted-of-any-size",
        "        if why is not None:\n",
        "        if False:\n",
        "shifted tensors take more memory than they may",
    ),
    _shifts(
        "shifted-the-other-way",
        "both = [second, first] if axis.backwards else [first, second]",
        "both = [first, second]",
        "backwards the first iteration gets the initial value last",
    ),
    _shifts(
        "final-value-of-the-last-but-one",
        "last = part(source, -1, _END) if forwards else part(source, 0, 1)",
        "last = part(source, 0, 1)",
        "the final value is that of the first iteration",
    ),
    _families(
        "parts-in-any-order",
        "in_order = begins == [k * size for k in range(len(values))] and size * len(values) == extent",
        "in_order = size * len(values) == extent",
        "parts that are taken in another order are not one tensor",
    ),
    _families(
        "parts-that-are-not-in-front",
        "return all(extent == 1 for extent in shape[: axis % len(shape)]) if shape else False",
        "return bool(shape)",
        "parts along an inner axis are not one behind the other",
    ),
    _families(
        "parts-computed-although-that-may-fail",
        "are_alike(ops[0], op) and speculatable(op, self.fact_of) for op in ops",
        "are_alike(ops[0], op) for op in ops",
        "for all parts at once something fails that an earlier operation had kept from running",
    ),
    _plan(
        "joined-although-a-part-is-read",
        "    if alone:\n",
        "    if False:\n",
        "a carried value that is read by itself is carried no more",
    ),
)
