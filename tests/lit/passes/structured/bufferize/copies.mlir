// RUN: loomir-opt %s -p "bufferize{explain-copies=true}" -o /dev/null 2>&1 | filecheck %s

// Every copy says where and why.
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {loomir.blob = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}, %u: f32, %n: index, %c: i1)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index

  // CHECK: bufferize: update: copy of %x: it is an input or a weight
  %y = tensor.insert %u into %x[%c1] : tensor<4xf32> loc("update")

  // CHECK: bufferize: again: copy of %y: its contents are used later, by scf.for
  %z = tensor.insert %u into %y[%c0] : tensor<4xf32> loc("again")
  %v = tensor.extract %y[%c0] : tensor<4xf32>

  // CHECK: bufferize: loop: copy of %w: a loop overwrites its initial value, and it is an input or a weight
  // CHECK: bufferize: loop: copy of %y: a loop overwrites its initial value, and it is the initial value of two carried values
  // CHECK: bufferize: within: copy of %z: it comes from outside the loop
  // CHECK: bufferize: next: copy of %b: a region yields it, and it is yielded twice
  // CHECK: bufferize: next: copy of %x: a region yields it, and it is an input or a weight
  %l:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %w, %b = %y, %d = %y, %e = %w) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %k = tensor.insert %u into %z[%i] : tensor<4xf32> loc("within")
    scf.yield %b, %b, %x, %k : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> loc("next")
  } loc("loop")

  // CHECK: bufferize: branch: copy of %x: a region yields it, and it is an input or a weight
  %p = scf.if %c -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32> loc("branch")
  } else {
    scf.yield %l#3 : tensor<4xf32>
  }
  %s = tensor.extract_slice %p[0] [3] [1] : tensor<4xf32> to tensor<3xf32>
  // CHECK: bufferize: exit: copy of %x: an input or weight is returned
  // CHECK: bufferize: exit: copy of %z: it is in another output already
  // CHECK: bufferize: exit: copy of %s: the output is a part of a larger buffer
  return %x, %l#0, %l#2, %z, %z, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32> loc("exit")
}
