"""Programs as graphs of the Model Optimizer, and graphs as programs again.

A run of transformations of the old kind works on one graph (`to_graph.py`) and is read back once (`from_graph.py`), checked by the
verifier like what any pass leaves. Operations that nothing changed stay the very operations that they were, with their regions, types
and locations; what is new or was changed becomes a layer, whose type and version say what it is. `stage_adaptors.py` holds what FRONT
and GRAPH differ in, `running.py` the whole way there and back.
"""

from __future__ import annotations
