// RUN: loomir-opt %s -t "c{file=source}" | filecheck %s

// A data-dependent index is checked before its load, at any depth, and known to fit behind the check; the class of the message is the status. The
// address of a row is one pointer, and an arena buffer another.

// CHECK:      if (arena == NULL || (uintptr_t)arena % LOOKUP_ARENA_ALIGN != 0) {
// CHECK-NEXT:     return LOOKUP_ERROR_ARENA;
// CHECK-NEXT: }
// CHECK-NEXT: float *const row = (float *)(void *)((unsigned char *)arena + 64);
// CHECK-NEXT: for (ptrdiff_t i = 0; i < 4; ++i) {
// CHECK-NEXT:     const int64_t id = ids[i];
// CHECK-NEXT:     if (!(id >= 0 && id < 100)) {
// CHECK-NEXT:         return LOOKUP_ERROR_INDEX; /* index: no such token */
// CHECK-NEXT:     }
// CHECK-NEXT:     const float *const source = table + (ptrdiff_t)id * 8;
// CHECK-NEXT:     memcpy(row, source, 8 * sizeof(float));
// CHECK-NEXT:     for (ptrdiff_t j = 0; j < 8; ++j) {
// CHECK-NEXT:         out[i * 8 + j] = row[j] + 1.0f;

builtin.module attributes {loomir.name = "lookup"} {
  func.func @main(%ids: memref<4xi64> {loomir.name = "ids", loomir.role = "input"},
      %table: memref<100x8xf32> {loomir.name = "table", loomir.role = "input"},
      %out: memref<4x8xf32> {loomir.name = "out", loomir.role = "output"},
      %arena: memref<96xi8> {loomir.role = "arena", loomir.align = 16 : i64}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i64
    %n = arith.constant 100 : i64
    %one = arith.constant 1.0 : f32
    %row = memref.view %arena[%c64][] : memref<96xi8> to memref<1x8xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      %id = memref.load %ids[%i] : memref<4xi64>
      %low = arith.cmpi sge, %id, %zero : i64
      %high = arith.cmpi slt, %id, %n : i64
      %ok = arith.andi %low, %high : i1
      cf.assert %ok, "index: no such token"
      %k = arith.index_cast %id : i64 to index
      %source = memref.subview %table[%k, 0] [1, 8] [1, 1]
        : memref<100x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
      "memref.copy"(%source, %row) : (memref<1x8xf32, strided<[8, 1], offset: ?>>, memref<1x8xf32>) -> ()
      scf.for %j = %c0 to %c8 step %c1 {
        %v = memref.load %row[%c0, %j] : memref<1x8xf32>
        %w = arith.addf %v, %one : f32
        memref.store %w, %out[%i, %j] : memref<4x8xf32>
      }
    }
    func.return
  }
}
