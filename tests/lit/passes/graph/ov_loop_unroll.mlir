// RUN: loomir-opt %s -p 'ov-infer,ov-loop-unroll{max-trips=3},canonicalize' | filecheck %s
// RUN: loomir-opt %s -p 'ov-infer,ov-loop-unroll{max-trips=1 factor=2},canonicalize,cse' | filecheck %s --check-prefix=FACTOR
// RUN: loomir-opt --remarks %s -p 'ov-infer,ov-loop-unroll{max-trips=1}' 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p 'ov-infer,ov-loop-unroll{max-code-growth=7}' | filecheck %s --check-prefix=GROWTH
// RUN: loomir-opt %s --remarks -p 'ov-infer,ov-loop-unroll{max-code-growth=7}' 2>&1 >/dev/null | filecheck %s --check-prefix=GROWN
// RUN: not loomir-opt %s -p 'ov-loop-unroll{factor=0}' 2>&1 | filecheck %s --check-prefix=OPTION

// OPTION: ov-loop-unroll: factor=0 must be at least 1 [bad-option]

// CHECK-LABEL: func.func @three
// CHECK-NOT: ov.loop
// CHECK: %[[A:.*]] = ov.add %a, %x
// CHECK: %[[B:.*]] = ov.add %[[A]], %x
// CHECK: %[[C:.*]] = ov.add %[[B]], %x
// CHECK: %[[ALL:.*]] = ov.concat %[[A]], %[[B]], %[[C]] {axis = 0 : i64}
// CHECK: func.return %[[C]], %[[ALL]] : tensor<1x2xf32>, tensor<3x2xf32>

// FACTOR-LABEL: func.func @three
// FACTOR: ov.add %a, %x
// FACTOR: ov.add
// FACTOR: ov.concat
// FACTOR: ov.add
// FACTOR: func.return
func.func @three(%a: tensor<1x2xf32>, %x: tensor<1x2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%a) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<*xf32>):
    %w = ov.add %v, %x : (tensor<*xf32>, tensor<1x2xf32>) -> tensor<*xf32>
    ov.next carried(%w : tensor<*xf32>) concat(%w : tensor<*xf32>)
  }
  func.return %r, %s : tensor<*xf32>, tensor<*xf32>
}

// REMARK: ov-loop-unroll: left: ov.loop: its 3 trips are more than max-trips=1
// REMARK: ov-loop-unroll: left: ov.loop: a condition may end it early

// CHECK-LABEL: func.func @may_end_early
// CHECK: ov.loop
func.func @may_end_early(%a: tensor<f32>) -> tensor<f32> {
  %n = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%a) : (tensor<i64>, tensor<f32>) -> (tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>):
    %w = ov.add %v, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %c = ov.less %w, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%c) carried(%w : tensor<f32>)
  }
  func.return %r : tensor<f32>
}

// Only the run knows the trips: groups of two, and a loop over what is left over. Rounded down, no limit (-1) stays none.
// FACTOR-LABEL: @open_trips
// FACTOR: [[GROUPS:%.*]] = ov.divide %n, [[TWO:%.*]] :
// FACTOR: [[FIRST:%.*]], [[ROWS:%.*]] = ov.loop trip([[GROUPS]]) carried(%x)
// FACTOR: [[DONE:%.*]] = ov.multiply [[GROUPS]], [[TWO]]
// FACTOR: [[LEFT:%.*]] = ov.floor_mod %n, [[TWO]]
// FACTOR: ov.loop trip([[LEFT]]) carried([[FIRST]])
// FACTOR: ov.add %i, [[DONE]]
// FACTOR: ov.concat [[ROWS]],
func.func @open_trips(%n: tensor<i64>, %x: tensor<1xi64>) -> (tensor<1xi64>, tensor<?xi64>) {
  %r, %all = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1xi64>) -> (tensor<1xi64>, tensor<?xi64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xi64>):
    %w = ov.add %v, %i : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
    ov.next carried(%w : tensor<1xi64>) concat(%w : tensor<1xi64>)
  }
  func.return %r, %all : tensor<1xi64>, tensor<?xi64>
}

