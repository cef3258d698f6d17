// RUN: loomir-opt %s -p ov-if-merge | filecheck %s
// RUN: loomir-opt --remarks %s -p 'ov-if-merge' -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// Results of the first one that the others use are what its branches yield; what stands between them moves before or behind them.
// CHECK-LABEL: func.func @three
// CHECK-NEXT: %[[T:.*]] = ov.tanh %x
// CHECK-NEXT: %[[R:.*]], %[[U:.*]] = ov.if %c -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:   %[[P:.*]] = ov.exp %x
// CHECK-NEXT:   %[[Q:.*]] = ov.add %[[P]], %[[T]]
// CHECK-NEXT:   ov.yield %[[P]], %[[Q]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[S:.*]] = ov.negative %x
// CHECK-NEXT:   ov.yield %x, %[[S]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[A:.*]] = ov.abs %[[R]]
// CHECK-NEXT: func.return %[[A]], %[[U]]
// REMARK-DAG: ov-if-merge: done: ov.if: merged 3 branches of one condition
func.func @three(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %a = ov.abs %r : (tensor<4xf32>) -> tensor<4xf32>
  %t = ov.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %s = ov.if %c -> (tensor<4xf32>) {
    %q = ov.add %r, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %q : tensor<4xf32>
  } else {
    ov.yield %r : tensor<4xf32>
  }
  %u = ov.if %c -> (tensor<4xf32>) {
    ov.yield %s : tensor<4xf32>
  } else {
    %q = ov.negative %s : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %q : tensor<4xf32>
  }
  func.return %a, %u : tensor<4xf32>, tensor<4xf32>
}

// What the second one needs depends on the first one.
// CHECK-LABEL: func.func @in_between
// CHECK-COUNT-2: ov.if
// REMARK-DAG: ov-if-merge: left: ov.if: it needs values that depend on the earlier branch of this condition
func.func @in_between(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %a = ov.abs %r : (tensor<4xf32>) -> tensor<4xf32>
  %s = ov.if %c -> (tensor<4xf32>) {
    ov.yield %a : tensor<4xf32>
  } else {
    %q = ov.negative %a : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %q : tensor<4xf32>
  }
  func.return %s : tensor<4xf32>
}

// Two conditions take turns; the second branch on %d reads what the first one on %c gives, so that those on %c stand before it.
// CHECK-LABEL: func.func @turns
// CHECK:      ov.if %c
// CHECK:      ov.if %d
// CHECK-NOT:  ov.if
func.func @turns(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %s = ov.if %d -> (tensor<4xf32>) {
    %p = ov.tanh %r : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %t = ov.if %c -> (tensor<4xf32>) {
    %p = ov.abs %r : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %u = ov.if %d -> (tensor<4xf32>) {
    %p = ov.add %r, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %s : tensor<4xf32>
  }
  func.return %t, %u : tensor<4xf32>, tensor<4xf32>
}

// What the second one needs reads the first one's result in a region.
// CHECK-LABEL: func.func @in_a_region_between
// CHECK:      ov.if %c
// CHECK:      ov.if %d
// CHECK:      ov.if %c
func.func @in_a_region_between(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %t = ov.if %d -> (tensor<4xf32>) {
    %p = ov.tanh %r : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %s = ov.if %c -> (tensor<4xf32>) {
    ov.yield %t : tensor<4xf32>
  } else {
    %q = ov.negative %t : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %q : tensor<4xf32>
  }
  func.return %s : tensor<4xf32>
}

// The second branch on %c needs one on %d that stands behind another of its condition, and stays there.
// CHECK-LABEL: func.func @turns_that_stay
// CHECK:      ov.if %c
// CHECK:      ov.if %d
// CHECK:      ov.if %c
// CHECK-NOT:  ov.if
func.func @turns_that_stay(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %s = ov.if %d -> (tensor<4xf32>) {
    %p = ov.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %t = ov.if %d -> (tensor<4xf32>) {
    %p = ov.abs %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %u = ov.if %c -> (tensor<4xf32>) {
    %p = ov.negative %t : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %t : tensor<4xf32>
  }
  func.return %r, %s, %u : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The first one may fail, and so may what the second one needs: its error would come first.
// CHECK-LABEL: func.func @error_before
// CHECK:      ov.if %c
// CHECK:      ov.gather %x, %k
// CHECK:      ov.if %c
// REMARK-DAG: ov-if-merge: left: ov.if: merging would change the order of errors
func.func @error_before(%c: tensor<i1>, %x: tensor<4xf32>, %k: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %t = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
  %s = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %t : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// The second one may fail, and would pass what may fail, too; the third on %d may, and passes nothing that does.
// CHECK-LABEL: func.func @error_between
// CHECK:      ov.if %c
// CHECK:      ov.gather %x, %k
// CHECK:      ov.if %c
// CHECK:      ov.if %d
// CHECK-NOT:  ov.if
func.func @error_between(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>, %k: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.if %c -> (tensor<4xf32>) {
    %p = ov.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %t = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
  %s = ov.if %c -> (tensor<4xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %u = ov.if %d -> (tensor<4xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %x : tensor<4xf32>
  }
  %e = ov.exp %r : (tensor<4xf32>) -> tensor<4xf32>
  %v = ov.if %d -> (tensor<4xf32>) {
    %p = ov.gather %x, %k, %axis {out_of_range = "error"} : (tensor<4xf32>, tensor<4xi64>, tensor<i64>) -> tensor<4xf32>
    ov.yield %p : tensor<4xf32>
  } else {
    ov.yield %e : tensor<4xf32>
  }
  func.return %r, %s, %t, %u, %v : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
