"""stub while building"""
from loomir.compiler.interpreters.linalg import LinalgFunctions as CompiledLinalgFunctions
from loomir.compiler.interpreters.scf import ScfFunctions as CompiledScfFunctions
