// RUN: loomir-opt -p ov-if-resolve-ranks --split-input-file %s | filecheck %s
// RUN: loomir-opt --remarks -p 'ov-if-resolve-ranks{max-operations=3}' --split-input-file %s -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// What works on %r moves into the branches; %t and %q, whose operands have one rank, stay behind them; %e, which the moved
// operation needs, stays in front.
func.func @main(%c: tensor<i1>, %x: tensor<f32>, %v: tensor<1xf32>, %one: tensor<1xi64>) -> (tensor<?xf32>, tensor<2xf32>) {
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<f32>
  } else {
    ov.yield %v : tensor<1xf32>
  }
  %e = ov.abs %one : (tensor<1xi64>) -> tensor<1xi64>
  %s = ov.reshape %r, %e : (tensor<*xf32>, tensor<1xi64>) -> tensor<?xf32>
  %t = ov.exp %s : (tensor<?xf32>) -> tensor<?xf32>
  %q = ov.concat %t, %s {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<2xf32>
  func.return %t, %q : tensor<?xf32>, tensor<2xf32>
}
// CHECK:      %e = ov.abs %one
// CHECK-NEXT: %s = ov.if %c -> (tensor<1xf32>) {
// CHECK-NEXT:   %[[A:.*]] = ov.reshape %x, %e : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
// CHECK-NEXT:   ov.yield %[[A]] : tensor<1xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[B:.*]] = ov.reshape %v, %e : (tensor<1xf32>, tensor<1xi64>) -> tensor<1xf32>
// CHECK-NEXT:   ov.yield %[[B]] : tensor<1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %t = ov.exp %s : (tensor<1xf32>) -> tensor<1xf32>
// CHECK-NEXT: %q = ov.concat %t, %s
// REMARK:     done: {{.*}} moved 1 operations into its branches

// -----

// All that reads %r broadcasts it to one axis, or looks at its type: the scalar gets an axis, and nothing moves.
// CHECK-LABEL: @broadcast
func.func @broadcast(%c: tensor<i1>, %x: tensor<f32>, %v: tensor<1xf32>, %w: tensor<2x?xf32>, %i: tensor<?xi64>) -> (tensor<2x?xf32>, tensor<?xf32>) {
  // CHECK:      %r = ov.if %c -> (tensor<1xf32>) {
  // CHECK:        %[[X:.*]] = ov.unsqueeze %x, %{{.*}} : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
  // CHECK-NEXT:   ov.yield %[[X]] : tensor<1xf32>
  // CHECK:        ov.yield %v : tensor<1xf32>
  // CHECK:      ov.add %w, %r
  // CHECK:      ov.convert_like %i, %r
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<f32>
  } else {
    ov.yield %v : tensor<1xf32>
  }
  %s = ov.add %w, %r : (tensor<2x?xf32>, tensor<*xf32>) -> tensor<2x?xf32>
  %j = ov.convert_like %i, %r : (tensor<?xi64>, tensor<*xf32>) -> tensor<?xf32>
  func.return %s, %j : tensor<2x?xf32>, tensor<?xf32>
}
// REMARK:     done: {{.*}} result 0 has the rank 1 of its users in both branches

// -----

// Beside a scalar the sum has %r's rank, and which the Reshape sees: both move.
// CHECK-LABEL: @observed
func.func @observed(%c: tensor<i1>, %x: tensor<f32>, %v: tensor<1xf32>, %y: tensor<f32>, %minus: tensor<1xi64>) -> tensor<?xf32> {
  // CHECK:      ov.if %c -> (tensor<1xf32>) {
  // CHECK-NEXT:   ov.add %x, %y {{.*}} -> tensor<f32>
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<f32>
  } else {
    ov.yield %v : tensor<1xf32>
  }
  %s = ov.add %r, %y : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  %t = ov.reshape %s, %minus : (tensor<*xf32>, tensor<1xi64>) -> tensor<?xf32>
  func.return %t : tensor<?xf32>
}
// REMARK:     done: {{.*}} moved 2 operations into its branches

// -----

// %b depends on what the branch gives and stands between two operations that move: one of them needs it, so it moves too,
// and %d, which needs a moved one only, comes behind.
func.func @main(%c: tensor<i1>, %x: tensor<f32>, %v: tensor<1xf32>, %one: tensor<1xf32>) -> (tensor<*xf32>, tensor<1xf32>) {
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<f32>
  } else {
    ov.yield %v : tensor<1xf32>
  }
  %a = ov.add %r, %one : (tensor<*xf32>, tensor<1xf32>) -> tensor<*xf32>
  %d = ov.exp %a : (tensor<*xf32>) -> tensor<*xf32>
  %b = ov.abs %a : (tensor<*xf32>) -> tensor<*xf32>
  %s = ov.multiply %r, %b : (tensor<*xf32>, tensor<*xf32>) -> tensor<1xf32>
  func.return %d, %s : tensor<*xf32>, tensor<1xf32>
}
// CHECK:      %a, %s = ov.if %c -> (tensor<1xf32>, tensor<1xf32>) {
// CHECK-NEXT:   ov.add %x, %one
// CHECK-NEXT:   ov.abs
// CHECK-NEXT:   ov.multiply %x,
// CHECK:      } else {
// CHECK-NEXT:   ov.add %v, %one
// CHECK-NEXT:   ov.abs
// CHECK-NEXT:   ov.multiply %v,
// CHECK:      }
// CHECK-NEXT: %d = ov.exp %a
// CHECK-NEXT: func.return %d, %s
// REMARK:     done: {{.*}} moved 3 operations into its branches

// -----

// Only returned: it keeps its two ranks.
func.func @main(%c: tensor<i1>, %x: tensor<f32>, %v: tensor<1xf32>) -> tensor<*xf32> {
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<f32>
  } else {
    ov.yield %v : tensor<1xf32>
  }
  func.return %r : tensor<*xf32>
}
// CHECK:  %r = ov.if %c -> (tensor<*xf32>)
// REMARK: left: {{.*}} no operation in its block uses a result of unknown rank

// -----

// Nobody needs what comes of it: it goes.
// CHECK-LABEL: @unused
func.func @unused(%c: tensor<i1>, %x: tensor<f32>, %v: tensor<1xf32>) -> tensor<f32> {
  // CHECK-NEXT: func.return %x
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<f32>
  } else {
    ov.yield %v : tensor<1xf32>
  }
  %s = ov.negative %r : (tensor<*xf32>) -> tensor<*xf32>
  func.return %x : tensor<f32>
}

// -----

// What moves into a branch goes on into the one that its operand comes from.
// CHECK:      %s = ov.if %c -> (tensor<?xf32>) {
// CHECK:        ov.yield {{.*}} : tensor<1xf32>
// CHECK:      } else {
// CHECK-NEXT:   %[[S:.*]] = ov.if %d -> (tensor<?xf32>) {
// CHECK:          ov.reshape %v, %minus : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
// CHECK:        } else {
// CHECK:          ov.reshape %m, %minus : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
func.func @main(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<f32>, %v: tensor<2xf32>, %m: tensor<2x3xf32>) -> tensor<?xf32> {
  %minus = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<f32>
  } else {
    %q = ov.if %d -> (tensor<*xf32>) {
      ov.yield %v : tensor<2xf32>
    } else {
      ov.yield %m : tensor<2x3xf32>
    }
    ov.yield %q : tensor<*xf32>
  }
  %s = ov.reshape %r, %minus : (tensor<*xf32>, tensor<1xi64>) -> tensor<?xf32>
  func.return %s : tensor<?xf32>
}
