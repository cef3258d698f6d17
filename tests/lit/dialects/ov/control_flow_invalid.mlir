// RUN: loomir-opt %s --split-input-file --verify-diagnostics

func.func @iteration() {
  // expected-error@+1 {{the body's first argument, the iteration number, must be tensor<i64>}}
  ov.loop : () -> () {
  ^bb0(%i: tensor<i32>):
    ov.next
  }
  func.return
}

// -----

func.func @arguments(%a: tensor<2xf32>) {
  // expected-error@+1 {{the body must have 2 arguments (iteration, carried, parts)}}
  %r = ov.loop carried(%a) : (tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>):
    ov.next carried(%a : tensor<2xf32>)
  }
  func.return
}

// -----

func.func @elements(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@+1 {{carried value 0 has element types f32 and f64}}
  %r = ov.loop carried(%a) : (tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %x: tensor<2xf32>):
    ov.next carried(%b : tensor<2xf64>)
  }
  func.return
}

// -----

func.func @slices(%a: tensor<2xf32>) {
  // expected-error@+1 {{1 sliced inputs but 0 slices}}
  ov.loop sliced(%a) : (tensor<2xf32>) -> () {
  ^bb0(%i: tensor<i64>, %x: tensor<1xf32>):
    ov.next
  }
  func.return
}

// -----

func.func @results(%a: tensor<2xf32>) {
  // expected-error@+1 {{2 results but ov.next passes 1 values}}
  %r, %s = ov.loop carried(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %x: tensor<2xf32>):
    ov.next carried(%x : tensor<2xf32>)
  }
  func.return
}

// -----

func.func @terminator(%a: tensor<2xf32>) {
  // expected-error@+1 {{the body of ov.loop must end in ov.next}}
  ov.loop : () -> () {
  ^bb0(%i: tensor<i64>):
    ov.yield
  }
  func.return
}

// -----

// expected-error@+1 {{expected axis, start, end, stride or part_size, got axle}}
"test.op"() {slice = #ov.slice<axle = 1>} : () -> ()

// -----

func.func @no_result(%c: tensor<i1>) {
  // expected-error@+1 {{ov.if must have at least one result}}
  ov.if %c -> () {
    ov.yield
  } else {
    ov.yield
  }
  func.return
}

// -----

func.func @uneven(%c: tensor<i1>, %a: tensor<2xf32>) {
  // expected-error@+1 {{the else region yields 0 values, the operation has 1 results}}
  %r = ov.if %c -> (tensor<2xf32>) {
    ov.yield %a : tensor<2xf32>
  } else {
    ov.yield
  }
  func.return
}

// -----

func.func @types(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@+1 {{else region's value 0 has element types f32 and f64}}
  %r = ov.if %c -> (tensor<2xf32>) {
    ov.yield %a : tensor<2xf32>
  } else {
    ov.yield %b : tensor<2xf64>
  }
  func.return
}
