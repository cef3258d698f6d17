// REQUIRES: mlir-opt
// RUN: loomir-opt %s -p plan-memory | mlir-opt-22 | filecheck %s

// CHECK: func.func @main({{.*}}: memref<32xi8> {loomir.align = 4 : i64, loomir.role = "arena"})
// CHECK-COUNT-2: memref.view
func.func @main(%y: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  "memref.copy"(%y, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<4xf32>, memref<4xf32>) {
    "memref.copy"(%p, %q) : (memref<4xf32>, memref<4xf32>) -> ()
    scf.yield %q, %p : memref<4xf32>, memref<4xf32>
  }
  "memref.copy"(%r#0, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
