// RUN: loomir-opt %s -p scf-overwrite-slices --remarks --split-input-file --verify-diagnostics | filecheck %s

// Each row gives place to the one that is computed of it, and in it.
// CHECK-LABEL: func.func @rows(
// CHECK:       scf.for %{{.*}} iter_args(%[[V:.*]] = %x)
// CHECK:         scf.for %[[I:.*]] = %{{.*}} iter_args(%[[OUT:.*]] = %[[V]])
// CHECK-NEXT:      %[[ROW:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0] [1, 3]
// CHECK:           linalg.generic {{.*}} outs(%[[ROW]] : tensor<1x3xf32>)
// CHECK:           tensor.insert_slice %{{.*}} into %[[OUT]][%[[I]], 0]
func.func @rows(%x: tensor<4x3xf32>, %n: index) -> tensor<4x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4x3xf32>) {
    %none = tensor.empty() : tensor<4x3xf32>
    // expected-remark@+1 {{scf-overwrite-slices: done: scf.for: writes output 0 over a carried tensor}}
    %w = scf.for %i = %c0 to %c4 step %c1 iter_args(%out = %none) -> (tensor<4x3xf32>) {
      %row = tensor.extract_slice %v[%i, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<1x3xf32>
      %e = tensor.empty() : tensor<1x3xf32>
      %new = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%row : tensor<1x3xf32>) outs(%e : tensor<1x3xf32>) {
      ^bb0(%a: f32, %b: f32):
        %s = math.exp %a : f32
        linalg.yield %s : f32
      } -> tensor<1x3xf32>
      %next = tensor.insert_slice %new into %out[%i, 0] [1, 3] [1, 1] : tensor<1x3xf32> into tensor<4x3xf32>
      scf.yield %next : tensor<4x3xf32>
    }
    scf.yield %w : tensor<4x3xf32>
  }
  func.return %r : tensor<4x3xf32>
}

// -----

// Backwards; an iteration also reads the row before its own, which is written after it. Views without axes of extent 1 show the same.
// CHECK-LABEL: func.func @backwards(
// CHECK:       scf.for %{{.*}} iter_args(%[[V:.*]] = %x)
// CHECK:         scf.for %{{.*}} iter_args(%[[OUT:.*]] = %[[V]])
// CHECK:           %[[VIEW:.*]] = tensor.expand_shape %[[OUT]]
// CHECK-NEXT:      tensor.extract %[[VIEW]]
// CHECK:           tensor.extract %[[OUT]]
func.func @backwards(%x: tensor<5xf32>, %n: index) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5xf32>) {
    %none = tensor.empty() : tensor<5xf32>
    %column = tensor.expand_shape %v [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    // expected-remark@+1 {{scf-overwrite-slices: done: scf.for: writes output 0 over a carried tensor}}
    %w = scf.for %i = %c0 to %c4 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
      %at = arith.subi %c4, %i : index
      %before = arith.subi %at, %c1 : index
      %a = tensor.extract %column[%at, %c0] : tensor<5x1xf32>
      %b = tensor.extract %v[%before] : tensor<5xf32>
      %s = arith.addf %a, %b : f32
      %next = tensor.insert %s into %out[%at] : tensor<5xf32>
      scf.yield %next : tensor<5xf32>
    }
    scf.yield %w : tensor<5xf32>
  }
  func.return %r : tensor<5xf32>
}

// -----

// An iteration reads the element that the one before has written.
// CHECK-LABEL: func.func @written_before(
// CHECK:       iter_args(%{{.*}} = %none)
func.func @written_before(%x: tensor<5xf32>, %n: index) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5xf32>) {
    %none = tensor.empty() : tensor<5xf32>
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: an iteration reads what an earlier one has written}}
    %w = scf.for %i = %c1 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
      %before = arith.subi %i, %c1 : index
      %a = tensor.extract %v[%before] : tensor<5xf32>
      %s = math.exp %a : f32
      %next = tensor.insert %s into %out[%i] : tensor<5xf32>
      scf.yield %next : tensor<5xf32>
    }
    scf.yield %w : tensor<5xf32>
  }
  func.return %r : tensor<5xf32>
}

// -----

// Each iteration reads the element that the first one writes.
// CHECK-LABEL: func.func @written_first(
// CHECK:       iter_args(%{{.*}} = %none)
func.func @written_first(%x: tensor<5xf32>, %n: index) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5xf32>) {
    %none = tensor.empty() : tensor<5xf32>
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: an iteration reads what an earlier one has written}}
    %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
      %a = tensor.extract %v[%c0] : tensor<5xf32>
      %s = math.exp %a : f32
      %next = tensor.insert %s into %out[%i] : tensor<5xf32>
      scf.yield %next : tensor<5xf32>
    }
    scf.yield %w : tensor<5xf32>
  }
  func.return %r : tensor<5xf32>
}

