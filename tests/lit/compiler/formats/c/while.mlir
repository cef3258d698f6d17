// RUN: loomir-opt %s -t "c{file=source}" | filecheck %s

// The normal form of `scf.while` is a `while` of C; the back edges are simultaneous; the counter needs no helper,
// since the condition bounds it, and a value that may overflow gets one.

// CHECK:      fib_status fib_run(int32_t n, int32_t *restrict f, void *restrict arena)
// CHECK-NEXT: {
// CHECK-NEXT:     (void)arena;
// CHECK-NEXT:     int32_t i = 0;
// CHECK-NEXT:     int32_t a = 0;
// CHECK-NEXT:     int32_t b = 1;
// CHECK-NEXT:     while (i < n) {
// CHECK-NEXT:         i = i + 1;
// CHECK-NEXT:         const int32_t next = b;
// CHECK-NEXT:         b = fib_add_i32(a, b);
// CHECK-NEXT:         a = next;
// CHECK-NEXT:     }
// CHECK-NEXT:     *f = a;
// CHECK-NEXT:     return FIB_OK;

builtin.module attributes {loomir.name = "fib"} {
  func.func @main(%n: i32 {loomir.name = "n", loomir.role = "input"}) -> (i32 {loomir.name = "f"}) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ri, %ra, %rb = scf.while (%i = %zero, %a = %zero, %b = %one) : (i32, i32, i32) -> (i32, i32, i32) {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %i, %a, %b : i32, i32, i32
    } do {
    ^bb0(%i: i32, %a: i32, %b: i32):
      %j = arith.addi %i, %one : i32
      %s = arith.addi %a, %b : i32
      scf.yield %j, %b, %s : i32, i32, i32
    }
    func.return %ra : i32
  }
}
