// RUN: loomir-opt %s -p ov-decompose | filecheck %s

// CHECK-LABEL: @softmax
// CHECK-SAME:  (%[[X:[a-z]+]]: tensor<2x?xf32>)
func.func @softmax(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  // CHECK-NEXT: %[[AXES:[0-9]+]] = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[MAX:[0-9]+]] = ov.reduce_max %[[X]], %[[AXES]] {keep_dims = true}
  // CHECK-NEXT: %[[SHIFTED:[0-9]+]] = ov.subtract %[[X]], %[[MAX]]
  // CHECK-NEXT: %[[E:[0-9]+]] = ov.exp %[[SHIFTED]]
  // CHECK-NEXT: %[[SUM:[0-9]+]] = ov.reduce_sum %[[E]], %[[AXES]] {keep_dims = true}
  // CHECK-NEXT: %r = ov.divide %[[E]], %[[SUM]] : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: func.return %r
  %r = ov.softmax %x {axis = -1 : i64} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return %r : tensor<2x?xf32>
}

// CHECK-LABEL: @log_softmax
func.func @log_softmax(%x: tensor<3xf16>) -> tensor<3xf16> {
  // CHECK:      ov.reduce_max
  // CHECK-NEXT: %[[SHIFTED:[0-9]+]] = ov.subtract
  // CHECK-NEXT: ov.exp %[[SHIFTED]]
  // CHECK-NEXT: ov.reduce_sum
  // CHECK-NEXT: %[[LOG:[0-9]+]] = ov.log
  // CHECK-NEXT: %r = ov.subtract %[[SHIFTED]], %[[LOG]]
  %r = ov.log_softmax %x {axis = 0 : i64} : (tensor<3xf16>) -> tensor<3xf16>
  func.return %r : tensor<3xf16>
}

// What lies in regions is decomposed too, and what comes out of a decomposition as well.
// CHECK-LABEL: @in_a_region
func.func @in_a_region(%c: tensor<i1>, %x: tensor<4xf32>, %like: tensor<f16>) -> tensor<4xf16> {
  // CHECK: ov.if
  %r = ov.if %c -> (tensor<4xf16>) {
    // CHECK-NEXT: %s = ov.convert %x {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    // CHECK-NEXT: ov.yield %s
    %s = ov.convert_like %x, %like : (tensor<4xf32>, tensor<f16>) -> tensor<4xf16>
    ov.yield %s : tensor<4xf16>
  } else {
    // CHECK-NOT: ov.softmax
    %h = ov.convert %x {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    %s = ov.softmax %h {axis = 0 : i64} : (tensor<4xf16>) -> tensor<4xf16>
    ov.yield %s : tensor<4xf16>
  }
  func.return %r : tensor<4xf16>
}
