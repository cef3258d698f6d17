// RUN: loomir-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: %y = ov.custom "Twist" in "com.example" (%x) : (tensor<2xf32>) -> tensor<2xf32>
  %y = ov.custom "Twist" in "com.example" (%x) : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: ov.custom "Sink" in "extension" () {"a b" = 1 : i64} : () -> ()
  ov.custom "Sink" in "extension" () {"a b" = 1 : i64} : () -> ()
  func.return %y : tensor<2xf32>
}

// -----

func.func @terminator(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{a region of ov.custom must end in ov.yield [mlir-invalid]}}
  %y = ov.custom "Twist" in "com.example" (%x) : (tensor<2xf32>) -> tensor<2xf32> {
    ov.next
  }
  func.return %y : tensor<2xf32>
}
