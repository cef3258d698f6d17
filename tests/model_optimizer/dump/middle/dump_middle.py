"""An extension that writes what the middle phase leaves."""

from dump.telling import write
from openvino.tools.mo.back.pass_separator import BackStart
from openvino.tools.mo.middle.pass_separator import MiddleFinish
from openvino.tools.mo.middle.replacement import MiddleReplacementPattern


class DumpMiddle(MiddleReplacementPattern):
    enabled = True
    run_not_recursively = True

    def run_before(self):
        return [BackStart]

    def run_after(self):
        return [MiddleFinish]

    def find_and_replace_pattern(self, graph):
        write(graph, "middle")
