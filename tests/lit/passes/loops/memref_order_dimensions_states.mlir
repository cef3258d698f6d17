// RUN: loomir-opt %s -p 'memref-order-dimensions{machine=x86-64-v3}' | filecheck %s
// RUN: loomir-opt %s -p 'memref-order-dimensions' | filecheck %s --check-prefix=GENERIC

// A state whose rows are added up in each iteration is in a buffer of the other order until the loop is done; it is brought there and
// back. Without vectors there is no buffer more.
// CHECK: func.func @main(
// CHECK-NEXT: %[[STATE:.*]] = memref.alloc() : memref<12x16xf32>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], {{.*}} ins(%h : {{.*}}) outs(%[[STATE]] :
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%x, %[[STATE]] : memref<16xf32>, memref<12x16xf32>) outs(%[[STATE]] : memref<12x16xf32>)
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], {{.*}} ins(%[[STATE]] : memref<12x16xf32>) outs(%y
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], {{.*}} ins(%[[STATE]] : memref<12x16xf32>) outs(%out : memref<16x12xf32>)
// CHECK: func.return
// GENERIC-NOT: memref.alloc
builtin.module {
  func.func @main(%h: memref<16x12xf32> {loomir.name = "h", loomir.role = "input"}, %x: memref<16xf32> {loomir.name = "x", loomir.role = "input"},
      %out: memref<16x12xf32> {loomir.name = "out", loomir.role = "output"}, %y: memref<16xf32> {loomir.name = "y", loomir.role = "output"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0.0 : f32
    linalg.copy ins(%h : memref<16x12xf32>) outs(%out : memref<16x12xf32>)
    scf.for %t = %c0 to %c100 step %c1 {
      linalg.generic {indexing_maps = [affine_map<(c, n) -> (c)>, affine_map<(c, n) -> (c, n)>, affine_map<(c, n) -> (c, n)>], iterator_types = ["parallel", "parallel"]}
          ins(%x, %out : memref<16xf32>, memref<16x12xf32>) outs(%out : memref<16x12xf32>) {
      ^bb0(%p: f32, %q: f32, %old: f32):
        %s = arith.addf %p, %q : f32
        linalg.yield %s : f32
      }
      linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)
      linalg.generic {indexing_maps = [affine_map<(c, n) -> (c, n)>, affine_map<(c, n) -> (c)>], iterator_types = ["parallel", "reduction"]}
          ins(%out : memref<16x12xf32>) outs(%y : memref<16xf32>) {
      ^bb0(%p: f32, %acc: f32):
        %s = arith.addf %acc, %p : f32
        linalg.yield %s : f32
      }
    }
    func.return
  }
}
