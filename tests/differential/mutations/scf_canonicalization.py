"""Mistakes in the canonicalisation of `scf`."""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation, Place

_CANONICAL = ("passes/general/canonicalize_scf_*.mlir",)

_ifs = Place("dialects/scf_canonicalization/branches.py", _CANONICAL)
_merged = Place("dialects/scf_canonicalization/branches.py", _CANONICAL)
_fors = Place("dialects/scf_canonicalization/loops.py", _CANONICAL)
_whiles = Place("dialects/scf_canonicalization/loops.py", _CANONICAL)
_handed = Place("dialects/scf_canonicalization/__init__.py", _CANONICAL)
_known = Place("dialects/scf_canonicalization/branches.py", _CANONICAL)
_counters = Place(
    "dialects/scf_canonicalization/loops.py",
    _CANONICAL,
    ("passes/structured/test_scf_uplift_while_to_for.py",),
)

SCF_CANONICALIZATION: tuple[Mutation, ...] = (
    _known(
        "scf-around-in-the-other-arm",
        "in _parts(around.cond, region is around.true_region):",
        "in _parts(around.cond, True):",
        "in the second arm the condition holds",
    ),
    _known(
        "scf-opposite-around",
        "return None if known is None else not known",
        "return known",
        "where a condition holds its negation does",
    ),
    _known(
        "scf-parts-of-what-does-not-hold",
        "isinstance(made, arith.AndIOp if truth else arith.OrIOp)",
        "isinstance(made, arith.AndIOp | arith.OrIOp)",
        "where a conjunction does not hold none of its parts does",
    ),
    _known(
        "scf-unsigned-order-as-signed",
        'possible = "<=>" if "=" in possible else "<>"',
        "pass",
        "what is less as a signed number is less as an unsigned one",
    ),
    _known(
        "scf-bounds-one-too-near",
        "            return low, number - 1\n",
        "            return low, number - 3\n",
        "what is less than 5 is less than 3",
    ),
    _known(
        "scf-interval-of-another-value",
        "    elif fact.lhs is not value:\n        return low, high\n",
        "",
        "what holds of one number holds of another",
    ),
    _counters(
        "scf-counter-without-its-begin",
        "base = before.sum(carried.initial, before.times(before.cast(op.lb, type_), -factor))",
        "base = before.sum(carried.initial, before.times(before.cast(op.lb, type_), 0))",
        "a loop that begins at 1 counts from there",
    ),
    _counters(
        "scf-counter-by-no-multiple",
        "                if added % step:\n                    continue\n",
        "",
        "a counter by 3 in a loop by 2 is one by 2",
    ),
    _counters(
        "scf-ends-without-its-last-part",
        "length = before.emit(arith.CeilDivUIOp(length, op.step))",
        "length = before.emit(arith.DivUIOp(length, op.step))",
        "an iteration that is a part of a step is none",
    ),
    _handed(
        "scf-alike-whatever-they-read",
        "form = (*operation_fingerprint(inner), *map(known, inner.operands))",
        "form = operation_fingerprint(inner)",
        "equal operations of other values are equal",
    ),
    _handed(
        "scf-alike-whatever-they-do",
        "return len(op.results) == 1 and not op.regions and is_side_effect_free(op)",
        "return len(op.results) == 1 and not op.regions",
        "what has effects is equal to its like",
    ),
    _ifs(
        "scf-condition-of-both-arms",
        "((op.true_region, True), (op.false_region, False))",
        "((op.true_region, True), (op.false_region, True))",
        "the condition is true in its second arm",
    ),
    _ifs(
        "scf-true-false-exchanged",
        "            if if_true:\n",
        "            if if_false:\n",
        "`if c false else true` is `c`",
    ),
    _ifs(
        "scf-select-of-inside-values",
        "if any(owning_block(v) is arm for v, arm in zip(values, arms)):",
        "if all(owning_block(v) is arm for v, arm in zip(values, arms)):",
        "what an arm computes is selected before it",
    ),
    _ifs(
        "scf-select-exchanged",
        "select = arith.SelectOp(op.cond, *values)",
        "select = arith.SelectOp(op.cond, *reversed(values))",
        "where the condition holds the second arm's value is selected",
    ),
    _ifs(
        "scf-empty-arm-of-two",
        "or op.false_region.block.first_op is not op.false_region.block.last_op",
        "or False",
        "a second arm that does something goes",
    ),
    _merged(
        "scf-merged-not-swapped",
        "seconds = [op.false_region, op.true_region] if swapped else",
        "seconds = [op.true_region, op.false_region] if swapped else",
        "behind `if c` an `if not c` has its arms as they are",
    ),
    _merged(
        "scf-merged-results",
        "rewriter.replace(op, [], new.results[count:])\n        rewriter.replace(first, [], new.results[:count])",
        "rewriter.replace(op, [], new.results[: len(op.output)])\n"
        "        rewriter.replace(first, [], new.results[len(op.output) :])",
        "the results of both branches change places",
    ),
    _merged(
        "scf-inner-otherwise",
        "if any(k is None or there[k] is not value for k, value in zip(numbers, otherwise)):",
        "if any(k is None for k, value in zip(numbers, otherwise)):",
        "where the inner branch is not taken it gives what the outer one does",
    ),
    _merged(
        "scf-inner-arm-does-something",
        "if not all(_is_empty(region) for region in (op.false_region, inner.false_region)):",
        "if not _is_empty(op.false_region):",
        "what the inner second arm does is lost",
    ),
    _fors(
        "one-step-apart-by-more",
        "elif step is not None and distance <= step:",
        "elif step is not None:",
        "bounds two steps apart are one iteration",
    ),
    _fors(
        "one-step-apart-of-none",
        "if distance <= 0:",
        "if distance == 0:",
        "a bound below the begin is one iteration",
    ),
    _fors(
        "one-step-that-wraps",
        "if not isinstance(add, arith.AddiOp) or arith.IntegerOverflowFlag.NSW not in add.overflow_flags.data:",
        "if not isinstance(add, arith.AddiOp):",
        "a sum that may wrap around is greater than what it is made of",
    ),
    _fors(
        "same-of-no-iteration",
        "            if trips:\n",
        "            if trips != 0:\n",
        "what each iteration hands on is the result of a loop that may run none",
    ),
    _whiles(
        "scf-never-again-by-its-second-region",
        "if constant_integer(condition) == 0 and first.target is not None:",
        "if constant_integer(condition) is not None and first.target is not None:",
        "a loop whose condition is true is what its first region computes",
    ),
    _whiles(
        "scf-condition-holds-exchanged",
        "if operands == [asked.rhs, asked.lhs]:\n        predicate = EXCHANGED[predicate]",
        "if operands == [asked.rhs, asked.lhs]:\n        pass",
        "where `a < b` holds `b < a` does",
    ),
    _whiles(
        "scf-arguments-by-place",
        "new.results[arguments.index(value)] for value in given",
        "new.results[given.index(value)] for value in given",
        "results of a loop that hands on in another order stay in their places",
    ),
    _handed(
        "scf-handed-on-by-one-way",
        "found = reached.pop() if len(reached) == 1 else None",
        "found = reached.pop()",
        "what may be one of two values is the one",
    ),
    _handed(
        "scf-equal-by-the-last-way",
        "of = tuple(map(known, sources))",
        "of = tuple(map(known, sources[-1:]))",
        "values that go on alike are equal, whatever they begin with",
    ),
    _handed(
        "scf-arguments-as-results",
        "numbers.setdefault((place[value], value.type, of), len(numbers))",
        "numbers.setdefault((value.type, of), len(numbers))",
        "arguments and results to which the same is handed on are one",
    ),
    _handed(
        "scf-unused-although-read",
        "if any((use.operation, use.index) not in places for use in v.uses)]",
        "if any(use.operation.parent_op() is op and (use.operation, use.index) not in places for use in v.uses)]",
        "what only a nested region, or something behind, reads goes",
    ),
)
