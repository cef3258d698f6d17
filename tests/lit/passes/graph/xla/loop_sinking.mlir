// RUN: loomir-opt %s -p 'ov-infer,Os{to=structured},scf-loop-sink,linalg-fuse-elementwise' | filecheck %s

// A range is computed where an iteration adds it. (-Os does so; a range of 2 elements stays a constant.)
// CHECK-LABEL: func.func @range(
// CHECK-SAME:  %x: tensor<100xi32>{{.*}}, %n: i64{{[^%]*}}) -> tensor<100xi32>
// CHECK:       scf.for
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<100xi32>)
// CHECK:           linalg.index 0
// CHECK:           arith.addi
// CHECK-NOT:     linalg.generic
func.func @range(%x: tensor<100xi32>, %n: tensor<i64>) -> tensor<100xi32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<100> : tensor<i32> : tensor<i32>
  %c = ov.range %zero, %end, %one {output_type = i32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<100xi32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<100xi32>) -> tensor<100xi32> {
  ^bb0(%i: tensor<i64>, %v: tensor<100xi32>):
    %w = ov.add %v, %c : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi32>
    %u = ov.multiply %w, %w : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi32>
    ov.next carried(%u : tensor<100xi32>)
  }
  func.return %r : tensor<100xi32>
}

// A mask of two ranges and a broadcast is, too.
// CHECK-LABEL: func.func @mask(
// CHECK-NOT:   linalg.generic
// CHECK:       scf.for
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %p : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x1xf32>)
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:           math.sin
// CHECK-NOT:     linalg.generic
func.func @mask(%x: tensor<5x7xf32>, %p: tensor<5x1xf32>, %n: tensor<i64>) -> tensor<5x7xf32> {
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %five = ov.constant dense<5.0> : tensor<f32> : tensor<f32>
  %seven = ov.constant dense<7.0> : tensor<f32> : tensor<f32>
  %axis = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %a = ov.range %zero, %five, %one {output_type = f32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
  %b = ov.range %zero, %seven, %one {output_type = f32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<7xf32>
  %column = ov.unsqueeze %a, %axis : (tensor<5xf32>, tensor<1xi64>) -> tensor<5x1xf32>
  %c = ov.add %column, %b : (tensor<5x1xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  %m = ov.multiply %c, %p : (tensor<5x7xf32>, tensor<5x1xf32>) -> tensor<5x7xf32>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<5x7xf32>) -> tensor<5x7xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<5x7xf32>):
    %w = ov.add %v, %m : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %u = ov.sin %w : (tensor<5x7xf32>) -> tensor<5x7xf32>
    ov.next carried(%u : tensor<5x7xf32>)
  }
  func.return %r : tensor<5x7xf32>
}
