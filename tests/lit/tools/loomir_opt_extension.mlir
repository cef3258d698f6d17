// An extension's operations are parsed and printed, its passes are run.
// RUN: loomir-opt %s --extension %S/../../fixtures/acme_extension.py | filecheck %s
// RUN: loomir-opt %s --extension %S/../../fixtures/acme_extension.py -p ov-infer,acme-twice-to-relu --verify-stage graph | filecheck %s --check-prefix=RELU
// RUN: loomir-opt %s --extension %S/../../fixtures/acme_extension.py -p acme-twice-to-relu --print-pipeline | filecheck %s --check-prefix=PIPELINE
// RUN: loomir inspect %s --extension %S/../../fixtures/acme_extension.py --pipeline acme-twice-to-relu --mlir | filecheck %s --check-prefix=RELU
// RUN: loomir run %s --extension %S/../../fixtures/acme_extension.py --pipeline acme-twice-to-relu --print-pipeline | filecheck %s --check-prefix=LEVELS
// RUN: not loomir-opt %s --extension %S/../../fixtures/acme_extension.py -p convert-ov-to-linalg 2>&1 | filecheck %s --check-prefix=LOWERING
// RUN: not loomir-opt %s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not loomir-opt %s -p acme-twice-to-relu 2>&1 | filecheck %s --check-prefix=NO-PASS
// RUN: not loomir-opt %s --extension %t.missing.py 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not loomir-opt %s --extension 2>&1 | filecheck %s --check-prefix=ARGUMENT

// CHECK: ov.acme.twice %x : (tensor<2x3xf32>) -> tensor<*xf32>
// RELU: ov.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
// PIPELINE: acme-twice-to-relu
// LEVELS: graph: {{.*}},acme-twice-to-relu
// LOWERING: ov.acme.twice has no lowering [no-lowering]
// UNKNOWN: ov.acme.twice{{.*}} [mlir-syntax]
// NO-PASS: 'acme-twice-to-relu' is not a pass pipeline{{.*}} [bad-pipeline]
// MISSING: loomir-opt: error: the extension {{.*}}missing.py cannot be loaded: FileNotFoundError: {{.*}} [extension-broken]
// ARGUMENT: loomir-opt: error: argument --extension: expected one argument
func.func @main(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  %y = ov.acme.twice %x : (tensor<2x3xf32>) -> tensor<*xf32>
  func.return %y : tensor<*xf32>
}
