"""Steps on outputs and single operations.

An operation is removed, and its results are replaced.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from loomir.dialects.walking import walk
from loomir.tools.reduce.case import Case, is_constant
from loomir.tools.reduce.editor import Editor, erase


class Outputs:
    """Take away outputs of the program, but not all."""

    name = "outputs"

    def targets(self, case: Case) -> Sequence[str]:
        return Editor(case, {}).outputs()

    def apply(self, editor: Editor, target: str) -> bool:
        if editor.outputs() == [target]:
            return False
        editor.remove_outputs([target])
        return True


def operations_of(case: Case) -> list[Operation]:
    """Return the operations that a step may remove, the last one first.

    After its removal, the operations of its operands have one use less.
    """
    found = [
        op
        for op in walk(case.module)
        if not isinstance(op, ModuleOp | FuncOp) and not is_constant(op) and not op.has_trait(IsTerminator)
    ]
    return found[::-1]


class ByOperand:
    """An operation's results become an operand that fits; one without results goes."""

    name = "operations by operands"

    def targets(self, case: Case) -> Sequence[Operation]:
        return operations_of(case)

    def apply(self, editor: Editor, target: Operation) -> bool:
        op = editor.op(target)
        if op is None:
            return False
        changed = [self._replace(editor, result, op) for result in op.results]
        if not all(changed):
            return any(changed)
        erase(op)
        return True

    def _replace(self, editor: Editor, result: SSAValue, op: Operation) -> bool:
        return result.first_use is None or any(editor.replace(result, operand) for operand in op.operands)


class BySeen(ByOperand):
    """An operation's results become what they were when the program ran: inputs."""

    name = "operations by inputs"

    def _replace(self, editor: Editor, result: SSAValue, op: Operation) -> bool:
        return editor.substitute(result)


class ByConstant(ByOperand):
    """An operation's results become constants."""

    name = "operations by constants"

    def _replace(self, editor: Editor, result: SSAValue, op: Operation) -> bool:
        return editor.substitute(result, constant=True)