// -----

// The carried tensor is read behind the loop,
// CHECK-LABEL: func.func @read_behind(
// CHECK:       iter_args(%{{.*}} = %none)
func.func @read_behind(%x: tensor<5xf32>, %n: index) -> (tensor<5xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %r, %q = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x, %u = %zero) -> (tensor<5xf32>, f32) {
    %none = tensor.empty() : tensor<5xf32>
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: the carried tensor is read otherwise, in the loop or behind it}}
    %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
      %a = tensor.extract %v[%i] : tensor<5xf32>
      %s = math.exp %a : f32
      %next = tensor.insert %s into %out[%i] : tensor<5xf32>
      scf.yield %next : tensor<5xf32>
    }
    %first = tensor.extract %v[%c0] : tensor<5xf32>
    %sum = arith.addf %u, %first : f32
    scf.yield %w, %sum : tensor<5xf32>, f32
  }
  func.return %r, %q : tensor<5xf32>, f32
}

// -----

// or at an unknown place in it;
// CHECK-LABEL: func.func @read_anywhere(
// CHECK:       iter_args(%{{.*}} = %none)
func.func @read_anywhere(%x: tensor<5xf32>, %places: tensor<5xindex>, %n: index) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5xf32>) {
    %none = tensor.empty() : tensor<5xf32>
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: its index}}
    %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
      %at = tensor.extract %places[%i] : tensor<5xindex>
      %a = tensor.extract %v[%at] : tensor<5xf32>
      %s = math.exp %a : f32
      %next = tensor.insert %s into %out[%i] : tensor<5xf32>
      scf.yield %next : tensor<5xf32>
    }
    scf.yield %w : tensor<5xf32>
  }
  func.return %r : tensor<5xf32>
}

// -----

// what is read is used after the iteration has written;
// CHECK-LABEL: func.func @used_after_writing(
// CHECK:       iter_args(%{{.*}} = %none, %{{.*}} = %first)
func.func @used_after_writing(%x: tensor<5x2xf32>, %first: tensor<1x2xf32>, %n: index) -> tensor<5x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5x2xf32>) {
    %none = tensor.empty() : tensor<5x2xf32>
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: what an iteration reads is used after it has written}}
    %w, %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none, %u = %first) -> (tensor<5x2xf32>, tensor<1x2xf32>) {
      %row = tensor.extract_slice %v[%i, 0] [1, 2] [1, 1] : tensor<5x2xf32> to tensor<1x2xf32>
      %next = tensor.insert_slice %u into %out[%i, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<5x2xf32>
      scf.yield %next, %row : tensor<5x2xf32>, tensor<1x2xf32>
    }
    scf.yield %w : tensor<5x2xf32>
  }
  func.return %r : tensor<5x2xf32>
}

// -----

// another loop is between, which would overwrite the tensor several times; and the array comes from outside of all loops.
// CHECK-LABEL: func.func @in_another_loop(
// CHECK:       iter_args(%{{.*}} = %none)
func.func @in_another_loop(%x: tensor<5xf32>, %n: index) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5xf32>) {
    %k = scf.for %j = %c0 to %n step %c1 iter_args(%u = %x) -> (tensor<5xf32>) {
      %none = tensor.empty() : tensor<5xf32>
      // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: it slices no carried tensor of the same shape}}
      %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
        %a = tensor.extract %v[%i] : tensor<5xf32>
        %b = tensor.extract %x[%i] : tensor<5xf32>
        %s = arith.addf %a, %b : f32
        %next = tensor.insert %s into %out[%i] : tensor<5xf32>
        scf.yield %next : tensor<5xf32>
      }
      scf.yield %w : tensor<5xf32>
    }
    scf.yield %k : tensor<5xf32>
  }
  func.return %r : tensor<5xf32>
}

// -----

