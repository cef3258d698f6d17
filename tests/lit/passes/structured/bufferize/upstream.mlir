// REQUIRES: mlir-opt
// RUN: loomir-opt %S/rotate.mlir -p bufferize --split-input-file | mlir-opt-22 --split-input-file | filecheck %s
// RUN: loomir-opt %S/branches.mlir -p bufferize --split-input-file | mlir-opt-22 --split-input-file | filecheck %s
// RUN: loomir-opt %S/scan.mlir -p bufferize --split-input-file | mlir-opt-22 --split-input-file | filecheck %s
// RUN: loomir-opt %S/signature.mlir -p bufferize --split-input-file | mlir-opt-22 --split-input-file | filecheck %s

// Upstream verifies what bufferization makes, but for padding, which its linalg doesn't know.
// CHECK: func.func @main
