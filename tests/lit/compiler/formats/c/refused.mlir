// RUN: not loomir-opt %s -t c 2>&1 | filecheck %s

// CHECK: memref.alloc: memory is not planned yet [c-unplanned-memory]
// CHECK-NEXT: run plan-memory before printing C

func.func @main(%y: memref<1xf32> {loomir.name = "y", loomir.role = "output"}) {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<1xf32>
  %v = memref.load %b[%c0] : memref<1xf32>
  memref.store %v, %y[%c0] : memref<1xf32>
  func.return
}