// Two outputs: each goes over the tensor of which it makes the next value, the first one nowhere.
// CHECK-LABEL: func.func @over_its_own(
// CHECK:       iter_args(%[[V:.*]] = %x, %[[U:.*]] = %y)
// CHECK:       iter_args(%{{.*}} = %none, %{{.*}} = %[[U]])
func.func @over_its_own(%x: tensor<5xf32>, %y: tensor<5xf32>, %n: index) -> (tensor<5xf32>, tensor<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r, %q = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x, %u = %y) -> (tensor<5xf32>, tensor<5xf32>) {
    %none = tensor.empty() : tensor<5xf32>
    // expected-remark@+2 {{scf-overwrite-slices: done: scf.for: writes output 1 over a carried tensor}}
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: the carried tensor is read otherwise, in the loop or behind it}}
    %w, %z = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none, %other = %none) -> (tensor<5xf32>, tensor<5xf32>) {
      %a = tensor.extract %v[%i] : tensor<5xf32>
      %b = tensor.extract %u[%i] : tensor<5xf32>
      %s = arith.addf %a, %b : f32
      %next = tensor.insert %s into %out[%i] : tensor<5xf32>
      %p = arith.mulf %a, %b : f32
      %following = tensor.insert %p into %other[%i] : tensor<5xf32>
      scf.yield %next, %following : tensor<5xf32>, tensor<5xf32>
    }
    %e = tensor.extract %v[%c0] : tensor<5xf32>
    %w1 = tensor.insert %e into %w[%c0] : tensor<5xf32>
    scf.yield %w1, %z : tensor<5xf32>, tensor<5xf32>
  }
  func.return %r, %q : tensor<5xf32>, tensor<5xf32>
}

// -----

// The output belongs to two places: one of them needs a copy of it, wherever it is.
// CHECK-LABEL: func.func @handed_on_twice(
// CHECK:       iter_args(%{{.*}} = %none)
func.func @handed_on_twice(%x: tensor<5xf32>, %y: tensor<5xf32>, %n: index) -> (tensor<5xf32>, tensor<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r, %q = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x, %u = %y) -> (tensor<5xf32>, tensor<5xf32>) {
    %none = tensor.empty() : tensor<5xf32>
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: it slices no carried tensor of the same shape whose next value takes its place}}
    %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
      %a = tensor.extract %v[%i] : tensor<5xf32>
      %s = math.exp %a : f32
      %next = tensor.insert %s into %out[%i] : tensor<5xf32>
      scf.yield %next : tensor<5xf32>
    }
    scf.yield %w, %w : tensor<5xf32>, tensor<5xf32>
  }
  func.return %r, %q : tensor<5xf32>, tensor<5xf32>
}

// -----

// It takes the place of another tensor, and the next value of this one is computed of it elsewhere.
// CHECK-LABEL: func.func @moves_elsewhere(
// CHECK:       iter_args(%{{.*}} = %none)
func.func @moves_elsewhere(%x: tensor<5xf32>, %y: tensor<5xf32>, %n: index) -> (tensor<5xf32>, tensor<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r, %q = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x, %u = %y) -> (tensor<5xf32>, tensor<5xf32>) {
    %none = tensor.empty() : tensor<5xf32>
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: it slices no carried tensor of the same shape whose next value takes its place}}
    %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
      %a = tensor.extract %v[%i] : tensor<5xf32>
      %s = math.exp %a : f32
      %next = tensor.insert %s into %out[%i] : tensor<5xf32>
      scf.yield %next : tensor<5xf32>
    }
    %e = tensor.empty() : tensor<5xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%w, %u : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
    ^bb0(%a1: f32, %a2: f32, %a3: f32):
      %s1 = arith.addf %a1, %a2 : f32
      linalg.yield %s1 : f32
    } -> tensor<5xf32>
    scf.yield %g, %w : tensor<5xf32>, tensor<5xf32>
  }
  func.return %r, %q : tensor<5xf32>, tensor<5xf32>
}

// -----

// In a branch beside one that leaves the tensor as it is;
// CHECK-LABEL: func.func @in_a_branch(
// CHECK:       scf.for %{{.*}} iter_args(%[[V:.*]] = %x)
// CHECK:         iter_args(%{{.*}} = %[[V]])
func.func @in_a_branch(%x: tensor<5xf32>, %y: tensor<5xf32>, %n: index, %c: i1) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5xf32>) {
    %z = scf.if %c -> (tensor<5xf32>) {
      %none = tensor.empty() : tensor<5xf32>
      // expected-remark@+1 {{scf-overwrite-slices: done: scf.for: writes output 0 over a carried tensor}}
      %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
        %a = tensor.extract %v[%i] : tensor<5xf32>
        %s = math.exp %a : f32
        %next = tensor.insert %s into %out[%i] : tensor<5xf32>
        scf.yield %next : tensor<5xf32>
      }
      scf.yield %w : tensor<5xf32>
    } else {
      scf.yield %v : tensor<5xf32>
    }
    scf.yield %z : tensor<5xf32>
  }
  func.return %r : tensor<5xf32>
}

// -----

