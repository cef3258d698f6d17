// RUN: loomir-opt %s -p convert-ov-loop-to-scf | filecheck %s

// What was assumed of a carried value is checked: at most 5 rows in the body; that there are 6 at most afterwards follows.
// CHECK:      ^bb0({{.*}}: index, {{.*}}: i1, %{{.*}}: tensor<6xf32>, %[[N:.*]]: index):
// CHECK:        arith.cmpi ule, %[[N]], %{{.*}} : index
// CHECK-NEXT:   cf.assert %{{.*}}, "capacity: dimension 0 of a tensor is larger than 5"
// CHECK:        ov.concat
// CHECK-NOT:    cf.assert
// CHECK:        scf.yield
func.func @main(%x: tensor<1xf32>, %go: tensor<i1>) -> tensor<?xf32, #ov.bounds<6>> {
  %y = ov.loop while(%go) carried(%x) : (tensor<i1>, tensor<1xf32>) -> (tensor<?xf32, #ov.bounds<6>>) {
  ^bb0(%i: tensor<i64>, %c: tensor<?xf32, #ov.bounds<6>>):
    %b = ov.check_bounds %c : (tensor<?xf32, #ov.bounds<6>>) -> tensor<?xf32, #ov.bounds<5>>
    %d = ov.concat %b, %x {axis = 0} : (tensor<?xf32, #ov.bounds<5>>, tensor<1xf32>) -> tensor<?xf32, #ov.bounds<6>>
    ov.next while(%go) carried(%d : tensor<?xf32, #ov.bounds<6>>)
  }
  func.return %y : tensor<?xf32, #ov.bounds<6>>
}
