// RUN: loomir-opt %s --print-debuginfo | filecheck %s --check-prefix=LOCATIONS
// RUN: loomir-opt %s --print-debuginfo | loomir-opt --print-debuginfo | filecheck %s --check-prefix=LOCATIONS
// RUN: loomir-opt %S/../../../../examples/kws.xml | filecheck %s --check-prefix=ELIDED
// RUN: loomir-opt %S/../../../../examples/kws.xml --full-constants | filecheck %s --check-prefix=FULL
// RUN: loomir-opt %s --print-op-generic | loomir-opt | filecheck %s --check-prefix=BACK
// RUN: not loomir-opt %s -p cse --print-ir-after csee 2>&1 | filecheck %s --check-prefix=NAME
// RUN: loomir-opt %s --syntax-highlight | filecheck %s --check-prefix=COLOUR

// LOCATIONS: func.func @main(%a: tensor<2xf32> loc("{{.*}}printing.mlir":24:17))
// LOCATIONS: %x = ov.exp %a : (tensor<2xf32>) -> tensor<2xf32> loc("{{.*}}printing.mlir":26:8)
// LOCATIONS: func.return %y : tensor<2xf32> loc("the end"("{{.*}}":28:3))

// ELIDED: ov.constant #ov.blob<"{{[0-9a-f]+}}" : tensor<64x1x10x4xi8>>

// FULL: ov.constant dense<"0x{{[0-9A-F]+}}"> : tensor<64x1x10x4xi8>
// FULL-NOT: #ov.blob

// BACK: %y = ov.add %c, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>

// NAME: loomir-opt: error: --print-ir-after csee: unknown pass [bad-option]
// NAME-NEXT: did you mean 'cse'? passes of this pipeline: cse

// COLOUR: func.return {{.*}}[95m%y{{.*}}
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %c = ov.constant dense<[1.5, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %x = ov.exp %a : (tensor<2xf32>) -> tensor<2xf32>
  %y = ov.add %c, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32> loc("the end")
}
