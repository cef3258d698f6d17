// RUN: loomir-opt %s -p 'ov-bound-shapes{capacity=10}' --split-input-file | filecheck %s
// RUN: not loomir-opt %s -p ov-bound-shapes --split-input-file 2>&1 | filecheck %s --check-prefix NONE

// CHECK: ov.loop {{.*}} -> tensor<?x3xf32, #ov.bounds<10, ?>> {
// NONE: 'collect' (ov.loop): the loop concatenates (dimension 0 of result 0), but its trip count has no bound [unbounded-trips]
func.func @main(%c: tensor<i1>, %x: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %r = ov.loop while(%c) {concats = [#ov.slice<axis = 0, stride = 2, part_size = 2>]} : (tensor<i1>) -> (tensor<?x3xf32>) {
  ^bb0(%i: tensor<i64>):
    ov.next while(%c) concat(%x : tensor<2x3xf32>)
  } loc("collect")
  func.return %r : tensor<?x3xf32>
}

// -----

// A value that grows without a bound: checked where it is made, with no more room than what carries it.
// CHECK:      ^bb0(%i: tensor<i64>, %a: tensor<?xf32, #ov.bounds<10>>):
// CHECK-NEXT: %b = ov.concat {{.*}} -> tensor<?xf32, #ov.bounds<12>>
// CHECK-NEXT: %[[C:.*]] = ov.check_bounds %b : (tensor<?xf32, #ov.bounds<12>>) -> tensor<?xf32, #ov.bounds<10>>
// CHECK-NEXT: ov.next while(%c) carried(%[[C]] : tensor<?xf32, #ov.bounds<10>>)

func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<?xf32> {
  %r = ov.loop while(%c) carried(%x) : (tensor<i1>, tensor<2xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %b = ov.concat %a, %x {axis = 0} : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
    ov.next while(%c) carried(%b : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}

// -----

// Growth that was extrapolated is an assumption, too: 100 rows before the last of 100 iterations, 101 behind it.
// CHECK:      ov.loop {{.*}} -> tensor<?xf32, #ov.bounds<101>> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %a: tensor<?xf32, #ov.bounds<101>>):
// CHECK-NEXT: %[[A:.*]] = ov.check_bounds %a : (tensor<?xf32, #ov.bounds<101>>) -> tensor<?xf32, #ov.bounds<100>>
// CHECK-NEXT: ov.concat %[[A]], %x
func.func @main(%x: tensor<1xf32>) -> tensor<?xf32> {
  %n = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<1xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %b = ov.concat %a, %x {axis = 0} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    ov.next carried(%b : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}

// -----

// So is growth through a Reshape, which keeps the number of elements alone.
// CHECK:      ov.loop {{.*}} -> tensor<?x2xf32, #ov.bounds<101, ?>> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32, #ov.bounds<101, ?>>):
// CHECK-NEXT: %[[A:.*]] = ov.check_bounds %a : (tensor<?x2xf32, #ov.bounds<101, ?>>) -> tensor<?x2xf32, #ov.bounds<100, ?>>
// CHECK-NEXT: %f = ov.reshape %[[A]], %minus : {{.*}} -> tensor<?xf32, #ov.bounds<200>>
// CHECK-NEXT: %c = ov.concat %f, %x
// CHECK-NEXT: ov.reshape %c, %rows : {{.*}} -> tensor<?x2xf32, #ov.bounds<101, ?>>
func.func @main(%x: tensor<2xf32>, %s: tensor<1x2xf32>) -> tensor<?x2xf32> {
  %n = ov.constant dense<100> : tensor<i64> : tensor<i64>
  %minus = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %rows = ov.constant dense<[-1, 2]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop trip(%n) carried(%s) : (tensor<i64>, tensor<1x2xf32>) -> (tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
    %f = ov.reshape %a, %minus : (tensor<?x2xf32>, tensor<1xi64>) -> tensor<?xf32>
    %c = ov.concat %f, %x {axis = 0} : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
    %b = ov.reshape %c, %rows : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x2xf32>
    ov.next carried(%b : tensor<?x2xf32>)
  }
  func.return %r : tensor<?x2xf32>
}

// -----

// What multiplies with each iteration of a loop of known trips is limited there, not at what some iteration before the last came to.
// CHECK:      ov.loop trip(%n) carried(%s) {{.*}} -> tensor<?xf32, #ov.bounds<10>> {
// CHECK:      ov.loop trip(%{{.*}}) carried(%a) {{.*}} -> tensor<?xf32, #ov.bounds<[[MOST:[0-9]+]]>> {
// CHECK:      %[[A:.*]] = ov.check_bounds %b : (tensor<?xf32, #ov.bounds<[[MOST]]>>) -> tensor<?xf32, #ov.bounds<10>>
// CHECK-NEXT: ov.next carried(%[[A]] : tensor<?xf32, #ov.bounds<10>>)
func.func @main(%s: tensor<3xf32>) -> tensor<?xf32> {
  %n = ov.constant dense<15> : tensor<i64> : tensor<i64>
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%s) : (tensor<i64>, tensor<3xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %shape = ov.shape_of %a : (tensor<?xf32>) -> tensor<1xi64>
    %rows = ov.gather %shape, %zero, %zero {out_of_range = "error"} : (tensor<1xi64>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = ov.loop trip(%rows) carried(%a) : (tensor<i64>, tensor<?xf32>) -> (tensor<?xf32>) {
    ^bb0(%j: tensor<i64>, %c: tensor<?xf32>):
      %d = ov.concat %c, %a {axis = 0} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      ov.next carried(%d : tensor<?xf32>)
    }
    ov.next carried(%b : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}

// -----

// Near miss: four trips that double a value end before the limit would be needed.
// CHECK: ov.loop {{.*}} -> tensor<?xf32, #ov.bounds<16>> {
func.func @main(%s: tensor<1xf32>) -> tensor<?xf32> {
  %n = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%s) : (tensor<i64>, tensor<1xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %b = ov.concat %a, %a {axis = 0} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ov.next carried(%b : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}

// -----

// Forty would not.
// CHECK: ov.loop {{.*}} -> tensor<?xf32, #ov.bounds<10>> {
// CHECK: ov.check_bounds {{.*}} -> tensor<?xf32, #ov.bounds<10>>
func.func @main(%s: tensor<1xf32>) -> tensor<?xf32> {
  %n = ov.constant dense<40> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%s) : (tensor<i64>, tensor<1xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %b = ov.concat %a, %a {axis = 0} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ov.next carried(%b : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}