// Copies between which the condition may end the loop; what a group joins is cut to what there was.
// FACTOR-LABEL: @while
// FACTOR: [[R:%.*]], [[COUNT:%.*]], [[ALL:%.*]] = ov.loop carried(%x, [[ZERO:%.*]])
// FACTOR:   [[W:%.*]] = ov.add %{{.*}}, %x
// FACTOR:   [[AGAIN:%.*]] = ov.squeeze
// FACTOR:   ov.if [[AGAIN]]
// FACTOR:     [[V:%.*]] = ov.add [[W]], %x
// FACTOR:   } else {
// FACTOR:     [[FALSE:%.*]] = ov.constant dense<false>
// FACTOR:     ov.yield [[FALSE]],
// FACTOR:   [[PARTS:%.*]] = ov.concat [[W]],
// FACTOR:   ov.next while({{.*}}) carried({{.*}}) concat([[PARTS]] : tensor<2xf32>)
// FACTOR: [[SIZE:%.*]] = ov.reshape [[COUNT]]
// FACTOR: ov.slice [[ALL]], {{%.*}}, [[SIZE]]
func.func @while(%most: tensor<1xf32>, %x: tensor<1xf32>) -> (tensor<1xf32>, tensor<?xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r, %all = ov.loop carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<1xf32>) -> (tensor<1xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1xf32>):
    %w = ov.add %v, %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %less = ov.less %w, %most : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %again = ov.squeeze %less, %zero : (tensor<1xi1>, tensor<1xi64>) -> tensor<i1>
    ov.next while(%again) carried(%w : tensor<1xf32>) concat(%w : tensor<1xf32>)
  }
  func.return %r, %all : tensor<1xf32>, tensor<?xf32>
}

// A slice of dynamic other extents.
// CHECK-LABEL: @dynamic_slices
// CHECK-NOT: ov.loop
// CHECK: ov.slice %x
// CHECK: ov.slice %x
// CHECK: func.return
func.func @dynamic_slices(%x: tensor<2x?xf32>, %a: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x?xf32>, tensor<2x?xf32>) -> tensor<1x?xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x?xf32>, %p: tensor<1x?xf32>):
    %w = ov.subtract %p, %v : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?xf32>
    ov.next carried(%w : tensor<1x?xf32>)
  }
  func.return %r : tensor<1x?xf32>
}

// Two products more are 8, one addition more is 1.
// GROWTH-LABEL: @products
// GROWTH: ov.loop
// GROWTH-NOT: ov.loop
// GROWTH: func.return
// GROWN: left: ov.loop: 3 copies of 4 add 8, more than 4
// GROWN: done: ov.loop: unrolled its 2 trips
func.func @products(%x: tensor<4x4xf32>, %a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%three) carried(%x) : (tensor<i64>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4x4xf32>):
    %w = ov.mat_mul %v, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    ov.next carried(%w : tensor<4x4xf32>)
  }
  %s = ov.loop trip(%two) carried(%x) : (tensor<i64>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4x4xf32>):
    %w = ov.add %v, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    ov.next carried(%w : tensor<4x4xf32>)
  }
  func.return %r, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// That parts of open extents differ is an error of the second iteration, and what a loop without one joins has other extents.
// CHECK-LABEL: @open_parts
// CHECK: ov.loop
// CHECK: ov.loop
// FACTOR-LABEL: @open_parts
// FACTOR: ov.loop trip(%n)
// FACTOR-NOT: ov.loop trip
// FACTOR: func.return
func.func @open_parts(%n: tensor<i64>, %x: tensor<1x?xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r, %all = ov.loop trip(%two) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x?xf32>) -> (tensor<1x?xf32>, tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x?xf32>):
    %w = ov.concat %v, %x {axis = 1} : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?xf32>
    ov.next carried(%w : tensor<1x?xf32>) concat(%w : tensor<1x?xf32>)
  }
  %s, %every = ov.loop trip(%n) carried(%r) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x?xf32>) -> (tensor<1x?xf32>, tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x?xf32>):
    %w = ov.abs %v : (tensor<1x?xf32>) -> tensor<1x?xf32>
    ov.next carried(%w : tensor<1x?xf32>) concat(%w : tensor<1x?xf32>)
  }
  func.return %all, %every : tensor<*xf32>, tensor<*xf32>
}

// It may not be entered.
// CHECK-LABEL: @entered
// CHECK: ov.loop {{.*}}while(%go)
func.func @entered(%go: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%two) while(%go) carried(%x) : (tensor<i64>, tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
