// RUN: loomir-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @same_shape
// CHECK-NEXT: func.return %x
func.func @same_shape(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  %one = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  %0 = ov.reshape %x, %s {special_zero = false} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = ov.broadcast %0, %s : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %2 = ov.tile %1, %one : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %3 = ov.convert %2 {destination_type = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = ov.concat %3 {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %4 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @movement
// CHECK-NEXT: func.return %x
func.func @movement(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %order = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %none = ov.constant dense<0> : tensor<2xi64> : tensor<2xi64>
  %value = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %all = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  %step = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
  %0 = ov.transpose %x, %order : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = ov.pad %0, %none, %none, %value {pad_mode = "constant"} : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<f32>) -> tensor<2x3xf32>
  %2 = ov.slice %1, %none, %all, %step : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return %2 : tensor<2x3xf32>
}

// A slice that turns the axis round has the same shape and is none.
// CHECK-LABEL: func.func @reversed
// CHECK: ov.slice
func.func @reversed(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %b = ov.constant dense<-4> : tensor<1xi64> : tensor<1xi64>
  %0 = ov.slice %x, %a, %b, %a : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @reshape_of_reshape
// CHECK: %[[S:.*]] = ov.constant dense<[3, 2]>
// CHECK-NEXT: ov.reshape %x, %[[S]]
// CHECK-NEXT: func.return
func.func @reshape_of_reshape(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %flat = ov.constant dense<6> : tensor<1xi64> : tensor<1xi64>
  %s = ov.constant dense<[3, 2]> : tensor<2xi64> : tensor<2xi64>
  %0 = ov.reshape %x, %flat {special_zero = false} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  %1 = ov.reshape %0, %s {special_zero = false} : (tensor<6xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @not_not
// CHECK-NEXT: func.return %c
func.func @not_not(%c: tensor<2xi1>) -> tensor<2xi1> {
  %0 = ov.logical_not %c : (tensor<2xi1>) -> tensor<2xi1>
  %1 = ov.logical_not %0 : (tensor<2xi1>) -> tensor<2xi1>
  func.return %1 : tensor<2xi1>
}

// CHECK-LABEL: func.func @neutral
// CHECK-NEXT: func.return %x, %i
func.func @neutral(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %one = ov.constant dense<1.0> : tensor<f32> : tensor<f32>
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %izero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %0 = ov.multiply %one, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = ov.divide %0, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = ov.power %1, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = ov.subtract %2, %zero : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %4 = ov.add %izero, %i : (tensor<i32>, tensor<2xi32>) -> tensor<2xi32>
  func.return %3, %4 : tensor<2xf32>, tensor<2xi32>
}

// −0.0 + 0.0 is 0.0; and what broadcasting enlarges stays.
// CHECK-LABEL: func.func @not_neutral
// CHECK: ov.add %x
// CHECK: ov.multiply %x
func.func @not_neutral(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %ones = ov.constant dense<1.0> : tensor<3x2xf32> : tensor<3x2xf32>
  %0 = ov.add %x, %zero : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = ov.multiply %x, %ones : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  func.return %0, %1 : tensor<2xf32>, tensor<3x2xf32>
}

// Of an unknown rank an order, an axis and pads may be wrong: the operations stay, and say so when they run.
// CHECK-LABEL: func.func @unknown_rank
// CHECK: ov.transpose
// CHECK: ov.concat
// CHECK: ov.pad
func.func @unknown_rank(%x: tensor<*xf32>) -> (tensor<?x?xf32>, tensor<*xf32>, tensor<?x?xf32>) {
  %order = ov.constant dense<[0, 1]> : tensor<2xi64> : tensor<2xi64>
  %none = ov.constant dense<0> : tensor<2xi64> : tensor<2xi64>
  %a = ov.transpose %x, %order : (tensor<*xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %b = ov.concat %x {axis = 1} : (tensor<*xf32>) -> tensor<*xf32>
  %c = ov.pad %x, %none, %none : (tensor<*xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return %a, %b, %c : tensor<?x?xf32>, tensor<*xf32>, tensor<?x?xf32>
}
