// RUN: loomir-opt %s -p "convert-ov-loop-to-scf{max-iterations=8}" --split-input-file | filecheck %s

// A while loop asserts at the start of its body.
// CHECK-LABEL: func.func @endless
// CHECK: %[[MOST:.*]] = arith.constant 8 : index
// CHECK: scf.while
// CHECK: ^bb{{[0-9]+}}(%[[I:.*]]: index, %{{.*}}: i1, %{{.*}}: i64):
// CHECK-NEXT: %[[OK:.*]] = arith.cmpi slt, %[[I]], %[[MOST]] : index
// CHECK-NEXT: cf.assert %[[OK]], "limit: a loop runs for more than 8 iterations"
func.func @endless(%x: tensor<i64>) -> tensor<i64> {
  %y = ov.loop carried(%x) : (tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>):
    %s = ov.add %a, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %more = ov.less %s, %x : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%more) carried(%s : tensor<i64>)
  }
  func.return %y : tensor<i64>
}

// -----

// A counted loop, before it starts.
// CHECK-LABEL: func.func @counted
// CHECK: arith.cmpi sle, %[[N:.*]], %{{.*}} : index
// CHECK-NEXT: cf.assert %{{.*}}, "limit: a loop runs for more than 8 iterations"
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step
func.func @counted(%x: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>):
    %s = ov.add %a, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%s : tensor<i64>)
  }
  func.return %y : tensor<i64>
}

// -----

// Eight trips at most, whatever the condition says: nothing to check.
// CHECK-LABEL: func.func @few
// CHECK-NOT: cf.assert
// CHECK: scf.while
// CHECK-NOT: cf.assert
// CHECK: func.return
func.func @few(%x: tensor<i64>) -> tensor<i64> {
  %n = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<i64>) -> tensor<i64> {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>):
    %s = ov.add %a, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %more = ov.less %s, %x : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%more) carried(%s : tensor<i64>)
  }
  func.return %y : tensor<i64>
}
