// RUN: loomir-opt %S/transform_loops.mlir --transform %s -p canonicalize | filecheck %s
// RUN: loomir-opt %S/transform_loops.mlir --transform %s --check-each-pass --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK

// A schedule for transform_loops.mlir. What it does not name stays as it is.
transform.named_sequence @__transform_main(%program: !transform.any_op) {
  // CHECK: ov.sin %x
  // CHECK-NEXT: ov.sin
  // CHECK-NEXT: ov.sin
  // REMARK: ov-transform: done: 'first' (ov.loop): unrolled its 3 trips
  %first = ov_transform.loop "first" in %program
  ov_transform.unroll %first

  // CHECK: ov.cos %x
  // CHECK: ov.loop
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: ov.cos
  // CHECK-NEXT: ov.next
  // REMARK: ov-transform: done: 'second' (ov.loop): peeled its first iteration
  %second = ov_transform.loop "second" in %program
  ov_transform.peel %second

  // The pattern of upstream's dialect runs a pass on all of the program.
  %same = transform.apply_registered_pass "ov-infer" to %program : (!transform.any_op) -> !transform.any_op

  // CHECK: [[E:%.*]] = ov.exp %x
  // CHECK: ov.loop trip([[GROUPS:%.*]]) carried(%x)
  // CHECK: ov.multiply {{%.*}}, [[E]]
  // CHECK: ov.multiply {{%.*}}, [[E]]
  // CHECK: ov.next
  // CHECK: ov.loop
  %open = ov_transform.loop "open" in %same
  ov_transform.hoist %open
  %again = ov_transform.loop "open" in %same
  ov_transform.unroll %again by 2

  // CHECK: ov.loop carried({{%.*}}) sliced(%rows)
  // CHECK: ov.tanh
  // CHECK: ov.maximum
  // CHECK: ov.next
  %rows = ov_transform.loop "rows" in %same
  %largest = ov_transform.loop "largest" in %same
  ov_transform.fuse %rows with %largest

  // CHECK: ov.loop trip({{%.*}}) carried(%x)
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: ov.exp %x
  // CHECK-NEXT: ov.subtract
  // CHECK-NEXT: ov.next
  // CHECK-NOT: ov.loop
  transform.yield
}
