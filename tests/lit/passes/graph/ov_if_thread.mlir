// RUN: loomir-opt -p ov-if-thread --split-input-file %s | filecheck %s
// RUN: loomir-opt --remarks -p 'ov-if-thread{max-operations=4}' --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// `continue` in a loop as torch's exporter writes it. A second branch takes of the first one's results those that are defined: its
// condition is a constant in one arm, and in the other that of the branch inside, behind which it moves on. The loop has a rank then.
func.func @main(%x: tensor<3xf32>, %n: tensor<i64>, %low: tensor<i1>, %high: tensor<i1>) -> tensor<*xf32> {
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1>
  %none = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<3xf32>) -> tensor<*xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<*xf32>):
    %again, %kept, %new = ov.if %low -> (tensor<i1>, tensor<*xf32>, tensor<*xf32>) {
      ov.yield %true, %v, %none : tensor<i1>, tensor<*xf32>, tensor<f32>
    } else {
      %a, %b = ov.if %high -> (tensor<*xf32>, tensor<*xf32>) {
        ov.yield %v, %none : tensor<*xf32>, tensor<f32>
      } else {
        %w = ov.exp %v : (tensor<*xf32>) -> tensor<*xf32>
        ov.yield %none, %w : tensor<f32>, tensor<*xf32>
      }
      ov.yield %high, %a, %b : tensor<i1>, tensor<*xf32>, tensor<*xf32>
    }
    %s = ov.if %again -> (tensor<*xf32>) {
      ov.yield %kept : tensor<*xf32>
    } else {
      %t = ov.negative %new : (tensor<*xf32>) -> tensor<*xf32>
      ov.yield %t : tensor<*xf32>
    }
    ov.next carried(%s : tensor<*xf32>)
  }
  func.return %r : tensor<*xf32>
}
// CHECK:      %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<3xf32>) -> tensor<3xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<3xf32>):
// CHECK-NEXT:   %s = ov.if %low -> (tensor<3xf32>) {
// CHECK-NEXT:     ov.yield %v : tensor<3xf32>
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[S:.*]] = ov.if %high -> (tensor<3xf32>) {
// CHECK-NEXT:       ov.yield %v : tensor<3xf32>
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %w = ov.exp %v
// CHECK-NEXT:       %t = ov.negative %w : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:       ov.yield %t : tensor<3xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:     ov.yield %[[S]] : tensor<3xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   ov.next carried(%s : tensor<3xf32>)
// REMARK: done: {{.*}} moved 4 operations into its branches

// -----

// The second branch chooses among values that have ranks: both stay. A third one, of the same condition, reads one that has none, and
// moves with what it needs.
func.func @main(%c: tensor<i1>, %x: tensor<2xf32>, %s: tensor<f32>) -> (tensor<2xf32>, tensor<*xf32>) {
  %flag, %a, %b = ov.if %c -> (tensor<i1>, tensor<2xf32>, tensor<*xf32>) {
    ov.yield %c, %x, %x : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  } else {
    %y = ov.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    ov.yield %c, %y, %s : tensor<i1>, tensor<2xf32>, tensor<f32>
  }
  %t = ov.if %flag -> (tensor<2xf32>) {
    ov.yield %a : tensor<2xf32>
  } else {
    ov.yield %x : tensor<2xf32>
  }
  %n = ov.negative %b : (tensor<*xf32>) -> tensor<*xf32>
  %u = ov.if %c -> (tensor<*xf32>) {
    ov.yield %n : tensor<*xf32>
  } else {
    ov.yield %t : tensor<2xf32>
  }
  func.return %a, %u : tensor<2xf32>, tensor<*xf32>
}
// CHECK:      ov.if %c -> (tensor<2xf32>, tensor<2xf32>) {
// CHECK-NEXT:   %[[N:.*]] = ov.negative %x
// CHECK-NEXT:   ov.yield %x, %[[N]]
// CHECK-NEXT: } else {
// CHECK:        ov.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// REMARK:     left: {{.*}} 7 operations are more than 4