// not beside one that gives another tensor, which is copied to a buffer of its own.
// CHECK-LABEL: func.func @beside_a_copy(
// CHECK:       iter_args(%{{.*}} = %none)
func.func @beside_a_copy(%x: tensor<5xf32>, %y: tensor<5xf32>, %n: index, %c: i1) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5xf32>) {
    %z = scf.if %c -> (tensor<5xf32>) {
      %none = tensor.empty() : tensor<5xf32>
      // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: it slices no carried tensor of the same shape whose next value takes its place}}
      %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
        %a = tensor.extract %v[%i] : tensor<5xf32>
        %s = math.exp %a : f32
        %next = tensor.insert %s into %out[%i] : tensor<5xf32>
        scf.yield %next : tensor<5xf32>
      }
      scf.yield %w : tensor<5xf32>
    } else {
      scf.yield %y : tensor<5xf32>
    }
    scf.yield %z : tensor<5xf32>
  }
  func.return %r : tensor<5xf32>
}

// -----

// Two tensors change places: the output replaces the one that is left behind.
// CHECK-LABEL: func.func @change_places(
// CHECK:       scf.for %{{.*}} iter_args(%[[V:.*]] = %x, %{{.*}} = %y)
// CHECK:         iter_args(%{{.*}} = %[[V]])
func.func @change_places(%x: tensor<5xf32>, %y: tensor<5xf32>, %n: index) -> (tensor<5xf32>, tensor<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r, %q = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x, %u = %y) -> (tensor<5xf32>, tensor<5xf32>) {
    %none = tensor.empty() : tensor<5xf32>
    // expected-remark@+1 {{scf-overwrite-slices: done: scf.for: writes output 0 over a carried tensor}}
    %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5xf32>) {
      %a = tensor.extract %v[%i] : tensor<5xf32>
      %s = math.exp %a : f32
      %next = tensor.insert %s into %out[%i] : tensor<5xf32>
      scf.yield %next : tensor<5xf32>
    }
    scf.yield %u, %w : tensor<5xf32>, tensor<5xf32>
  }
  func.return %r, %q : tensor<5xf32>, tensor<5xf32>
}

// -----

// A row that is taken in front of the loop and read in it stays in the tensor until then.
// CHECK-LABEL: func.func @row_in_front(
// CHECK:       iter_args(%{{.*}} = %none)
func.func @row_in_front(%x: tensor<5x2xf32>, %n: index) -> tensor<5x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<5x2xf32>) {
    %none = tensor.empty() : tensor<5x2xf32>
    %first = tensor.extract_slice %v[0, 0] [1, 2] [1, 1] : tensor<5x2xf32> to tensor<1x2xf32>
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: the carried tensor is read otherwise, in the loop or behind it}}
    %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none) -> (tensor<5x2xf32>) {
      %a = tensor.extract %v[%i, %c0] : tensor<5x2xf32>
      %b = tensor.extract %first[%c0, %c1] : tensor<1x2xf32>
      %s = arith.addf %a, %b : f32
      %next = tensor.insert %s into %out[%i, %c0] : tensor<5x2xf32>
      scf.yield %next : tensor<5x2xf32>
    }
    scf.yield %w : tensor<5x2xf32>
  }
  func.return %r : tensor<5x2xf32>
}

// -----

// A part of what an iteration reads is used after it has written.
// CHECK-LABEL: func.func @part_used_after_writing(
// CHECK:       iter_args(%{{.*}} = %none
func.func @part_used_after_writing(%x: tensor<5x2xf32>, %y: tensor<1x2xf32>, %n: index) -> (tensor<5x2xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %r, %q = scf.for %t = %c0 to %n step %c1 iter_args(%v = %x, %k = %zero) -> (tensor<5x2xf32>, f32) {
    %none = tensor.empty() : tensor<5x2xf32>
    // expected-remark@+1 {{scf-overwrite-slices: left: scf.for: what an iteration reads is used after it has written}}
    %w, %l = scf.for %i = %c0 to %c5 step %c1 iter_args(%out = %none, %u = %k) -> (tensor<5x2xf32>, f32) {
      %row = tensor.extract_slice %v[%i, 0] [1, 2] [1, 1] : tensor<5x2xf32> to tensor<1x2xf32>
      %part = tensor.extract_slice %row[0, 1] [1, 1] [1, 1] : tensor<1x2xf32> to tensor<1x1xf32>
      %next = tensor.insert_slice %y into %out[%i, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<5x2xf32>
      %e = tensor.extract %part[%c0, %c0] : tensor<1x1xf32>
      scf.yield %next, %e : tensor<5x2xf32>, f32
    }
    scf.yield %w, %l : tensor<5x2xf32>, f32
  }
  func.return %r, %q : tensor<5x2xf32>, f32
}
