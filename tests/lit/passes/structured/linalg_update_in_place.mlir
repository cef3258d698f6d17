// RUN: loomir-opt %s -p linalg-update-in-place | filecheck %s
// RUN: loomir-opt %s -p linalg-update-in-place --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// REMARK-DAG: linalg-update-in-place: done: linalg.generic: overwrites carried tensor 0
// REMARK-DAG: left: linalg.generic: it reads other elements of the carried value than the one that it writes
// REMARK-DAG: left: linalg.generic: the carried value is read afterwards
// REMARK-DAG: left: scf.for: carried tensor 0 is not computed by a linalg.generic, or is handed on twice

// The carried value is read for the last time.
// CHECK-LABEL: func.func @straight
// CHECK: ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>)
func.func @straight(%x: tensor<4xf32>, %n: index, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %old: f32):
        %s = math.tanh %a : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// Two branches, of which one is taken; the other one keeps the value.
// CHECK-LABEL: func.func @branches
// CHECK: scf.if
// CHECK: ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>)
// CHECK: else
// CHECK: ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>)
func.func @branches(%x: tensor<4xf32>, %n: index, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %b = scf.if %c -> (tensor<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %old: f32):
        %s = math.tanh %a : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
      scf.yield %g : tensor<4xf32>
    } else {
      %f = tensor.empty() : tensor<4xf32>
      %h = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%f : tensor<4xf32>) {
      ^bb0(%a: f32, %old: f32):
        %s = math.tanh %a : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
      scf.yield %h : tensor<4xf32>
    }
    scf.yield %b : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// What a loop inside makes of the carried value.
// CHECK-LABEL: func.func @through_a_loop
// CHECK: ins(%w : tensor<4xf32>) outs(%w : tensor<4xf32>)
func.func @through_a_loop(%x: tensor<4xf32>, %n: index, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %w = scf.for %j = %c0 to %n step %c1 iter_args(%u = %v) -> (tensor<4xf32>) {
      scf.yield %u : tensor<4xf32>
    }
    %e = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %old: f32):
        %s = math.tanh %a : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// The old value is looked at afterwards.
// CHECK-LABEL: func.func @still_needed
// CHECK: ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>)
func.func @still_needed(%x: tensor<4xf32>, %n: index, %c: i1, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %old: f32):
        %s = math.tanh %a : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
    %o = tensor.extract %v[%c0] : tensor<4xf32>
    %t = tensor.insert %o into %y[%i] : tensor<4xf32>
    %k = tensor.extract %t[%c0] : tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// Something else reads the new value, too: in the place of the old one.
// CHECK-LABEL: func.func @used_twice
// CHECK: ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>)
func.func @used_twice(%x: tensor<4xf32>, %n: index, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %old: f32):
        %s = math.tanh %a : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
    %o = tensor.extract %g[%c0] : tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}

// The new value is handed on twice: one of the two needs other memory.
// CHECK-LABEL: func.func @handed_on_twice
// CHECK: ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>)
func.func @handed_on_twice(%x: tensor<4xf32>, %n: index, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x, %w = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %old: f32):
        %s = math.tanh %a : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
    scf.yield %g, %g : tensor<4xf32>, tensor<4xf32>
  }
  func.return %r#0 : tensor<4xf32>
}

// Another element than the one that is written.
// CHECK-LABEL: func.func @reversed
// CHECK: ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>)
func.func @reversed(%x: tensor<4xf32>, %n: index, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (3 - d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %old: f32):
        %s = math.tanh %a : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}
