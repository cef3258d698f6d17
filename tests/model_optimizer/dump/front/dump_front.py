"""An extension that writes what the front phase leaves."""

from dump.telling import write
from openvino.tools.mo.front.common.replacement import FrontReplacementPattern
from openvino.tools.mo.front.pass_separator import FrontFinish


class DumpFront(FrontReplacementPattern):
    enabled = True
    run_not_recursively = True

    def run_before(self):
        return []

    def run_after(self):
        return [FrontFinish]

    def find_and_replace_pattern(self, graph):
        write(graph, "front")
