// RUN: loomir-opt %s -p 'convert-ov-to-openvino' | filecheck %s
// What no operation set of OpenVINO has is expressed by what they have; near misses stay.


// CHECK-LABEL: func.func @arg_max
// CHECK-NEXT: %0 = ov.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %1, %2 = ov.top_k %x, %0 {axis = 1 : i64, stable = true, index_element_type = i64} : (tensor<2x8xf32>, tensor<i64>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
// CHECK-NEXT: %3 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %y = ov.squeeze %2, %3 : (tensor<2x1xi64>, tensor<1xi64>) -> tensor<2xi64>
// CHECK-NEXT: func.return %y : tensor<2xi64>
// CHECK-NEXT: }
func.func @arg_max(%x: tensor<2x8xf32>) -> tensor<2xi64> {
  %y = ov.arg_max %x {axis = -1 : i64, keep_dims = false} : (tensor<2x8xf32>) -> tensor<2xi64>
  func.return %y : tensor<2xi64>
}


// CHECK-LABEL: func.func @index_inside
// CHECK-NEXT: %i = ov.constant dense<-8> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %y = ov.gather %x, %i, %a {batch_dims = 0 : i64} : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
// CHECK-NEXT: func.return %y : tensor<f32>
// CHECK-NEXT: }
func.func @index_inside(%x: tensor<8xf32>) -> tensor<f32> {
  %i = ov.constant dense<-8> : tensor<i64> : tensor<i64>
  %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %y = ov.gather %x, %i, %a {out_of_range = "error"} : (tensor<8xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
  func.return %y : tensor<f32>
}


// CHECK-LABEL: func.func @index_anywhere
// CHECK-NEXT: %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %0 = ov.constant dense<8> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.convert %i {destination_type = i64} : (tensor<2xi32>) -> tensor<2xi64>
// CHECK-NEXT: %2 = ov.negative %0 : (tensor<1xi64>) -> tensor<1xi64>
// CHECK-NEXT: %3 = ov.greater_equal %1, %2 : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xi1>
// CHECK-NEXT: %4 = ov.less %1, %0 : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xi1>
// CHECK-NEXT: %5 = ov.logical_and %3, %4 : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
// CHECK-NEXT: %6 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %7 = ov.reduce_logical_and %5, %6 : (tensor<2xi1>, tensor<1xi64>) -> tensor<i1>
// CHECK-NEXT: %8 = ov.constant dense<[2, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %9 = ov.constant dense<[3, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %10 = ov.select %7, %8, %9 : (tensor<i1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
// CHECK-NEXT: %11 = ov.constant dense<[1, 2]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %12 = ov.reshape %11, %10 : (tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi64>
// CHECK-NEXT: %13 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %14 = ov.reduce_min %12, %13 : (tensor<?x?xi64>, tensor<2xi64>) -> tensor<i64>
// CHECK-NEXT: %15 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %16 = ov.greater %14, %15 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %17 = ov.constant dense<0> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %18 = ov.select %16, %i, %17 : (tensor<i1>, tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
// CHECK-NEXT: %y = ov.gather %x, %18, %a {batch_dims = 0 : i64} : (tensor<8xf32>, tensor<2xi32>, tensor<i64>) -> tensor<2xf32>
// CHECK-NEXT: func.return %y : tensor<2xf32>
// CHECK-NEXT: }
func.func @index_anywhere(%x: tensor<8xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %y = ov.gather %x, %i, %a {out_of_range = "error"} : (tensor<8xf32>, tensor<2xi32>, tensor<i64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}


// CHECK-LABEL: func.func @dimension_of_one
// CHECK-NEXT: %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %0 = ov.shape_of %x : (tensor<?x8xf32>) -> tensor<2xi64>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.gather %0, %1, %2 {batch_dims = 0 : i64} : (tensor<2xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %4 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %5 = ov.equal %3, %4 : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
// CHECK-NEXT: %6 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %7 = ov.reduce_logical_and %5, %6 : (tensor<1xi1>, tensor<1xi64>) -> tensor<i1>
// CHECK-NEXT: %8 = ov.constant dense<[2, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %9 = ov.constant dense<[3, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %10 = ov.select %7, %8, %9 : (tensor<i1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
// CHECK-NEXT: %11 = ov.constant dense<[1, 2]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %12 = ov.reshape %11, %10 : (tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi64>
// CHECK-NEXT: %13 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %14 = ov.reduce_min %12, %13 : (tensor<?x?xi64>, tensor<2xi64>) -> tensor<i64>
// CHECK-NEXT: %15 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %16 = ov.greater %14, %15 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %17 = ov.constant dense<0.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %18 = ov.select %16, %x, %17 : (tensor<i1>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
// CHECK-NEXT: %y = ov.squeeze %18, %a : (tensor<?x8xf32>, tensor<i64>) -> tensor<8xf32>
// CHECK-NEXT: func.return %y : tensor<8xf32>
// CHECK-NEXT: }
func.func @dimension_of_one(%x: tensor<?x8xf32>) -> tensor<8xf32> {
  %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %y = ov.squeeze %x, %a {strict = true} : (tensor<?x8xf32>, tensor<i64>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}


// CHECK-LABEL: func.func @branch_that_stops
// CHECK-NEXT: %r = ov.if %c -> (tensor<2xf32>) {
// CHECK-NEXT: ov.yield %x : tensor<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %0 = ov.constant dense<0.000000e+00> : tensor<2xf32> : tensor<2xf32>
// CHECK-NEXT: %1 = ov.constant dense<[2, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %2 = ov.constant dense<[3, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %3 = ov.select %c, %1, %2 : (tensor<i1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
// CHECK-NEXT: %4 = ov.constant dense<[1, 2]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %5 = ov.reshape %4, %3 : (tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi64>
// CHECK-NEXT: %6 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %7 = ov.reduce_min %5, %6 : (tensor<?x?xi64>, tensor<2xi64>) -> tensor<i64>
// CHECK-NEXT: %8 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %9 = ov.greater %7, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %10 = ov.constant dense<0.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %f = ov.select %9, %0, %10 : (tensor<i1>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK-NEXT: ov.yield %f : tensor<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<2xf32>
// CHECK-NEXT: }
func.func @branch_that_stops(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = ov.if %c -> (tensor<2xf32>) {
    ov.yield %x : tensor<2xf32>
  } else {
    %f = ov.fail "of another shape" : tensor<2xf32>
    ov.yield %f : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}


// CHECK-LABEL: func.func @loop
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.reverse %s, %0 {mode = "index"} : (tensor<4x2xf32>, tensor<1xi64>) -> tensor<4x2xf32>
// CHECK-NEXT: %2 = ov.constant dense<true> : tensor<i1> : tensor<i1>
// CHECK-NEXT: %r, %q = ov.loop trip(%n) while(%2) carried(%x) sliced(%1) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<4xf32>, tensor<?x2xf32>) {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<1x2xf32>):
// CHECK-NEXT: %two = ov.constant dense<2.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %w = ov.multiply %v, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %3 = ov.constant dense<true> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.next while(%3) carried(%w : tensor<4xf32>) concat(%p : tensor<1x2xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %4 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %5 = ov.reverse %q, %4 {mode = "index"} : (tensor<?x2xf32>, tensor<1xi64>) -> tensor<?x2xf32>
// CHECK-NEXT: func.return %r, %5 : tensor<4xf32>, tensor<?x2xf32>
// CHECK-NEXT: }
func.func @loop(%n: tensor<i64>, %x: tensor<4xf32>, %s: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<?x2xf32>) {
  %two = ov.constant dense<2.0> : tensor<f32> : tensor<f32>
  %r, %q = ov.loop trip(%n) carried(%x) sliced(%s) {slices = [#ov.slice<axis = -2, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<i64>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<4xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %p: tensor<1x2xf32>):
    %w = ov.multiply %v, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ov.next carried(%w : tensor<4xf32>) concat(%p : tensor<1x2xf32>)
  }
  func.return %r, %q : tensor<4xf32>, tensor<?x2xf32>
}


// CHECK-LABEL: func.func @iterator
// CHECK-NEXT: %q = ov.loop sliced(%s) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>], concats = [#ov.slice<axis = 0>]} : (tensor<4x2xf32>) -> tensor<2x4xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %p: tensor<2x2xf32>):
// CHECK-NEXT: %t = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %r = ov.reshape %p, %t : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next concat(%r : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %q : tensor<2x4xf32>
// CHECK-NEXT: }
func.func @iterator(%s: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %q = ov.loop sliced(%s) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>], concats = [#ov.slice<axis = -2>]} : (tensor<4x2xf32>) -> tensor<2x4xf32> {
  ^bb0(%i: tensor<i64>, %p: tensor<2x2xf32>):
    %t = ov.constant dense<[1, 4]> : tensor<2xi64> : tensor<2xi64>
    %r = ov.reshape %p, %t : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    ov.next concat(%r : tensor<1x4xf32>)
  }
  func.return %q : tensor<2x4xf32>
}


// CHECK-LABEL: func.func @parts_of_two
// CHECK-NEXT: %0 = ov.constant dense<true> : tensor<i1> : tensor<i1>
// CHECK-NEXT: %q = ov.loop trip(%n) while(%0) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>) -> tensor<?x2x3xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>):
// CHECK-NEXT: %1 = ov.constant dense<[1, 2, 3]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %2 = ov.reshape %s, %1 : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<1x2x3xf32>
// CHECK-NEXT: %3 = ov.constant dense<true> : tensor<i1> : tensor<i1>
// CHECK-NEXT: ov.next while(%3) concat(%2 : tensor<1x2x3xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %4 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %5 = ov.reverse %q, %4 {mode = "index"} : (tensor<?x2x3xf32>, tensor<1xi64>) -> tensor<?x2x3xf32>
// CHECK-NEXT: %6 = ov.shape_of %5 : (tensor<?x2x3xf32>) -> tensor<3xi64>
// CHECK-NEXT: %7 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %8 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %9 = ov.gather %6, %7, %8 : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %10 = ov.convert %9 {destination_type = i64} : (tensor<1xi64>) -> tensor<1xi64>
// CHECK-NEXT: %11 = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %12 = ov.multiply %10, %11 : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
// CHECK-NEXT: %13 = ov.constant dense<[-1, 3]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %14 = ov.reshape %5, %13 : (tensor<?x2x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
// CHECK-NEXT: func.return %14 : tensor<?x3xf32>
// CHECK-NEXT: }
func.func @parts_of_two(%n: tensor<i64>, %s: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %q = ov.loop trip(%n) {concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>]} : (tensor<i64>) -> tensor<?x3xf32> {
  ^bb0(%i: tensor<i64>):
    ov.next concat(%s : tensor<2x3xf32>)
  }
  func.return %q : tensor<?x3xf32>
}


// CHECK-LABEL: func.func @one_capacity
// CHECK-NEXT: %0 = ov.shape_of %x : (tensor<?xf32>) -> tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %3 = ov.gather %0, %1, %2 {batch_dims = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %4 = ov.constant dense<8> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %5 = ov.less_equal %3, %4 : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
// CHECK-NEXT: %6 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %7 = ov.reduce_logical_and %5, %6 : (tensor<1xi1>, tensor<1xi64>) -> tensor<i1>
// CHECK-NEXT: %8 = ov.constant dense<[2, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %9 = ov.constant dense<[3, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %10 = ov.select %7, %8, %9 : (tensor<i1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
// CHECK-NEXT: %11 = ov.constant dense<[1, 2]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %12 = ov.reshape %11, %10 : (tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi64>
// CHECK-NEXT: %13 = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %14 = ov.reduce_min %12, %13 : (tensor<?x?xi64>, tensor<2xi64>) -> tensor<i64>
// CHECK-NEXT: %15 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %16 = ov.greater %14, %15 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT: %17 = ov.constant dense<0.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %y = ov.select %16, %x, %17 : (tensor<i1>, tensor<?xf32>, tensor<f32>) -> tensor<?xf32, #ov.bounds<8>>
// CHECK-NEXT: func.return %y : tensor<?xf32, #ov.bounds<8>>
// CHECK-NEXT: }
func.func @one_capacity(%x: tensor<?xf32>) -> tensor<?xf32, #ov.bounds<8>> {
  %y = ov.check_bounds %x : (tensor<?xf32>) -> tensor<?xf32, #ov.bounds<8>>
  func.return %y : tensor<?xf32, #ov.bounds<8>>
}

// A Broadcast that changes nothing is not written.
// CHECK-LABEL: func.func @as_it_is
// CHECK-NEXT: %s = ov.constant
// CHECK-NEXT: func.return %x : tensor<2xf32>
func.func @as_it_is(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
  %y = ov.broadcast %x, %s {mode = "numpy"} : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

// Each result of main is a tensor of its own; not what OpenVINO's layers compute in 32 bits, nor a state.
func.func @main(%x: tensor<?x2xf32> {loomir.name = "x"}, %n: tensor<2xi64> {loomir.name = "n"},
                %h: tensor<f32> {loomir.name = "h", loomir.state = "h"})
    -> (tensor<?x2xf32> {loomir.name = "y"}, tensor<2xi64> {loomir.name = "m"}, tensor<?x2xf32> {loomir.name = "a"}, tensor<?x2xf32> {loomir.name = "b"},
        tensor<f32> {loomir.name = "h", loomir.state = "h"}) {
  %a = ov.abs %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  func.return %x, %n, %a, %a, %h : tensor<?x2xf32>, tensor<2xi64>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<f32>
}
// CHECK-LABEL: func.func @main(%x: tensor<?x2xf32> {loomir.name = "x"}, %n
// CHECK:       %a = ov.abs %x
// CHECK:       %[[SAME:.*]] = ov.constant dense<0> : tensor<2xi64>
// CHECK:       %[[Y:.*]] = ov.reshape %x, %[[SAME]] {special_zero = true}
// CHECK:       %[[B:.*]] = ov.reshape %a, %{{.*}} {special_zero = true}
// CHECK:       func.return %[[Y]], %n, %a, %[[B]], %h
