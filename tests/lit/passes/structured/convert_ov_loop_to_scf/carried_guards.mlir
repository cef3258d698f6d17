// RUN: loomir-opt %s -p convert-ov-loop-to-scf | filecheck %s

// What was assumed of a carried value is checked: at most 5 rows in the body, 6 afterwards.
// CHECK:      ^bb0({{.*}}: index, {{.*}}: i1, %{{.*}}: tensor<6xf32>, %[[N:.*]]: index):
// CHECK:        arith.cmpi ule, %[[N]], %{{.*}} : index
// CHECK-NEXT:   cf.assert %{{.*}}, "capacity: dimension 0 of carried value 0 is larger than 5"
// CHECK:        ov.concat
// CHECK:        cf.assert %{{.*}}, "capacity: dimension 0 of carried value 0 is larger than 6"
// CHECK:        scf.yield
func.func @main(%x: tensor<1xf32>, %go: tensor<i1>) -> tensor<?xf32> {
  %y = ov.loop while(%go) carried(%x) {loomir.bounds = [array<i64: 6>], loomir.carried_guards = [array<i64: 0, 0, 5, 6>]}
      : (tensor<i1>, tensor<1xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<?xf32>):
    %d = ov.concat %c, %x {axis = 0, loomir.bounds = [array<i64: 6>]} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    ov.next while(%go) carried(%d : tensor<?xf32>)
  }
  func.return %y : tensor<?xf32>
}
