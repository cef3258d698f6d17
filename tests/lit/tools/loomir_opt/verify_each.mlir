// The program is verified after each pass, unless that is switched off.
// RUN: not loomir-opt %s -p apply-pdl 2>&1 | filecheck %s --check-prefix=BROKEN
// RUN: not loomir-opt %s -p apply-pdl --verify-each 2>&1 | filecheck %s --check-prefix=BROKEN
// RUN: loomir-opt %s -p apply-pdl --verify-each=0 | filecheck %s
// RUN: loomir-opt %s -p apply-pdl --verify-each=false | filecheck %s
// RUN: not loomir-opt --verify-each=false %S/places_of_diagnostics.mlir --split-input-file 2>&1 | filecheck %s --check-prefix=READ
// RUN: loomir-opt %s -p apply-pdl --disable-verify --verify-each=0 | filecheck %s
// RUN: not loomir-opt %s --disable-verify --verify-each 2>&1 | filecheck %s --check-prefix=BOTH

// BROKEN: after the pass apply-pdl the program is not valid: {{.*}} [pass-broke-ir]
// CHECK: ov.add %x : (tensor<2xf32>) -> tensor<2xf32>
// READ: [mlir-invalid]
// BOTH: --disable-verify excludes --verify-each and --verify-stage [bad-option]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "ov.exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// It has too few operands.
pdl.pattern @exp_to_add : benefit(1) {
  %type = pdl.type
  %x = pdl.operand
  %exp = pdl.operation "ov.exp" (%x : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %exp {
    %add = pdl.operation "ov.add" (%x : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %exp with %add
  }
}
