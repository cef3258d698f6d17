"""Other engines and loomir's, each in a process of its own that is asked for one run at a time.

`protocol` is the side of the engine, `process` the side of the benchmark. The other modules are one engine each; a
`requirements-<name>.txt` beside them names what the environment `build/engines/<name>` holds (`make engines`).
"""
