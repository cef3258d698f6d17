// RUN: loomir-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: the body's first argument, the iteration number, must be tensor<i64>
func.func @iteration() {
  ov.loop : () -> () {
  ^bb0(%i: tensor<i32>):
    ov.next
  }
  func.return
}

// -----

// CHECK: the body must have 2 arguments (iteration, carried, parts)
func.func @arguments(%a: tensor<2xf32>) {
  %r = ov.loop carried(%a) : (tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>):
    ov.next carried(%a : tensor<2xf32>)
  }
  func.return
}

// -----

// CHECK: carried value 0 has element types f32 and f64
func.func @elements(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  %r = ov.loop carried(%a) : (tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %x: tensor<2xf32>):
    ov.next carried(%b : tensor<2xf64>)
  }
  func.return
}

// -----

// CHECK: 1 sliced inputs but 0 slices
func.func @slices(%a: tensor<2xf32>) {
  ov.loop sliced(%a) : (tensor<2xf32>) -> () {
  ^bb0(%i: tensor<i64>, %x: tensor<1xf32>):
    ov.next
  }
  func.return
}

// -----

// CHECK: 2 results but ov.next hands on 1 values
func.func @results(%a: tensor<2xf32>) {
  %r, %s = ov.loop carried(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %x: tensor<2xf32>):
    ov.next carried(%x : tensor<2xf32>)
  }
  func.return
}

// -----

// CHECK: the body of ov.loop must end in ov.next
func.func @terminator(%a: tensor<2xf32>) {
  ov.loop : () -> () {
  ^bb0(%i: tensor<i64>):
    ov.yield
  }
  func.return
}

// -----

// CHECK: expected axis, start, end, stride or part_size, got axle
"test.op"() {slice = #ov.slice<axle = 1>} : () -> ()

// -----

// CHECK: ov.if must have at least one result
func.func @no_result(%c: tensor<i1>) {
  ov.if %c -> () {
    ov.yield
  } else {
    ov.yield
  }
  func.return
}

// -----

// CHECK: the else region yields 0 values, the operation has 1 results
func.func @uneven(%c: tensor<i1>, %a: tensor<2xf32>) {
  %r = ov.if %c -> (tensor<2xf32>) {
    ov.yield %a : tensor<2xf32>
  } else {
    ov.yield
  }
  func.return
}

// -----

// CHECK: else region's value 0 has element types f32 and f64
func.func @types(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  %r = ov.if %c -> (tensor<2xf32>) {
    ov.yield %a : tensor<2xf32>
  } else {
    ov.yield %b : tensor<2xf64>
  }
  func.return
}
