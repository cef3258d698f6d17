// An extension's operator, transformations and replacement in `loomir convert`.
// RUN: loomir convert %s --extension %S/../../fixtures/acme_extension.py | filecheck %s
// RUN: loomir convert %s --extension %S/../../fixtures/acme_extension.py --enable AcmeRelu | filecheck %s --check-prefix=RELU
// RUN: loomir convert %s --extension %S/../../fixtures/acme_extension.py --print-pipeline | filecheck %s --check-prefix=PLAN
// RUN: loomir convert %s --extension %S/../../fixtures/acme_extension.py --run graph | filecheck %s --check-prefix=RAN
// RUN: not loomir convert %s --extension %S/../../fixtures/acme_extension.py --run native 2>&1 | filecheck %s --check-prefix=NATIVE
// RUN: not loomir convert %s --extension %S/../../fixtures/acme_extension.py -o %t 2>&1 | filecheck %s --check-prefix=NATIVE
// RUN: not loomir convert %s --extension %S/../../fixtures/acme_extension.py --stage loops 2>&1 | filecheck %s --check-prefix=NATIVE
// RUN: not loomir convert %s --extension %S/../../fixtures/acme_extension.py --enable AcmeBreak 2>&1 | filecheck %s --check-prefix=BROKE
// RUN: not loomir convert %s --extension %S/../../fixtures/acme_extension.py --enable AcmeRefuse 2>&1 | filecheck %s --check-prefix=FAILED
// RUN: not loomir convert %s --extension %t.missing.py 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not loomir convert %s --extension numpy 2>&1 | filecheck %s --check-prefix=NUMPY
// Without the extension its operators are known by name only, and nothing can run them.
// RUN: loomir convert %s | filecheck %s --check-prefix=UNKNOWN
// RUN: loomir inspect %s | filecheck %s --check-prefix=INSPECT
// RUN: not loomir convert %s --run graph 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not loomir run %s 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not loomir run %s --engine graph 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not loomir compile %s -o %t 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not loomir inspect %s --stage loops 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not loomir-opt %s -p convert-onnx-to-ov,ov-infer,convert-ov-to-linalg 2>&1 | filecheck %s --check-prefix=REFUSED
// A file that describes what is replaced.
// RUN: echo '[{"id": "AcmeScope", "match_kind": "scope", "instances": ["inner/"], "custom_attributes": {"label": "both"}}]' > %t.json
// RUN: loomir convert %s --extension %S/../../fixtures/acme_extension.py --transformations-config %t.json | filecheck %s --check-prefix=SCOPE
// RUN: loomir convert %s --extension %S/../../fixtures/acme_extension.py --transformations-config %t.json --print-pipeline | filecheck %s --check-prefix=SCOPE-PLAN
// RUN: not loomir convert %s --transformations-config %t.json 2>&1 | filecheck %s --check-prefix=NO-HANDLER
// RUN: echo '[{"id": "AcmeScope", "match_kind": "scope", "instances": ["outer/"], "custom_attributes": {"label": "both"}}]' > %t.none.json
// RUN: not loomir convert %s --extension %S/../../fixtures/acme_extension.py --transformations-config %t.none.json 2>&1 | filecheck %s --check-prefix=NO-MATCH
// RUN: echo '[{"id": "AcmeScope"' > %t.broken.json
// RUN: not loomir convert %s --extension %S/../../fixtures/acme_extension.py --transformations-config %t.broken.json 2>&1 | filecheck %s --check-prefix=NO-JSON
// RUN: echo '[{"id": "AcmeScope", "match_kind": "scope", "instances": ["inner/"]}]' > %t.label.json
// RUN: not loomir convert %s --extension %S/../../fixtures/acme_extension.py --transformations-config %t.label.json 2>&1 | filecheck %s --check-prefix=HANDLER

// CHECK: %[[a:.*]] = ov.abs %x
// CHECK-NEXT: %[[s:.*]] = ov.sigmoid %[[a]]
// CHECK-NEXT: ov.acme.twice %[[s]] : (tensor<4xf32>) -> tensor<4xf32>
// RELU: ov.sigmoid
// RELU-NEXT: ov.relu
// PLAN: front: AcmeDrop, FrontStart,
// RAN: y: float32[4]
// NATIVE: 'twice' (ov.acme.twice): ov.acme.twice has no lowering [no-lowering]
// NATIVE-NEXT: @extension.lowering
// BROKE: after the transformation AcmeBreak the program is not valid: {{.*}} [transformation-broke-ir]
// BROKE-NEXT: correct it in the extension acme
// FAILED: the transformation AcmeRefuse failed: ZeroDivisionError: division by zero [transformation-failed]
// MISSING: the extension {{.*}}missing.py cannot be loaded: FileNotFoundError: {{.*}} [extension-broken]
// NUMPY: numpy holds no Extension [extension-broken]
// UNKNOWN: ov.custom "Drop" in "com.acme"
// UNKNOWN: ov.custom "Twice" in "com.acme"
// INSPECT: ov.custom
// REFUSED: 'Drop' of 'com.acme' are unknown [unknown-operator]
// SCOPE-NOT: ov.abs
// SCOPE: %[[t:.*]] = ov.acme.twice %x
// SCOPE-NEXT: ov.acme.twice %[[t]]
// SCOPE-PLAN: AcmeScope
// NO-HANDLER: {{.*}}.json: no extension replaces 'AcmeScope' [replacement-handler]
// NO-HANDLER-NEXT: known: none
// NO-MATCH: none.json: in the transformation AcmeScope: the replacement 'AcmeScope': no node's name begins with 'outer/' [replacement-match]
// NO-JSON: broken.json: it is not JSON: {{.*}} [replacement-file]
// HANDLER: the transformation AcmeScope failed: KeyError: 'label' [transformation-failed]
builtin.module attributes {onnx.opset = 20 : i64} {
  func.func @main(%x: tensor<4xf32> {loomir.name = "x"}) -> (tensor<4xf32> {loomir.name = "y"}) {
    %d = onnx.node "Drop" 1 in "com.acme" named "drop" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %a = onnx.node "Abs" 13 named "inner/abs" (%d) : (tensor<4xf32>) -> !onnx.unknown
    %s = onnx.node "Sigmoid" 13 named "inner/sigmoid" (%a) : (!onnx.unknown) -> !onnx.unknown
    %y = onnx.node "Twice" 1 in "com.acme" named "twice" (%s) : (!onnx.unknown) -> tensor<4xf32>
    func.return %y : tensor<4xf32>
  }
}
