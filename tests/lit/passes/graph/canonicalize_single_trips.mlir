// RUN: loomir-opt %s -p canonicalize --split-input-file | filecheck %s

// CHECK-LABEL: @condition_before
// CHECK-NOT: ov.loop
// CHECK: ov.if %c
// CHECK: ov.exp
// CHECK: ov.yield %x
func.func @condition_before(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%one) while(%c) carried(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// -----

// The trip count says whether there is a first trip; what is joined has one row, or none.
// CHECK-LABEL: @trips_before
// CHECK: [[RUNS:%.*]] = ov.not_equal %n
// CHECK: ov.if [[RUNS]] -> (tensor<?x4xf32>)
// CHECK: ov.constant dense<> : tensor<0x4xf32>
func.func @trips_before(%n: tensor<i64>, %x: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %stop = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %r = ov.loop trip(%n) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>):
    %w = ov.exp %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next while(%stop) concat(%w : tensor<1x4xf32>)
  }
  func.return %r : tensor<?x4xf32>
}

// -----

// Two trips.
// CHECK-LABEL: @two
// CHECK: ov.loop
func.func @two(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%two) while(%c) carried(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
