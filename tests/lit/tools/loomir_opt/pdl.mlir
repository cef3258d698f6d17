// Patterns in PDL rewrite operations of GRAPH.
// RUN: loomir-opt %s -p apply-pdl | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK: ov.tanh %x : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: func.return
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "ov.exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

pdl.pattern @exp_to_tanh : benefit(1) {
  %type = pdl.type
  %x = pdl.operand
  %exp = pdl.operation "ov.exp" (%x : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %exp {
    %tanh = pdl.operation "ov.tanh" (%x : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %exp with %tanh
  }
}
