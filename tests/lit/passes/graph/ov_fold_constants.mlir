// RUN: loomir-opt %s -p ov-fold-constants,canonicalize | filecheck %s
// RUN: loomir-opt %s -p 'ov-fold-constants{keep-shapeof=true},canonicalize' | filecheck %s --check-prefix=KEEP
// RUN: loomir-opt %s -p ov-fold-constants --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p 'ov-fold-constants{max-bytes=4}' --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=BYTES
// REMARK-DAG: ov-fold-constants: done: ov.shape_of: folded to a constant of 16 bytes
// BYTES-DAG: ov-fold-constants: left: ov.multiply: its 8 bytes are more than the 4 left of max-bytes

// CHECK-LABEL: func.func @shape
// CHECK-NEXT: ov.constant dense<[2, 3]> : tensor<2xi64>
// KEEP-LABEL: func.func @shape
// KEEP-NEXT: ov.shape_of
func.func @shape(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %s = ov.shape_of %x : (tensor<2x3xf32>) -> tensor<2xi64>
  func.return %s : tensor<2xi64>
}

// Types say all that is known: a loop that was counted keeps its scalar trip count.
// KEEP-LABEL: func.func @rank_that_follows_from_a_shape
// KEEP: ov.reduce_sum {{.*}} -> tensor<i64>
func.func @rank_that_follows_from_a_shape(%x: tensor<3x3xi64>) -> tensor<*xi64> {
  %s = ov.shape_of %x : (tensor<3x3xi64>) -> tensor<2xi64>
  %r = ov.shape_of %s : (tensor<2xi64>) -> tensor<1xi64>
  %rr = ov.shape_of %r : (tensor<1xi64>) -> tensor<1xi64>
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %end = ov.squeeze %rr, %axis : (tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
  %begin = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %step = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %axes = ov.range %begin, %end, %step {output_type = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %v = ov.reduce_sum %s, %axes : (tensor<2xi64>, tensor<?xi64>) -> tensor<*xi64>
  func.return %v : tensor<*xi64>
}

// CHECK-LABEL: func.func @arithmetic
// CHECK-NEXT: ov.constant dense<[4, 6]> : tensor<2xi32>
func.func @arithmetic() -> tensor<2xi32> {
  %a = ov.constant dense<[1, 2]> : tensor<2xi32> : tensor<2xi32>
  %b = ov.constant dense<[3, 4]> : tensor<2xi32> : tensor<2xi32>
  %c = ov.add %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return %c : tensor<2xi32>
}

// A bound of an input reaches conditions: at most 8 rows are never more than 8.
// CHECK-LABEL: func.func @bounded
// CHECK-NOT: ov.less_equal
// CHECK: [[TRUE:%.*]] = ov.constant dense<true>
// CHECK: func.return [[TRUE]]
func.func @bounded(%x: tensor<?x2xf32> {loomir.bounds = [8 : i64, 2 : i64]}) -> tensor<*xi1> {
  %eight = ov.constant dense<[8, 2]> : tensor<2xi64> : tensor<2xi64>
  %s = ov.shape_of %x {output_type = i64} : (tensor<?x2xf32>) -> tensor<*xi64>
  %r = ov.less_equal %s, %eight : (tensor<*xi64>, tensor<2xi64>) -> tensor<*xi1>
  func.return %r : tensor<*xi1>
}

// Weights stay as narrow as they are stored: a product widens what it reads. Other operations get what they need.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[W:.*]] = ov.convert %{{.*}} {destination_type = i32} : (tensor<2x2xi8>) -> tensor<2x2xi32>
// CHECK: ov.mat_mul %x, %[[W]]
// CHECK: ov.add %x, %{{.*}} : (tensor<2x2xi32>, tensor<2x2xi32>)
// CHECK-NOT: ov.convert
func.func @narrow(%x: tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %w = ov.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> : tensor<2x2xi8>
  %v = ov.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi8> : tensor<2x2xi8>
  %wide = ov.convert %w {destination_type = i32} : (tensor<2x2xi8>) -> tensor<2x2xi32>
  %other = ov.convert %v {destination_type = i32} : (tensor<2x2xi8>) -> tensor<2x2xi32>
  %p = ov.mat_mul %x, %wide : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %s = ov.add %x, %other : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  func.return %p, %s : tensor<2x2xi32>, tensor<2x2xi32>
}

// In a branch its condition holds, and what follows from it; what is yielded stays.
// CHECK-LABEL: func.func @in_a_branch
// CHECK:      ov.if
// CHECK-NEXT:   %[[N:.*]] = ov.constant dense<9> : tensor<i64>
// CHECK-NEXT:   ov.yield %[[N]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[M:.*]] = ov.multiply %k, %k
// CHECK-NEXT:   ov.yield %[[M]]
// CHECK-NEXT: }
// CHECK-NEXT: ov.add %{{.*}}, %k
func.func @in_a_branch(%k: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %c = ov.equal %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r, %s = ov.if %c -> (tensor<i64>, tensor<i64>) {
    %t = ov.if %d -> (tensor<i64>) {
      %m = ov.negative %k : (tensor<i64>) -> tensor<i64>
      ov.yield %m : tensor<i64>
    } else {
      %m = ov.multiply %k, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
      ov.yield %m : tensor<i64>
    }
    ov.yield %t, %k : tensor<i64>, tensor<i64>
  } else {
    %m = ov.multiply %k, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.yield %m, %k : tensor<i64>, tensor<i64>
  }
  %v = ov.add %r, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
  func.return %r, %v : tensor<i64>, tensor<i64>
}

// Two that contradict each other are never true together.
// CHECK-LABEL: func.func @contradiction
// CHECK-NEXT: %[[M:.*]] = ov.multiply %k, %k
// CHECK-NEXT: func.return %[[M]]
func.func @contradiction(%k: tensor<i64>) -> tensor<i64> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %c = ov.less %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %d = ov.less %five, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %e = ov.logical_and %c, %d : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %r = ov.if %e -> (tensor<i64>) {
    ov.yield %k : tensor<i64>
  } else {
    %m = ov.multiply %k, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.yield %m : tensor<i64>
  }
  func.return %r : tensor<i64>
}
