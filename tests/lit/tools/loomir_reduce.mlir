// RUN: python -m loomir.tools.loomir_reduce %s --test 'grep -q ov.tanh' --quiet -o %t.mlir 2>&1 | filecheck %s
// RUN: not python -m loomir.tools.loomir_reduce %s --test 'grep -q ov.sigmoid' --quiet -o %t.mlir 2>&1 | filecheck %s --check-prefix=NOT
// RUN: not python -m loomir.tools.loomir_reduce %s --quiet -o %t.mlir 2>&1 | filecheck %s --check-prefix=RIGHT

// CHECK: what 'grep -q ov.tanh' finds
// CHECK: func.func @main
// CHECK-NOT: ov.loop
// CHECK: ov.tanh {{.*}} : (tensor<1xf32>)
// CHECK-NOT: ov.add
// CHECK: operation after {{[0-9]+}} candidates
// NOT: the command does not exit with 0 for the whole program [not-interesting]
// RIGHT: no pass fails on 5 inputs [not-interesting]
func.func @main(%x: tensor<8xf32>, %n: tensor<i64>) -> (tensor<8xf32>) {
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<8xf32>):
    %t = ov.tanh %c : (tensor<8xf32>) -> tensor<8xf32>
    %a = ov.add %t, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ov.next carried(%a : tensor<8xf32>)
  }
  func.return %y : tensor<8xf32>
}
