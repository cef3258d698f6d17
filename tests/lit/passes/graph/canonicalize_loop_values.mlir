// RUN: loomir-opt -p canonicalize --split-input-file %s | filecheck %s

// Counters of 32 bits, up and down, are functions of the iteration number; behind the loop of the trips.
func.func @main(%n: tensor<i64>, %m: tensor<i32>, %x: tensor<4xi32>) -> (tensor<4xi32>, tensor<i32>) {
  %two = ov.constant dense<2> : tensor<i32> : tensor<i32>
  %r, %k_end = ov.loop trip(%n) carried(%x, %m) : (tensor<i64>, tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xi32>, %k: tensor<i32>):
    %w = ov.add %v, %k : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %k1 = ov.subtract %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.next carried(%w, %k1 : tensor<4xi32>, tensor<i32>)
  }
  func.return %r, %k_end : tensor<4xi32>, tensor<i32>
}
// CHECK:      %[[TRIPS:.*]] = ov.maximum %n, %{{.*}}
// CHECK-NEXT: %[[NARROW:.*]] = ov.convert %[[TRIPS]] {destination_type = i32}
// CHECK:      %[[ALL:.*]] = ov.multiply %[[NARROW]], %{{.*}}
// CHECK-NEXT: %[[END:.*]] = ov.subtract %m, %[[ALL]]
// CHECK:      ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%i
// CHECK:        %[[I:.*]] = ov.convert %i {destination_type = i32}
// CHECK:        %[[BY:.*]] = ov.multiply %[[I]], %{{.*}}
// CHECK:        %[[K:.*]] = ov.subtract %m, %[[BY]]
// CHECK:        ov.add %v, %[[K]]
// CHECK:      func.return %r, %[[END]]

// -----

// A counter of floats rounds, one that a condition reads says how often the loop runs: they stay.
func.func @main(%n: tensor<i64>, %m: tensor<f32>, %k: tensor<i64>, %x: tensor<f32>) -> tensor<f32> {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r, %f_end = ov.loop trip(%n) carried(%x, %m) : (tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %f: tensor<f32>):
    %w = ov.multiply %v, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %f1 = ov.add %f, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ov.next carried(%w, %f1 : tensor<f32>, tensor<f32>)
  }
  %s, %k_end = ov.loop carried(%r, %k) : (tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %c: tensor<i64>):
    %w = ov.multiply %v, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %c1 = ov.add %c, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %more = ov.less %c1, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%more) carried(%w, %c1 : tensor<f32>, tensor<i64>)
  }
  func.return %s : tensor<f32>
}
// CHECK: %r, %f_end = ov.loop
// CHECK: %s, %k_end = ov.loop

// -----

// A power of the iteration number is a carried product; one of floats stays.
func.func @main(%n: tensor<i64>, %x: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<?xi64> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64> {
  ^bb0(%i: tensor<i64>, %v: tensor<?xi64>):
    %p = ov.power %b, %i : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
    %w = ov.add %v, %p : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    ov.next carried(%w : tensor<?xi64>)
  }
  func.return %r : tensor<?xi64>
}
// CHECK:      %[[ONES:.*]] = ov.power %b, %{{.*}}
// CHECK-NEXT: ov.loop trip(%n) carried(%x, %[[ONES]])
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<?xi64>, %[[P:.*]]: tensor<?xi64>):
// CHECK-NEXT:   %w = ov.add %v, %[[P]]
// CHECK-NEXT:   %[[Q:.*]] = ov.multiply %[[P]], %b
// CHECK-NEXT:   ov.next carried(%w, %[[Q]]

// -----

// Slices joined as they came, of open extents too: after no iteration these are those of the input.
func.func @main(%x: tensor<8x4xf32>, %y: tensor<?x?xf32>) -> (tensor<8x4xf32>, tensor<?x?xf32>, tensor<8x4xf32>) {
  %p = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0, stride = 2, part_size = 2>], concats = [#ov.slice<axis = 0, stride = 2, part_size = 2>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %part: tensor<2x4xf32>):
    ov.next concat(%part : tensor<2x4xf32>)
  }
  %q = ov.loop sliced(%y) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} : (tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %part: tensor<?x1xf32>):
    ov.next concat(%part : tensor<?x1xf32>)
  }
  %r = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%i: tensor<i64>, %part: tensor<1x4xf32>):
    ov.next concat(%part : tensor<1x4xf32>)
  }
  func.return %p, %q, %r : tensor<8x4xf32>, tensor<?x?xf32>, tensor<8x4xf32>
}
// CHECK-NOT:  ov.tile
// CHECK:      %r = ov.loop
// CHECK:      func.return %x, %y, %r

// -----

