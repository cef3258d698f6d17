// RUN: loomir-opt %s -p 'ov-infer,ov-loop-gather-to-slice,canonicalize' | filecheck %s
// RUN: loomir-opt --remarks %s -p 'ov-infer,ov-loop-gather-to-slice' 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK

// REMARK: ov-loop-gather-to-slice: done: ov.loop: 1 inputs are sliced instead of gathered from

// CHECK-LABEL: func.func @rows
// CHECK: ov.loop trip(%{{.*}}) carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, end = 8>]
// CHECK: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, [[PART:%.*]]: tensor<1x4xf32>):
// CHECK: [[ROW:%.*]] = ov.reshape [[PART]], %{{.*}} -> tensor<4xf32>
// CHECK: ov.add %v, [[ROW]]
func.func @rows(%x: tensor<9x4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %row = ov.gather %x, %i, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.add %v, %row : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// A sum of sums.
// REMARK: ov-loop-gather-to-slice: done: ov.loop: 1 inputs are sliced instead of gathered from

// CHECK-LABEL: func.func @sum_of_sums
// CHECK: ov.loop {{.*}} sliced(%x) {slices = [#ov.slice<axis = 0, start = 9, end = 1, stride = -1>]
func.func @sum_of_sums(%x: tensor<9x4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %six = ov.constant dense<6> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %down = ov.subtract %six, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %at = ov.add %down, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row = ov.gather %x, %at, %zero {out_of_range = "error"} : (tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.add %v, %row : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// Backwards, along the last dimension, and from the second on; two that gather alike read one part. A condition may end the loop.
// REMARK: ov-loop-gather-to-slice: done: ov.loop: 3 inputs are sliced instead of gathered from

// CHECK-LABEL: func.func @backwards
// CHECK: ov.loop {{.*}} sliced(%x, %x) {slices = [#ov.slice<axis = 1, start = 9, end = 1, stride = -1>, #ov.slice<axis = 1, start = 1, end = 9>]
// CHECK: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, [[BACK:%.*]]: tensor<4x1xf32>, [[ON:%.*]]: tensor<4x1xf32>):
func.func @backwards(%x: tensor<4x9xf32>, %a: tensor<4xf32>, %far: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %first = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %eight = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %back = ov.subtract %eight, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %on = ov.add %one, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %on1 = ov.unsqueeze %on, %first : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %p = ov.gather %x, %back, %one {out_of_range = "error"} : (tensor<4x9xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %q = ov.gather %x, %on1, %one : (tensor<4x9xf32>, tensor<1xi64>, tensor<i64>) -> tensor<4x1xf32>
    %s = ov.gather %x, %on, %one : (tensor<4x9xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %u = ov.multiply %p, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %m = ov.add %q, %u : (tensor<4x1xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %sum = ov.reduce_sum %m, %first {keep_dims = false} : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4xf32>
    %w = ov.add %v, %sum : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %low = ov.less %w, %far : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %go = ov.reduce_logical_and %low, %first {keep_dims = false} : (tensor<4xi1>, tensor<1xi64>) -> tensor<i1>
    ov.next while(%go) carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// What the last iteration gathers is none of the input's; what is gathered from changes; the trips are not known.
// CHECK-LABEL: func.func @too_far
// CHECK-NOT: sliced
// CHECK-LABEL: func.func @carried
// CHECK-NOT: sliced
// CHECK-LABEL: func.func @open
// CHECK-NOT: sliced
func.func @too_far(%x: tensor<8x4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<9> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %row = ov.gather %x, %i, %zero : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.add %v, %row : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

func.func @carried(%x: tensor<8x4xf32>, %a: tensor<4xf32>) -> tensor<8x4xf32> {
  %n = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8x4xf32>) -> (tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<8x4xf32>):
    %row = ov.gather %v, %i, %zero : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.add %v, %row : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    ov.next carried(%w : tensor<8x4xf32>)
  }
  func.return %r : tensor<8x4xf32>
}

func.func @open(%n: tensor<i64>, %x: tensor<8x4xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %row = ov.gather %x, %i, %zero : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
    %w = ov.add %v, %row : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
