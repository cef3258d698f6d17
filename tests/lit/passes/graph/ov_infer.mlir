// RUN: loomir-opt %s -p ov-infer | filecheck %s

// Broadcasting, from types that say nothing.
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: -> tensor<2x3xf32>
// CHECK: -> tensor<2x3xf32>
func.func @broadcast(%a: tensor<2x1xf32>, %b: tensor<3xf32>) -> tensor<*xf32> {
  %0 = ov.add %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<*xf32>
  func.return %0 : tensor<*xf32>
}

// Shape → value → condition → branch → shape: only the taken branch says what the result is.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: -> tensor<6xf32>
func.func @chain(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  %s = ov.shape_of %x : (tensor<2x3xf32>) -> tensor<2xi64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %n = ov.gather %s, %zero, %zero : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  %is = ov.equal %n, %two : (tensor<*xi64>, tensor<i64>) -> tensor<i1>
  %flat = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %r = ov.if %is -> (tensor<*xf32>) {
    %y = ov.reshape %x, %flat : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<*xf32>
    ov.yield %y : tensor<*xf32>
  } else {
    ov.yield %x : tensor<2x3xf32>
  }
  func.return %r : tensor<*xf32>
}

// A value that grows by one row in each of at most four trips.
// CHECK-LABEL: func.func @grows
// CHECK: ^bb0(%i: tensor<i64>, %v: tensor<?x2xf32>):
// CHECK: ov.concat {{.*}} -> tensor<?x2xf32>
func.func @grows(%x: tensor<1x2xf32>) -> tensor<*xf32> {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%four) carried(%x) : (tensor<i64>, tensor<1x2xf32>) -> (tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<*xf32>):
    %w = ov.concat %v, %x {axis = 0 : i64} : (tensor<*xf32>, tensor<1x2xf32>) -> tensor<*xf32>
    ov.next carried(%w : tensor<*xf32>)
  }
  func.return %r : tensor<*xf32>
}

// Slices say the trips, concatenation the length.
// CHECK-LABEL: func.func @scan
// CHECK-SAME: -> tensor<5x2xf32>
func.func @scan(%x: tensor<5x2xf32>) -> tensor<*xf32> {
  %r = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<5x2xf32>) -> (tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<*xf32>):
    %w = ov.add %v, %v : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    ov.next concat(%w : tensor<*xf32>)
  }
  func.return %r : tensor<*xf32>
}

// A branch that these shapes forbid stops the program if it is taken; the other one alone says what comes out.
// CHECK-LABEL: func.func @forbidden_branch
// CHECK-SAME: -> tensor<3xf32>
// CHECK: ov.if %c -> (tensor<3xf32>) {
// CHECK-NEXT: [[F:%.*]] = ov.fail "'to one' (ov.squeeze): {{.*}}" : tensor<3xf32>
// CHECK-NEXT: ov.yield [[F]] : tensor<3xf32>
func.func @forbidden_branch(%c: tensor<i1>, %x: tensor<3xf32>) -> tensor<*xf32> {
  %r = ov.if %c -> (tensor<*xf32>) {
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %e = ov.exp %x : (tensor<3xf32>) -> tensor<*xf32>
    %y = ov.squeeze %e, %axes {strict = true} : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32> loc("to one")
    %z = ov.exp %y : (tensor<*xf32>) -> tensor<*xf32>
    ov.yield %z : tensor<*xf32>
  } else {
    ov.yield %x : tensor<3xf32>
  }
  func.return %r : tensor<*xf32>
}

// What such a branch gives beside it has no type of the results, which are those of the other one.
// CHECK-LABEL: func.func @failing_branch
// CHECK-SAME: -> (tensor<2x3xf32>, tensor<3xi32>)
// CHECK: ov.if %c -> (tensor<2x3xf32>, tensor<3xi32>) {
// CHECK-NEXT: [[F:%.*]], [[G:%.*]] = ov.fail "not for these" {kind = "endless"} : tensor<2x3xf32>, tensor<3xi32>
// CHECK-NEXT: ov.yield [[F]], [[G]] : tensor<2x3xf32>, tensor<3xi32>
// CHECK-NEXT: } else {
func.func @failing_branch(%c: tensor<i1>, %x: tensor<2x3xf32>, %k: tensor<i32>, %v: tensor<3xi32>) -> (tensor<*xf32>, tensor<*xi32>) {
  %r, %s = ov.if %c -> (tensor<*xf32>, tensor<*xi32>) {
    %y = ov.fail "not for these" {kind = "endless"} : tensor<*xf32>
    %z = ov.abs %k : (tensor<i32>) -> tensor<*xi32>
    ov.yield %y, %z : tensor<*xf32>, tensor<*xi32>
  } else {
    ov.yield %x, %v : tensor<2x3xf32>, tensor<3xi32>
  }
  func.return %r, %s : tensor<*xf32>, tensor<*xi32>
}

// A loop's body that the initial values forbid stops the program if an iteration runs; without one the initial values come out.
// CHECK-LABEL: func.func @forbidden_body
// CHECK-SAME: -> (tensor<3xf32>, tensor<0x0xf32>)
// CHECK: ov.loop trip(%n) carried(%x)
// CHECK: [[F:%.*]] = ov.fail "'together' (ov.add): shapes [3] and [2] do not broadcast" : tensor<1x0xf32>
// CHECK: ov.next while({{%.*}}) carried({{%.*}} : tensor<3xf32>) concat([[F]] : tensor<1x0xf32>)
func.func @forbidden_body(%n: tensor<i64>, %x: tensor<3xf32>, %w: tensor<2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %r, %s = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<3xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<*xf32>):
    %b = ov.add %a, %w : (tensor<*xf32>, tensor<2xf32>) -> tensor<*xf32> loc("together")
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %p = ov.unsqueeze %b, %axes : (tensor<*xf32>, tensor<1xi64>) -> tensor<1x?xf32>
    ov.next carried(%b : tensor<*xf32>) concat(%p : tensor<1x?xf32>)
  }
  func.return %r, %s : tensor<*xf32>, tensor<*xf32>
}

// In a branch that never runs the shapes that are known now need not fit what it reads: 6 elements are no 4.
// CHECK-LABEL: func.func @never
// CHECK:       ov.if %c -> (tensor<6xf32>) {
// CHECK-NEXT:    %[[FAIL:.*]] = ov.fail "a branch that never runs" : tensor<6xf32>
// CHECK-NEXT:    ov.yield %[[FAIL]]
// CHECK-NEXT:  } else {
// CHECK:         ov.reshape
func.func @never(%x: tensor<2x3xf32>) -> tensor<?xf32> {
  %c = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %y = ov.abs %x : (tensor<2x3xf32>) -> tensor<?x?xf32>
  %m = ov.constant dense<[6]> : tensor<1xi64> : tensor<1xi64>
  %r = ov.if %c -> (tensor<?xf32>) {
    %n = ov.constant dense<[4]> : tensor<1xi64> : tensor<1xi64>
    %f = ov.reshape %y, %n {special_zero = false} : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<4xf32>
    %h = ov.exp %f : (tensor<4xf32>) -> tensor<4xf32>
    %k = ov.abs %x : (tensor<2x3xf32>) -> tensor<?x?xf32>
    %l = ov.reshape %k, %m {special_zero = false} : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?xf32>
    ov.yield %l : tensor<?xf32>
  } else {
    %g = ov.reshape %y, %m {special_zero = false} : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?xf32>
    ov.yield %g : tensor<?xf32>
  }
  func.return %r : tensor<?xf32>
}
