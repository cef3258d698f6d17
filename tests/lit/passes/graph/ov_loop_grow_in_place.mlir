// RUN: loomir-opt %s -p 'ov-infer,ov-loop-grow-in-place,canonicalize,cse' | filecheck %s
// RUN: loomir-opt --remarks %s -p 'ov-infer,ov-loop-grow-in-place' 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK

// REMARK: ov-loop-grow-in-place: done: ov.loop: carried tensor 0 is allocated at its final extent 8

// CHECK-LABEL: func.func @from_nothing
// CHECK-SAME: -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK: [[SHAPE:%.*]] = ov.constant dense<[4, 8]>
// CHECK: [[ROOM:%.*]] = ov.broadcast %{{.*}}, [[SHAPE]] : {{.*}} -> tensor<4x8xf32>
// CHECK: ov.loop{{.*}}carried([[ROOM]])
// CHECK: ^bb0(%i: tensor<i64>, %v: tensor<4x8xf32>, %p: tensor<4x1xf32>):
// CHECK: [[AT:%.*]] = ov.unsqueeze %i
// CHECK: [[ALL:%.*]] = ov.scatter_update %v, [[AT]], %p, %{{.*}} -> tensor<4x8xf32>
// CHECK: [[END:%.*]] = ov.add [[AT]]
// CHECK: [[NOW:%.*]] = ov.slice [[ALL]], %{{.*}}, [[END]], %{{.*}} -> tensor<4x?xf32>
// CHECK: ov.reduce_sum [[NOW]]
// CHECK: ov.next carried([[ALL]] : tensor<4x8xf32>)
func.func @from_nothing(%x: tensor<4x8xf32>) -> (tensor<4x?xf32>, tensor<4x8xf32>) {
  %none = ov.constant dense<> : tensor<4x0xf32> : tensor<4x0xf32>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %r, %s = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<4x0xf32>, tensor<4x8xf32>) -> (tensor<4x?xf32>, tensor<4x8xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4x?xf32>, %p: tensor<4x1xf32>):
    %w = ov.concat %v, %p {axis = 1 : i64} : (tensor<4x?xf32>, tensor<4x1xf32>) -> tensor<4x?xf32>
    %sum = ov.reduce_sum %w, %one {keep_dims = true} : (tensor<4x?xf32>, tensor<1xi64>) -> tensor<4x1xf32>
    ov.next carried(%w : tensor<4x?xf32>) concat(%sum : tensor<4x1xf32>)
  }
  func.return %r, %s : tensor<4x?xf32>, tensor<4x8xf32>
}

// From two on, by two parts that are three: places are 2 + 3 · i. What was there before is read from what is carried, or behind the
// writing from what is written.
// REMARK: ov-loop-grow-in-place: done: ov.loop: carried tensor 0 is allocated at its final extent 14

// CHECK-LABEL: func.func @by_three
// CHECK: [[ROOM:%.*]] = ov.broadcast {{.*}} -> tensor<12xi32>
// CHECK: [[FIRST:%.*]] = ov.concat %a, [[ROOM]] {{.*}} -> tensor<14xi32>
// CHECK: ov.loop{{.*}}carried([[FIRST]], %y)
// CHECK: [[OLD:%.*]] = ov.slice %v
// CHECK: ov.reduce_max [[OLD]]
// CHECK: [[PART:%.*]] = ov.concat %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
// CHECK: [[ALL:%.*]] = ov.scatter_update %v, %{{.*}}, [[PART]]
// CHECK: [[SAME:%.*]] = ov.slice [[ALL]]
// CHECK: ov.reduce_min [[SAME]]
func.func @by_three(%a: tensor<2xi32>, %y: tensor<1xi32>) -> (tensor<?xi32>, tensor<1xi32>) {
  %n = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %axis = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r, %s = ov.loop trip(%n) carried(%a, %y) : (tensor<i64>, tensor<2xi32>, tensor<1xi32>) -> (tensor<?xi32>, tensor<1xi32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<?xi32>, %u: tensor<1xi32>):
    %most = ov.reduce_max %v, %axis {keep_dims = true} : (tensor<?xi32>, tensor<1xi64>) -> tensor<1xi32>
    %two = ov.concat %most, %u {axis = 0 : i64} : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %w = ov.concat %v, %u, %two {axis = 0 : i64} : (tensor<?xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<?xi32>
    %least = ov.reduce_min %v, %axis {keep_dims = true} : (tensor<?xi32>, tensor<1xi64>) -> tensor<1xi32>
    %z = ov.subtract %least, %most : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    ov.next carried(%w, %z : tensor<?xi32>, tensor<1xi32>)
  }
  func.return %r, %s : tensor<?xi32>, tensor<1xi32>
}

// It grows at its front; a condition may end the loop, and its result is read; only the run knows the trips.
// CHECK-LABEL: func.func @at_the_front
// CHECK-NOT: ov.scatter_update
// CHECK-LABEL: func.func @may_end_early
// CHECK-NOT: ov.scatter_update
// CHECK-LABEL: func.func @open
// CHECK-NOT: ov.scatter_update
func.func @at_the_front(%x: tensor<8xf32>) -> tensor<?xf32> {
  %none = ov.constant dense<> : tensor<0xf32> : tensor<0xf32>
  %r = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<0xf32>, tensor<8xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32>, %p: tensor<1xf32>):
    %w = ov.concat %p, %v {axis = 0 : i64} : (tensor<1xf32>, tensor<?xf32>) -> tensor<?xf32>
    ov.next carried(%w : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}

func.func @may_end_early(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %none = ov.constant dense<> : tensor<0xf32> : tensor<0xf32>
  %r = ov.loop while(%c) carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<i1>, tensor<0xf32>, tensor<8xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32>, %p: tensor<1xf32>):
    %w = ov.concat %v, %p {axis = 0 : i64} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    ov.next while(%c) carried(%w : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}

func.func @open(%n: tensor<i64>, %p: tensor<1xf32>) -> tensor<?xf32> {
  %none = ov.constant dense<> : tensor<0xf32> : tensor<0xf32>
  %r = ov.loop trip(%n) carried(%none) : (tensor<i64>, tensor<0xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32>):
    %w = ov.concat %v, %p {axis = 0 : i64} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    ov.next carried(%w : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}

// Its result is not read.
// CHECK-LABEL: func.func @ends_unread
// CHECK: ov.scatter_update
func.func @ends_unread(%x: tensor<8xf32>, %limit: tensor<1xf32>) -> tensor<?xf32> {
  %none = ov.constant dense<> : tensor<0xf32> : tensor<0xf32>
  %first = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %r, %s = ov.loop carried(%none) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<0xf32>, tensor<8xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32>, %p: tensor<1xf32>):
    %w = ov.concat %v, %p {axis = 0 : i64} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    %sum = ov.reduce_sum %w, %first {keep_dims = true} : (tensor<?xf32>, tensor<1xi64>) -> tensor<1xf32>
    %less = ov.less %sum, %limit : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %go = ov.squeeze %less, %first : (tensor<1xi1>, tensor<1xi64>) -> tensor<i1>
    ov.next while(%go) carried(%w : tensor<?xf32>) concat(%sum : tensor<1xf32>)
  }
  func.return %s : tensor<?xf32>
}