// A value from outside is repeated, a function of the iteration number computed of all numbers, backwards too.
func.func @main(%a: tensor<2x4xf32>, %m: tensor<1x1xi64>) -> (tensor<6x4xf32>, tensor<1x3xf32>) {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %both = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %r, %s = ov.loop trip(%three) {concats = [#ov.slice<axis = 0>, #ov.slice<axis = 1, start = -1, end = 0, stride = -1>]} : (tensor<i64>) -> (tensor<6x4xf32>, tensor<1x3xf32>) {
  ^bb0(%i: tensor<i64>):
    %u = ov.unsqueeze %i, %both : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %p = ov.add %u, %m : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x1xi64>
    %f = ov.convert %p {destination_type = f32} : (tensor<1x1xi64>) -> tensor<1x1xf32>
    ov.next concat(%a, %f : tensor<2x4xf32>, tensor<1x1xf32>)
  }
  func.return %r, %s : tensor<6x4xf32>, tensor<1x3xf32>
}
// CHECK-NOT:  ov.loop
// CHECK:      %[[R:.*]] = ov.tile %a, %{{.*}} -> tensor<6x4xf32>
// CHECK:      %[[NUMBERS:.*]] = ov.range {{.*}} -> tensor<3xi64>
// CHECK:      %[[M:.*]] = ov.reshape %m
// CHECK-NEXT: %[[P:.*]] = ov.add %[[NUMBERS]], %[[M]]
// CHECK-NEXT: %[[F:.*]] = ov.convert %[[P]] {destination_type = f32} : (tensor<3xi64>) -> tensor<3xf32>
// CHECK:      %[[S:.*]] = ov.reshape %[[F]], %{{.*}} -> tensor<1x3xf32>
// CHECK-NEXT: func.return %[[R]], %[[S]]

// -----

// Rows of the last part are read of a last value; what something else reads, too, is joined.
func.func @main(%x: tensor<8x4xf32>, %j: tensor<i64>) -> (tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>) {
  %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<[7, 6]> : tensor<2xi64> : tensor<2xi64>
  %all, %more = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0, stride = 2, part_size = 2>], concats = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2x4xf32>):
    %w = ov.abs %p : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %v = ov.exp %p : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ov.next concat(%w, %v : tensor<2x4xf32>, tensor<2x4xf32>)
  }
  %r = ov.gather %all, %end, %axis {out_of_range = "error"} : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  %s = ov.gather %all, %two, %axis : (tensor<8x4xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x4xf32>
  %t = ov.gather %more, %j, %axis : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  func.return %r, %s, %t : tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>
}
// CHECK:      %[[LAST:.*]], %more = ov.loop
// CHECK:        ov.next last(%w : tensor<2x4xf32>) concat(%v : tensor<2x4xf32>)
// CHECK:      %[[ONE:.*]] = ov.constant dense<1> : tensor<i64>
// CHECK-NEXT: ov.gather %[[LAST]], %[[ONE]], %axis {out_of_range = "error"}
// CHECK-NEXT: %[[TWO:.*]] = ov.constant dense<[1, 0]> : tensor<2xi64>
// CHECK-NEXT: ov.gather %[[LAST]], %[[TWO]], %axis
// CHECK-NEXT: ov.gather %more, %j

// -----

// So are slices of the last part, by a stride or counted from the end; one that begins before it, or cuts another axis too, is not.
func.func @main(%x: tensor<9x4xf32>) -> (tensor<2x4xf32>, tensor<1x4xf32>, tensor<4x4xf32>, tensor<1x2xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %two = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
  %five = ov.constant dense<5> : tensor<1xi64> : tensor<1xi64>
  %six = ov.constant dense<6> : tensor<1xi64> : tensor<1xi64>
  %nine = ov.constant dense<9> : tensor<1xi64> : tensor<1xi64>
  %end = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %both = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %from = ov.constant dense<[8, 1]> : tensor<2xi64> : tensor<2xi64>
  %to = ov.constant dense<[9, 3]> : tensor<2xi64> : tensor<2xi64>
  %ones = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %all, %more, %others = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0, stride = 3, part_size = 3>], concats = [#ov.slice<axis = 0>, #ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<3x4xf32>):
    %w = ov.abs %p : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %v = ov.exp %p : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %u = ov.tanh %p : (tensor<3x4xf32>) -> tensor<3x4xf32>
    ov.next concat(%w, %v, %u : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  }
  %r = ov.slice %all, %six, %nine, %two, %zero : (tensor<9x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x4xf32>
  %s = ov.slice %all, %end, %nine, %one, %zero : (tensor<9x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
  %t = ov.slice %more, %five, %nine, %one, %zero : (tensor<9x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x4xf32>
  %o = ov.slice %others, %from, %to, %ones, %both : (tensor<9x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
  func.return %r, %s, %t, %o : tensor<2x4xf32>, tensor<1x4xf32>, tensor<4x4xf32>, tensor<1x2xf32>
}
// CHECK:      %[[LAST:.*]], %more, %others = ov.loop
// CHECK:        ov.next last(%w : tensor<3x4xf32>) concat(%v, %u : tensor<3x4xf32>, tensor<3x4xf32>)
// CHECK:      %[[FROM:.*]] = ov.constant dense<0> : tensor<1xi64>
// CHECK-NEXT: %[[TO:.*]] = ov.constant dense<3> : tensor<1xi64>
// CHECK-NEXT: %[[STEP:.*]] = ov.constant dense<2> : tensor<1xi64>
// CHECK:      ov.slice %[[LAST]], %[[FROM]], %[[TO]], %[[STEP]]
// CHECK:      %[[FROM:.*]] = ov.constant dense<2> : tensor<1xi64>
// CHECK-NEXT: %[[TO:.*]] = ov.constant dense<3> : tensor<1xi64>
// CHECK:      ov.slice %[[LAST]], %[[FROM]], %[[TO]]
// CHECK-NEXT: ov.slice %more
// CHECK-NEXT: ov.slice %others

// -----

// A slice that nothing reads goes if another one says the trips.
func.func @main(%x: tensor<8x4xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>, %a: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %r = ov.loop carried(%a) sliced(%b, %x) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<8x2xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x2xf32>, %p: tensor<1x4xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  %s = ov.loop carried(%r) sliced(%c, %x) {slices = [#ov.slice<axis = 0>, #ov.slice<axis = 0>]} : (tensor<1x4xf32>, tensor<4x2xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %q: tensor<1x2xf32>, %p: tensor<1x4xf32>):
    %w = ov.subtract %p, %v : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    ov.next carried(%w : tensor<1x4xf32>)
  }
  func.return %r, %s : tensor<1x4xf32>, tensor<1x4xf32>
}
// CHECK: %r = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0>]}
// CHECK: %s = ov.loop carried(%r) sliced(%c, %x)
