"""Mistakes in what puts elements into vectors: the printer, its functions of instructions, the lowering of nests.

Each names the groups of programs of `tests/differential/vector_programs.py` that are about it, for the machine that users get.
"""

from __future__ import annotations

from tests.differential.mutations.mutation import Mutation


def _in(file: str, groups: str, name: str, old: str, new: str, what: str) -> Mutation:
    """A mistake in a file, which programs of these groups, separated by commas, notice."""
    test = "differential/test_vectors.py::test_agrees_with_the_graph_engine[native-{}]"
    return Mutation(name, file, old, new, what, (), tests=tuple(map(test.format, groups.split(","))))


_PRINTER = "compiler/formats/c/vectors.py"
_FUNCTIONS = "compiler/formats/c/vector_functions.py"
_QUADS = "compiler/formats/c/vector_functions.py"

VECTORS: tuple[Mutation, ...] = (
    _in(
        _PRINTER,
        "arithmetic",
        "vector-load-of-the-next",
        '"u"\n        return f"*({const}{value_type(type_)}{end} *)&{view.at(indices).text}"',
        '"u"\n        return f"*({const}{value_type(type_)}{end} *)(&{view.at(indices).text} + {int(view.const)})"',
        "what is read begins an element later",
    ),
    _in(
        _PRINTER,
        "arithmetic",
        "vector-sum-of-floats",
        'arith.AddfOp: "+", arith.SubfOp',
        'arith.AddfOp: "-", arith.SubfOp',
        "vectors of floats are subtracted, not added",
    ),
    _in(
        _PRINTER,
        "sums",
        "vector-sum-of-integers",
        'arith.AddiOp: "+", arith.SubiOp',
        'arith.AddiOp: "-", arith.SubiOp',
        "vectors of integers are subtracted, not added",
    ),
    _in(
        _PRINTER,
        "arithmetic",
        "vector-negation",
        'f"-{self.host.atom(operands[0]).text}"',
        'f"{self.host.atom(operands[0]).text}"',
        "vectors keep their sign",
    ),
    _in(
        _PRINTER,
        "arithmetic",
        "vector-shift-by-a-number",
        'f"({signed})(({unsigned}){x} << {by})"',
        'f"({signed})(({unsigned}){x} << {by + 1})"',
        "vectors are shifted by a bit more",
    ),
    _in(
        _PRINTER,
        "products of bytes",
        "vector-shift-right",
        'f"{x} >> {by}"',
        'f"({signed})(({unsigned}){x} >> {by})"',
        "vectors of negative integers are shifted without their sign",
    ),
    _in(
        _PRINTER,
        "masks",
        "vector-arms-exchanged",
        "self._read(op.lhs, lane, lines), self._read(op.rhs, lane, lines)",
        "self._read(op.rhs, lane, lines), self._read(op.lhs, lane, lines)",
        "of two vectors the other one is chosen",
    ),
    _in(
        _PRINTER,
        "arithmetic",
        "vector-maximum-is-minimum",
        'relation = ">" if isinstance(op, arith.MaximumfOp) else "<"',
        'relation = "<" if isinstance(op, arith.MaximumfOp) else ">"',
        "the greater of two vectors is the smaller one",
    ),
    _in(
        _PRINTER,
        "arithmetic",
        "vector-maximum-forgets-nan",
        "for first, second in ((b, a),) if is_bound else ((a, b), (b, a)):",
        "for first, second in ((b, a),) if is_bound else ((a, b), (a, b)):",
        "one of two vectors with a NaN gives the other",
    ),
    _in(
        _PRINTER,
        "masks",
        "vector-mask-of-the-first-lane",
        "            e = self.masks[operand](lane)\n",
        '            e = self.masks[operand]("0")\n',
        "every lane asks the comparison of the first",
    ),
    _in(
        _PRINTER,
        "arithmetic",
        "vector-lanes-but-the-last",
        "{lane} = 0; {lane} < {lanes_of(vector_.type)};",
        "{lane} = 0; {lane} < {max(lanes_of(vector_.type) - 1, 1)};",
        "a loop over lanes leaves the last one out",
    ),
    _in(
        _PRINTER,
        "arithmetic",
        "vector-lane-of-the-first",
        '        return Expr(f"{atom.text}[{lane}]", reads=atom.reads)',
        '        return Expr(f"{atom.text}[{lane} & ~1]", reads=atom.reads)',
        "odd lanes read the even ones before them",
    ),
    _in(
        _PRINTER,
        "casts",
        "vector-extended-with-a-sign",
        '"u" if isinstance(op, arith.ExtUIOp) else "i", lanes_of',
        '"i" if isinstance(op, arith.ExtUIOp) else "i", lanes_of',
        "unsigned integers are widened with a sign",
    ),
    _in(
        _PRINTER,
        "arithmetic,layouts",
        "vector-broadcast-of-half",
        "(lanes * width)[:width]",
        "(lanes * (width // 2) + [Expr('0')] * width)[:width]",
        "a number is in half of the lanes",
    ),
    _in(
        _PRINTER,
        "casts",
        "vector-narrow-factor",
        "-(1 << 31) <= number < 1 << 31",
        "-(1 << 63) <= number < 1 << 63",
        "a factor of 64 bits counts as one of 32",
    ),
    _in(
        _FUNCTIONS,
        "casts",
        "conversion-other-sign",
        'letters = "epi" if sign == "i" else "epu"',
        'letters = "epu" if sign == "i" else "epi"',
        "the instruction that widens takes the other sign",
    ),
    _in(
        _FUNCTIONS,
        "casts",
        "conversion-of-more-lanes",
        'function = f"{prefix}_cvtepi{bits}_epi{to}"',
        'function = f"{prefix}_cvtsepi{bits}_epi{to}"',
        "the instruction that narrows saturates",
    ),
    _in(
        _FUNCTIONS,
        "products of bytes",
        "upper-half-of-another-bit",
        "({prefix}_mul_epi32(({register})a, ({register})b), 32);",
        "({prefix}_mul_epi32(({register})a, ({register})b), 31);",
        "of even lanes the upper half begins a bit lower",
    ),
    _in(
        _QUADS,
        "products of bytes",
        "quads-zero-forgotten",
        "const words a = x02 - (int16_t)zero, b = x13 - (int16_t)zero;",
        "const words a = x02, b = x13 - (int16_t)zero;",
        "half of the bytes have no zero point",
    ),
    _in(
        _QUADS,
        "products of bytes",
        "quads-unsigned-as-signed",
        "f\"{prefix}_dpbusd_{end}({given('acc')}, {given(from_zero)}, {given('w')})\"",
        "f\"{prefix}_dpbusd_{end}({given('acc')}, {given('x')}, {given('w')})\"",
        "signed bytes are multiplied as unsigned ones",
    ),
    _in(
        "passes/loops/linalg_form_quads.py",
        "products of bytes",
        "quads-zero-negated",
        "zero = number if isinstance(op, arith.SubiOp) else -number",
        "zero = -number if isinstance(op, arith.SubiOp) else number",
        "a zero point is added",
    ),
    _in(
        "passes/loops/arith_form_high_products.py",
        "products of bytes",
        "high-product-shift",
        "_constant(new, by - _HALF)",
        "_constant(new, by - _HALF + 1)",
        "an upper half is shifted by a bit too many",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/index_math.py",
        "arithmetic",
        "spread-of-another-number",
        '    key = "spread", value\n',
        '    key = "spread", value.type\n',
        "of two numbers of a type the first is spread",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/loop_transforms.py",
        "layouts",
        "last-of-a-part",
        "yield IterationRange(first, first + whole, points, width, inside)",
        "yield IterationRange(first, first + max(whole - points * width, points * width), points, width, inside)",
        "of several vectors along a loop the last one is left out",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/loop_transforms.py",
        "sums,nests",
        "shift-of-points",
        "        total += factor * by\n",
        "        total += factor * (by - 1 if by > 1 else by)\n",
        "a vector of a tile is an element too early",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/nest_memory.py",
        "sums",
        "apart-in-another-order",
        "with self._each({dim: (tile.width, 1)}, Tile()) as (lane,):",
        "with self._each({dim: (tile.width // 2, 1)}, Tile()) as (lane,):",
        "half of the elements that lie apart come into the row",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/nest_memory.py",
        "layouts,sums,nests",
        "same-place-for-all-points",
        "    return (*what, *(shift_of(terms, shift) for terms in access.coordinates))",
        "    return (*what, *(shift_of(terms, shift) for terms in access.coordinates[1:]))",
        "rows of a tile share an element",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/reductions.py",
        "sums",
        "halves-of-one",
        "for n in (0, width)\n",
        "for n in (0, 0)\n",
        "the lower half of a vector is gathered twice",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/reductions.py",
        "sums",
        "gathered-of-the-first",
        "    for other in others:\n",
        "    for other in others[:-1]:\n",
        "the last vector of accumulators is left out",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/nest_body.py",
        "sums",
        "neutral-is-first",
        "    return self.emitter.constants.get(number, type_, self.emitter.location)".replace(
            "    return", "        return"
        ),
        "        return self.emitter.constants.get(number + 1, type_, self.emitter.location)",
        "accumulators begin with one more than what changes nothing",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/borders.py",
        "nests",
        "copy-beside-the-padding",
        "onto = [emitter.add(j, by) for j, by in zip(inside, low)]",
        "onto = [emitter.add(j, 0) for j, by in zip(inside, low)]",
        "a copy lies in its padding",
    ),
    _in(
        "passes/loops/lower_linalg_to_loops/borders.py",
        "layouts,nests",
        "border-inside",
        "found = (first, end) if found is None else (max(found[0], first), min(found[1], end))",
        "found = (first, end + 1) if found is None else (max(found[0], first), min(found[1], end))",
        "the first of the border counts as inside",
    ),
)
