// RUN: loomir-opt %s -p plan-memory | filecheck %s
// RUN: loomir-opt %s -p "plan-memory{report=true}" 2>&1 >/dev/null | filecheck %s --check-prefix=REPORT
// RUN: loomir-opt %s -p "plan-memory{machine=x86-64-v4}" | filecheck %s --check-prefix=LINES

// A line of the cache is what vectors begin at.
// LINES: %arena: memref<512xi8> {loomir.role = "arena", loomir.align = 64 : i64}

// %a and %b are in different arms and share; %d is needed beside either. A sum reads all of its input in each iteration.
// REPORT: @main: arena: 512 bytes for 3 buffers of 768 bytes; lower bound 512; optimal

// CHECK:      func.func @main(%x: memref<64xf32> {loomir.role = "input"}, %y: memref<64xf32> {loomir.role = "output"}, %c: i1,
// CHECK-SAME:   %arena: memref<512xi8> {loomir.role = "arena", loomir.align = 4 : i64}) {
func.func @main(%x: memref<64xf32> {loomir.role = "input"}, %y: memref<64xf32> {loomir.role = "output"}, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // CHECK:      %[[O:.*]] = arith.constant 256 : index
  // CHECK-NEXT: %a = memref.view %arena[%[[O]]][] : memref<512xi8> to memref<64xf32>
  // CHECK-NEXT: %[[P:.*]] = arith.constant 256 : index
  // CHECK-NEXT: %b = memref.view %arena[%[[P]]][] : memref<512xi8> to memref<64xf32>
  // CHECK-NEXT: %[[Q:.*]] = arith.constant 0 : index
  // CHECK-NEXT: %d = memref.view %arena[%[[Q]]][] : memref<512xi8> to memref<64xf32>
  // CHECK-NOT:  memref.alloc
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  "memref.copy"(%x, %d) : (memref<64xf32>, memref<64xf32>) -> ()
  %r = scf.if %c -> (memref<64xf32>) {
    "memref.copy"(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
    scf.yield %a : memref<64xf32>
  } else {
    "memref.copy"(%y, %b) : (memref<64xf32>, memref<64xf32>) -> ()
    scf.yield %b : memref<64xf32>
  }
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %r[%i] : memref<64xf32>
    %w = memref.load %d[%i] : memref<64xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %y[%i] : memref<64xf32>
  }
  func.return
}
