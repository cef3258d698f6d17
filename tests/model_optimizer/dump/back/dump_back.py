"""An extension that writes what the back phase leaves."""

from dump.telling import write
from openvino.tools.mo.back.pass_separator import BackFinish
from openvino.tools.mo.back.replacement import BackReplacementPattern


class DumpBack(BackReplacementPattern):
    enabled = True
    run_not_recursively = True

    def run_before(self):
        return []

    def run_after(self):
        return [BackFinish]

    def find_and_replace_pattern(self, graph):
        write(graph, "back")
