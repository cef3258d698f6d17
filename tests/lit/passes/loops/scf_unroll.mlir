// RUN: loomir-opt %s -p "scf-unroll{factor=2}" | filecheck %s
// RUN: loomir-opt %s -p "scf-unroll{full=true max-trips=5}" | filecheck %s --check-prefix=FULL
// RUN: not loomir-opt %s -p "scf-unroll{factor=0}" 2>&1 | filecheck %s --check-prefix=ERROR
// RUN: loomir-opt %s -p scf-unroll --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: loomir-opt %s -p "scf-unroll{full=true max-trips=4}" --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: loomir-opt %s -p "scf-unroll{factor=9}" --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=FEW
// REMARK-DAG: scf-unroll: done: scf.for: unrolled by 4
// REMARK-DAG: scf-unroll: left: scf.for: its step is not a positive constant
// REMARK-DAG: scf-unroll: left: scf.for: the difference of its bounds may overflow
// REFUSED-DAG: scf-unroll: left: scf.for: its 5 trips are more than max-trips=4
// REFUSED-DAG: scf-unroll: left: scf.for: its trip count is not known
// FEW-DAG: scf-unroll: left: scf.for: its 5 trips are fewer than 9

// ERROR: [unroll-factor]

// Five trips: two times two, and one that needs no loop.
// CHECK-LABEL: func.func @five
// CHECK:       %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %x) -> (f32) {
// CHECK-NEXT:    %[[V:.*]] = memref.load %m[%[[I]]]
// CHECK-NEXT:    %[[B:.*]] = arith.addf %[[A]], %[[V]]
// CHECK-NEXT:    %[[J:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK-NEXT:    %[[W:.*]] = memref.load %m[%[[J]]]
// CHECK-NEXT:    %[[C:.*]] = arith.addf %[[B]], %[[W]]
// CHECK-NEXT:    scf.yield %[[C]]
// CHECK-NEXT:  }
// CHECK:       %[[Z:.*]] = memref.load %m
// CHECK-NEXT:  %[[D:.*]] = arith.addf %[[R]], %[[Z]]
// CHECK-NEXT:  func.return %[[D]]
// FULL-LABEL: func.func @five
// FULL-NOT:     scf.for
// FULL-COUNT-5: arith.addf
func.func @five(%m: memref<5xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (f32) {
    %v = memref.load %m[%i] : memref<5xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  func.return %r : f32
}

// The number of trips is known at run time: a second loop takes the rest. Nothing to unroll fully.
// CHECK-LABEL: func.func @dynamic
// CHECK:       %[[P:.*]] = arith.maxsi
// CHECK-NEXT:  %[[T:.*]] = arith.subi %[[P]]
// CHECK:       %[[M:.*]] = arith.remui %[[T]]
// CHECK:       %[[W:.*]] = arith.subi %[[T]], %[[M]]
// CHECK:       %[[E:.*]] = arith.addi %{{.*}}, %[[W]]
// CHECK:       scf.for %{{.*}} = %{{.*}} to %[[E]] step
// CHECK:       scf.for %{{.*}} = %[[E]] to %n step
// FULL-LABEL: func.func @dynamic
// FULL-COUNT-1: scf.for
func.func @dynamic(%m: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  func.return
}

// Bounds of few bits may be farther apart than their type says, and a step may not be positive.
// CHECK-LABEL: func.func @left_alone
// CHECK:       scf.for %i = %l to %u step %{{.*}} : i8 {
// CHECK-NEXT:    memref.store
// CHECK-NEXT:  }
// CHECK:       scf.for %k = %a to %b step %{{.*}} {
// CHECK-NEXT:    memref.store
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return
func.func @left_alone(%m: memref<?xf32>, %l: i8, %u: i8, %a: index, %b: index, %x: f32) {
  %c1 = arith.constant 1 : i8
  %c0 = arith.constant 0 : index
  %less = arith.constant -1 : index
  scf.for %i = %l to %u step %c1 : i8 {
    memref.store %x, %m[%c0] : memref<?xf32>
  }
  scf.for %k = %a to %b step %less {
    memref.store %x, %m[%c0] : memref<?xf32>
  }
  func.return
}
