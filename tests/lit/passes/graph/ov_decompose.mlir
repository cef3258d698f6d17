// RUN: loomir-opt %s -p ov-decompose | filecheck %s

// CHECK-LABEL: @softmax
// CHECK-SAME:  (%[[X:[a-z]+]]: tensor<2x?xf32>)
func.func @softmax(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
  // CHECK-NEXT: %[[AXES:[0-9]+]] = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  // CHECK-NEXT: %[[MAX:[0-9]+]] = ov.reduce_max %[[X]], %[[AXES]] {keep_dims = true}
  // CHECK-NEXT: %[[SHIFTED:[0-9]+]] = ov.subtract %[[X]], %[[MAX]]
  // CHECK-NEXT: %[[E:[0-9]+]] = ov.exp %[[SHIFTED]]
  // CHECK-NEXT: %[[SUM:[0-9]+]] = ov.reduce_sum %[[E]], %[[AXES]] {keep_dims = true}
  // CHECK-NEXT: %[[ONE:[0-9]+]] = ov.constant dense<1.000000e+00>
  // CHECK-NEXT: %[[INVERSE:[0-9]+]] = ov.divide %[[ONE]], %[[SUM]] : ({{.*}}, tensor<2x1xf32>) -> tensor<2x1xf32>
  // CHECK-NEXT: %r = ov.multiply %[[E]], %[[INVERSE]] : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
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

// A loop that nothing ends stops the program when it starts; if it does not, its body says what extents there are.
// CHECK-LABEL: @endless
func.func @endless(%x: tensor<2xf32>, %go: tensor<i1>) -> (tensor<2xf32>, tensor<?x?xf32>) {
  // CHECK: %y, %s = ov.loop trip(%t) while(%go) carried(%x)
  // CHECK-NEXT: ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
  // CHECK-NEXT:   ov.fail "the loop never ends: {{.*}}" {kind = "endless"} :
  // CHECK:        %[[F:.*]] = ov.convert
  // CHECK-NEXT:   %[[OVER:[0-9]+]] = ov.constant dense<false>
  // CHECK-NEXT:   ov.next while(%[[OVER]]) carried(%a : tensor<2xf32>) concat(%[[F]] : tensor<1x?xf32>)
  %t = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %y, %s = ov.loop trip(%t) while(%go) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %n = ov.exp %a : (tensor<2xf32>) -> tensor<2xf32>
    %z = ov.non_zero %n {output_type = i64} : (tensor<2xf32>) -> tensor<1x?xi64>
    %f = ov.convert %z {destination_type = f32} : (tensor<1x?xi64>) -> tensor<1x?xf32>
    ov.next carried(%n : tensor<2xf32>) concat(%f : tensor<1x?xf32>)
  }
  func.return %y, %s : tensor<2xf32>, tensor<?x?xf32>
}

// Which extents of a composite's operands are equal the program asks where inference does not know: what the cell is made of would
// broadcast a state for one instance to all of them.
// CHECK-LABEL: @open_batch
// CHECK-SAME:  (%[[X:[a-z]+]]: tensor<?x3xf32>, %[[H:[a-z]+]]: tensor<?x2xf32>
func.func @open_batch(%x: tensor<?x3xf32>, %h: tensor<?x2xf32>, %w: tensor<2x3xf32>, %r: tensor<2x2xf32>, %b: tensor<2xf32>) -> tensor<?x2xf32> {
  // CHECK:      %[[HELD:[0-9]+]] = ov.reduce_logical_and
  // CHECK-NEXT: %[[CHECKED:[0-9]+]] = ov.require %[[H]], %[[HELD]] {kind = "shape", reason = "the initial state of ov.rnn_cell has another N than x"}
  // CHECK-NEXT: ov.mat_mul %[[X]], %w
  // CHECK-NEXT: ov.mat_mul %[[CHECKED]], %r
  // CHECK-NOT:  ov.require
  %y = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 2 : i64} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  func.return %y : tensor<?x2xf32>
}

// CHECK-LABEL: @known_batch
func.func @known_batch(%x: tensor<4x3xf32>, %h: tensor<?x2xf32>, %w: tensor<2x3xf32>, %r: tensor<2x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  // CHECK: ov.require %h, %{{.*}} {kind = "shape", reason = "the initial state of ov.rnn_cell has another extent than N = 4"}
  %y = ov.rnn_cell %x, %h, %w, %r, %b {hidden_size = 2 : i64} : (tensor<4x3xf32>, tensor<?x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  func.return %y : tensor<4x2xf32>
}

// A slope may be broadcast to data, but not data to the slope.
// CHECK-LABEL: @broadcast_to
func.func @broadcast_to(%x: tensor<2x?xf32>, %slope: tensor<1x?xf32>) -> tensor<2x?xf32> {
  // CHECK: %[[SAME:[0-9]+]] = ov.equal
  // CHECK: %[[ONE:[0-9]+]] = ov.equal
  // CHECK: ov.logical_or %[[SAME]], %[[ONE]]
  // CHECK: ov.require %slope, {{.*}} {kind = "shape", reason = "slope of ov.prelu has another dimension 1 than data"}
  %y = ov.prelu %x, %slope : (tensor<2x?xf32>, tensor<1x?xf32>) -> tensor<2x?xf32>
  func.return %y : tensor<2x?xf32>
}
