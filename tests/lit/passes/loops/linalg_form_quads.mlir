// RUN: loomir-opt %s -p 'linalg-form-quads{machine=x86-64-v3}' | filecheck %s
// RUN: loomir-opt %s -p 'linalg-form-quads{machine=cortex-m4}' | filecheck %s --check-prefix=SMALL
// RUN: loomir-opt %s -p linalg-form-quads | filecheck %s --check-prefix=GENERIC
// GENERIC-NOT: quads

builtin.module {
  // The constant gets the loop of the sum last; its bytes 1, 2, 3, 4 are one integer.
  // CHECK-LABEL: func.func @product
  // CHECK-SAME: %w: memref<2x1xi32> {loomir.blob = dense<67305985> : tensor<2x1xi32>}
  // CHECK: %[[view:.*]] = quads.view %x : memref<3x4xi8> to memref<3x1xi32>
  // CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
  // CHECK-SAME: ins(%[[view]], %w : memref<3x1xi32>, memref<2x1xi32>)
  // CHECK: quads.dot %{{.*}}, %{{.*}}, %{{.*}} {zero = 83 : i32} : i32
  func.func @product(%x: memref<3x4xi8>,
      %w: memref<4x2xi8> {loomir.blob = dense<[[1, 1], [2, 2], [3, 3], [4, 4]]> : tensor<4x2xi8>}, %o: memref<3x2xi32>) {
    %zero = arith.constant 83 : i32
    linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (k, n)>,
        affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<3x4xi8>, memref<4x2xi8>) outs(%o : memref<3x2xi32>) {
    ^bb0(%a: i8, %b: i8, %acc: i32):
      %p = arith.extsi %a : i8 to i32
      %q = arith.subi %p, %zero : i32
      %r = arith.extsi %b : i8 to i32
      %m = arith.muli %q, %r : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    }
    func.return
  }

  // Padding of rows is padding by quads, -128 four times; what has no sign, or a zero, is the left factor.
  // CHECK-LABEL: func.func @padded
  // CHECK: %[[view:.*]] = quads.view %x : memref<3x8xi8> to memref<3x2xi32>
  // CHECK: %[[pad:.*]] = builtin.unrealized_conversion_cast %[[view]] : memref<3x2xi32> to memref<5x2xi32>
  // CHECK: %[[quad:.*]] = arith.constant -2139062144 : i32
  // CHECK: ins(%w, %[[pad]], %[[quad]] : memref<4x3x2xi32>, memref<5x2xi32>, i32)
  // CHECK: ^bb0(%[[b:.*]]: i32, %[[a:.*]]: i32, %{{.*}}: i32, %[[acc:.*]]: i32):
  // CHECK: quads.dot %[[acc]], %[[a]], %[[b]] {zero = 0 : i32, unsigned} : i32
  func.func @padded(%x: memref<3x8xi8>, %w: memref<4x3x8xi8> {loomir.blob = dense<1> : tensor<4x3x8xi8>}, %o: memref<3x4xi32>) {
    %least = arith.constant -128 : i8
    %p = builtin.unrealized_conversion_cast %x : memref<3x8xi8> to memref<5x8xi8>
    linalg.generic {indexing_maps = [affine_map<(i, n, j, k) -> (n, j, k)>, affine_map<(i, n, j, k) -> (i + j, k)>,
        affine_map<(i, n, j, k) -> ()>, affine_map<(i, n, j, k) -> (i, n)>],
        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%w, %p, %least : memref<4x3x8xi8>, memref<5x8xi8>, i8) outs(%o : memref<3x4xi32>)
        attrs = {loomir.pads = [{operand = 1 : i64, low = array<i64: 1, 0>, high = array<i64: 1, 0>, value = 2 : i64}]} {
    ^bb0(%b: i8, %a: i8, %none: i8, %acc: i32):
      %r = arith.extsi %b : i8 to i32
      %q = arith.extui %a : i8 to i32
      %m = arith.muli %r, %q : i32
      %s = arith.addi %m, %acc : i32
      linalg.yield %s : i32
    }
    func.return
  }

  // Of two inputs that are no constants vectors would go along one of them: quads of it lie apart.
  // CHECK-LABEL: func.func @two_inputs
  // CHECK-NOT: quads
  // SMALL-LABEL: func.func @two_inputs
  // SMALL: quads.dot
  func.func @two_inputs(%x: memref<3x4xi8>, %y: memref<2x4xi8>, %o: memref<3x2xi32>) {
    linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (n, k)>,
        affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : memref<3x4xi8>, memref<2x4xi8>) outs(%o : memref<3x2xi32>) {
    ^bb0(%a: i8, %b: i8, %acc: i32):
      %p = arith.extsi %a : i8 to i32
      %r = arith.extsi %b : i8 to i32
      %m = arith.muli %p, %r : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    }
    func.return
  }

  // Rows of 6 are no quads, both factors less a number are none, and neither is a column.
  // CHECK-LABEL: func.func @others
  // CHECK-NOT: quads
  // SMALL-LABEL: func.func @others
  // SMALL-NOT: quads
  func.func @others(%x: memref<3x6xi8>, %y: memref<2x6xi8> {loomir.blob = dense<1> : tensor<2x6xi8>}, %u: memref<4x8xi8>,
      %v: memref<8x4xi8>, %o: memref<3x2xi32>, %e: memref<4x4xi32>) {
    %one = arith.constant 1 : i32
    linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (n, k)>,
        affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : memref<3x6xi8>, memref<2x6xi8>) outs(%o : memref<3x2xi32>) {
    ^bb0(%a: i8, %b: i8, %acc: i32):
      %p = arith.extsi %a : i8 to i32
      %r = arith.extsi %b : i8 to i32
      %m = arith.muli %p, %r : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    }
    linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (n, k)>,
        affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%u, %u : memref<4x8xi8>, memref<4x8xi8>) outs(%e : memref<4x4xi32>) {
    ^bb0(%a: i8, %b: i8, %acc: i32):
      %p = arith.extsi %a : i8 to i32
      %q = arith.subi %p, %one : i32
      %r = arith.extsi %b : i8 to i32
      %t = arith.subi %r, %one : i32
      %m = arith.muli %q, %t : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    }
    linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (k, n)>,
        affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%u, %v : memref<4x8xi8>, memref<8x4xi8>) outs(%e : memref<4x4xi32>) {
    ^bb0(%a: i8, %b: i8, %acc: i32):
      %p = arith.extsi %a : i8 to i32
      %r = arith.extsi %b : i8 to i32
      %m = arith.muli %p, %r : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    }
    func.return
  }

  // Another input along the sum, which the body need not read, has as many elements as before.
  // CHECK-LABEL: func.func @third
  // CHECK-NOT: quads
  // SMALL-LABEL: func.func @third
  // SMALL-NOT: quads
  func.func @third(%x: memref<3x8xi8>, %w: memref<2x8xi8> {loomir.blob = dense<1> : tensor<2x8xi8>}, %t: memref<8xf32>,
      %o: memref<3x2xi32>) {
    linalg.generic {indexing_maps = [affine_map<(i, n, k) -> (i, k)>, affine_map<(i, n, k) -> (n, k)>, affine_map<(i, n, k) -> (k)>,
        affine_map<(i, n, k) -> (i, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w, %t : memref<3x8xi8>, memref<2x8xi8>, memref<8xf32>) outs(%o : memref<3x2xi32>) {
    ^bb0(%a: i8, %b: i8, %none: f32, %acc: i32):
      %p = arith.extsi %a : i8 to i32
      %r = arith.extsi %b : i8 to i32
      %m = arith.muli %p, %r : i32
      %s = arith.addi %acc, %m : i32
      linalg.yield %s : i32
    }
    func.return
  }
}
