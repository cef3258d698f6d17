"""Graphs, nodes, ports and connections."""
