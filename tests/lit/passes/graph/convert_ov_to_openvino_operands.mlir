// RUN: loomir-opt %s -p 'convert-ov-to-openvino' | filecheck %s
// What OpenVINO asks of operands and attributes; what it lacks is expressed by what it has, and near misses stay.


// CHECK-LABEL: func.func @scalars
// CHECK-NEXT: %0 = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
// CHECK-NEXT: %1 = ov.reshape %k, %0 : (tensor<1xi32>, tensor<0xi64>) -> tensor<i32>
// CHECK-NEXT: %v, %p = ov.top_k %x, %1 {axis = 0 : i64} : (tensor<4xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
// CHECK-NEXT: func.return %v, %p : tensor<?xf32>, tensor<?xi32>
// CHECK-NEXT: }
func.func @scalars(%x: tensor<4xf32>, %k: tensor<1xi32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %v, %p = ov.top_k %x, %k {axis = 0 : i64, mode = "max"} : (tensor<4xf32>, tensor<1xi32>) -> (tensor<?xf32>, tensor<?xi32>)
  func.return %v, %p : tensor<?xf32>, tensor<?xi32>
}


// CHECK-LABEL: func.func @scalar_already
// CHECK-NEXT: %v, %p = ov.top_k %x, %k {axis = 0 : i64} : (tensor<4xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
// CHECK-NEXT: func.return %v, %p : tensor<?xf32>, tensor<?xi32>
// CHECK-NEXT: }
func.func @scalar_already(%x: tensor<4xf32>, %k: tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %v, %p = ov.top_k %x, %k {axis = 0 : i64, mode = "max"} : (tensor<4xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
  func.return %v, %p : tensor<?xf32>, tensor<?xi32>
}


// CHECK-LABEL: func.func @constant_axis
// CHECK-NEXT: %k = ov.constant dense<0> : tensor<1xui8> : tensor<1xui8>
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %y = ov.cum_sum %x, %1 : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
// CHECK-NEXT: func.return %y : tensor<4xf32>
// CHECK-NEXT: }
func.func @constant_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = ov.constant dense<[0]> : tensor<1xui8> : tensor<1xui8>
  %y = ov.cum_sum %x, %k : (tensor<4xf32>, tensor<1xui8>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}


// CHECK-LABEL: func.func @sequence
// CHECK-NEXT: %0 = ov.convert %n {destination_type = i64} : (tensor<1xi16>) -> tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %2 = ov.maximum %0, %1 : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %3 = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %4 = ov.minimum %2, %3 : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %y, %o = ov.rnn_sequence %x, %h, %4, %w, %w, %b {hidden_size = 2 : i64, direction = "forward", activations = ["tanh"], activations_alpha = array<f64>, activations_beta = array<f64>, clip = 0.000000e+00 : f64} : (tensor<1x3x2xf32>, tensor<1x1x2xf32>, tensor<1xi64>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x2xf32>)
// CHECK-NEXT: func.return %y : tensor<1x1x3x2xf32>
// CHECK-NEXT: }
func.func @sequence(%x: tensor<1x3x2xf32>, %h: tensor<1x1x2xf32>, %n: tensor<1xi16>, %w: tensor<1x2x2xf32>, %b: tensor<1x2xf32>) -> tensor<1x1x3x2xf32> {
  %y, %o = ov.rnn_sequence %x, %h, %n, %w, %w, %b {hidden_size = 2 : i64, direction = "forward"} : (tensor<1x3x2xf32>, tensor<1x1x2xf32>, tensor<1xi16>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x2xf32>)
  func.return %y : tensor<1x1x3x2xf32>
}


// CHECK-LABEL: func.func @narrow
// CHECK-NEXT: %0 = ov.clamp %x {min = 0.000000e+00 : f64, max = 2.550000e+02 : f64} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %y = ov.convert %0 {destination_type = ui8} : (tensor<4xf32>) -> tensor<4xui8>
// CHECK-NEXT: func.return %y : tensor<4xui8>
// CHECK-NEXT: }
func.func @narrow(%x: tensor<4xf32>) -> tensor<4xui8> {
  %y = ov.convert %x {destination_type = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  func.return %y : tensor<4xui8>
}


// CHECK-LABEL: func.func @narrow_limited
// CHECK-NEXT: %c = ov.clamp %x {min = 0.000000e+00 : f64, max = 1.000000e+00 : f64} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %y = ov.convert %c {destination_type = ui8} : (tensor<4xf32>) -> tensor<4xui8>
// CHECK-NEXT: func.return %y : tensor<4xui8>
// CHECK-NEXT: }
func.func @narrow_limited(%x: tensor<4xf32>) -> tensor<4xui8> {
  %c = ov.clamp %x {min = 0.0 : f64, max = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %y = ov.convert %c {destination_type = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  func.return %y : tensor<4xui8>
}


// CHECK-LABEL: func.func @small_float
// CHECK-NEXT: %0 = ov.constant dense<5.734400e+04> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %1 = ov.constant dense<-5.734400e+04> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %2 = ov.less %0, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xi1>
// CHECK-NEXT: %3 = ov.select %2, %0, %x : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %4 = ov.less %3, %1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
// CHECK-NEXT: %5 = ov.select %4, %1, %3 : (tensor<4xi1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %y = ov.convert %5 {destination_type = f8E5M2, saturate = false} : (tensor<4xf32>) -> tensor<4xf8E5M2>
// CHECK-NEXT: func.return %y : tensor<4xf8E5M2>
// CHECK-NEXT: }
func.func @small_float(%x: tensor<4xf32>) -> tensor<4xf8E5M2> {
  %y = ov.convert %x {destination_type = f8E5M2} : (tensor<4xf32>) -> tensor<4xf8E5M2>
  func.return %y : tensor<4xf8E5M2>
}


// CHECK-LABEL: func.func @no_conversion
// CHECK-NEXT: func.return %x : tensor<4xf32>
// CHECK-NEXT: }
func.func @no_conversion(%x: tensor<4xf32>, %l: tensor<2xf32>) -> tensor<4xf32> {
  %y = ov.convert_like %x, %l : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}


// CHECK-LABEL: func.func @cast
// CHECK-NEXT: %y = ov.convert %x {destination_type = ui8} : (tensor<4xi8>) -> tensor<4xui8>
// CHECK-NEXT: func.return %y : tensor<4xui8>
// CHECK-NEXT: }
func.func @cast(%x: tensor<4xi8>) -> tensor<4xui8> {
  %y = ov.bit_cast %x {destination_type = ui8} : (tensor<4xi8>) -> tensor<4xui8>
  func.return %y : tensor<4xui8>
}


// CHECK-LABEL: func.func @shift
// CHECK-NEXT: %0 = ov.clamp %n {min = 0.000000e+00 : f64, max = 3.100000e+01 : f64} : (tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: %1 = ov.equal %0, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
// CHECK-NEXT: %2 = ov.bitwise_right_shift %x, %0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: %3 = ov.constant dense<31> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %4 = ov.bitwise_right_shift %x, %3 : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK-NEXT: %y = ov.select %1, %2, %4 : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT: func.return %y : tensor<4xi32>
// CHECK-NEXT: }
func.func @shift(%x: tensor<4xi32>, %n: tensor<4xi32>) -> tensor<4xi32> {
  %y = ov.bitwise_right_shift %x, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}


// CHECK-LABEL: func.func @shift_inside
// CHECK-NEXT: %n = ov.constant dense<31> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %y = ov.bitwise_right_shift %x, %n : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK-NEXT: func.return %y : tensor<4xi32>
// CHECK-NEXT: }
func.func @shift_inside(%x: tensor<4xi32>) -> tensor<4xi32> {
  %n = ov.constant dense<31> : tensor<i32> : tensor<i32>
  %y = ov.bitwise_right_shift %x, %n : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}


// CHECK-LABEL: func.func @onnx_resize
// CHECK-NEXT: %t = ov.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32> : tensor<2xf32>
// CHECK-NEXT: %a = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %y = ov.interpolate %x, %t, %a {mode = "nearest", shape_calculation_mode = "scales", pads_begin = array<i64: 0, 0, 0, 0>, pads_end = array<i64: 0, 0, 0, 0>} : (tensor<1x1x2x2xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<1x1x4x6xf32>
// CHECK-NEXT: func.return %y : tensor<1x1x4x6xf32>
// CHECK-NEXT: }
func.func @onnx_resize(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x4x6xf32> {
  %t = ov.constant dense<[2.0, 3.0]> : tensor<2xf32> : tensor<2xf32>
  %a = ov.constant dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  %y = ov.interpolate %x, %t, %a {mode = "nearest", shape_calculation_mode = "scales", exact_scale = true, exclude_outside = true} : (tensor<1x1x2x2xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<1x1x4x6xf32>
  func.return %y : tensor<1x1x4x6xf32>
}


// CHECK-LABEL: func.func @norm
// CHECK-NEXT: %0 = ov.abs %x : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %1 = ov.multiply %0, %0 : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %2 = ov.constant dense<[6, 1, 5]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %3 = ov.reshape %1, %2 : (tensor<2x3x5xf32>, tensor<3xi64>) -> tensor<6x1x5xf32>
// CHECK-NEXT: %4 = ov.constant dense<1.000000e+00> : tensor<1x1x3xf32> : tensor<1x1x3xf32>
// CHECK-NEXT: %5 = ov.convolution %3, %4 {strides = array<i64: 2>, dilations = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: -1>} : (tensor<6x1x5xf32>, tensor<1x1x3xf32>) -> tensor<6x1x2xf32>
// CHECK-NEXT: %6 = ov.constant dense<[2, 3, 2]> : tensor<3xi64> : tensor<3xi64>
// CHECK-NEXT: %7 = ov.reshape %5, %6 : (tensor<6x1x2xf32>, tensor<3xi64>) -> tensor<2x3x2xf32>
// CHECK-NEXT: %y = ov.sqrt %7 : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
// CHECK-NEXT: func.return %y : tensor<2x3x2xf32>
// CHECK-NEXT: }
func.func @norm(%x: tensor<2x3x5xf32>) -> tensor<2x3x2xf32> {
  %y = ov.lp_pool %x {kernel = array<i64: 3>, strides = array<i64: 2>, pads_begin = array<i64: 1>} : (tensor<2x3x5xf32>) -> tensor<2x3x2xf32>
  func.return %y : tensor<2x3x2xf32>
}


// CHECK-LABEL: func.func @product
// CHECK-NEXT: %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %0 = ov.constant dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %1 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.broadcast %0, %1 {mode = "numpy"} : (tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
// CHECK-NEXT: %3, %y = ov.loop carried(%2) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>], concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<1xf32>, tensor<3xf32>) -> (tensor<1xf32>, tensor<3xf32>) {
// CHECK-NEXT: ^bb0(%4: tensor<i64>, %5: tensor<1xf32>, %6: tensor<1xf32>):
// CHECK-NEXT: %7 = ov.multiply %5, %6 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
// CHECK-NEXT: ov.next carried(%7 : tensor<1xf32>) concat(%5 : tensor<1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<3xf32>
// CHECK-NEXT: }
func.func @product(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %y = ov.cum_prod %x, %a {exclusive = true, reverse = true} : (tensor<3xf32>, tensor<i64>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}


// CHECK-LABEL: func.func @computed_padding
// CHECK-NEXT: %p = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %0 = ov.constant dense<1> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %1 = ov.shape_of %x : (tensor<2xf32>) -> tensor<1xi64>
// CHECK-NEXT: %2 = ov.broadcast %0, %1 {mode = "numpy"} : (tensor<i32>, tensor<1xi64>) -> tensor<?xi32>
// CHECK-NEXT: %3 = ov.constant dense<0> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %4 = ov.pad %2, %p, %p, %3 {pad_mode = "constant"} : (tensor<?xi32>, tensor<1xi64>, tensor<1xi64>, tensor<i32>) -> tensor<?xi32>
// CHECK-NEXT: %5 = ov.convert %4 {destination_type = i1} : (tensor<?xi32>) -> tensor<?xi1>
// CHECK-NEXT: %6 = ov.constant dense<0.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %7 = ov.pad %x, %p, %p, %6 {pad_mode = "constant"} : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: %y = ov.select %5, %7, %v : (tensor<?xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %y : tensor<4xf32>
// CHECK-NEXT: }
func.func @computed_padding(%x: tensor<2xf32>, %v: tensor<f32>) -> tensor<4xf32> {
  %p = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %y = ov.pad %x, %p, %p, %v : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<f32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}


// CHECK-LABEL: func.func @equation
// CHECK-NEXT: %y = ov.einsum %x {equation = "ii->i"} : (tensor<2x2xf32>) -> tensor<2xf32>
// CHECK-NEXT: func.return %y : tensor<2xf32>
// CHECK-NEXT: }
func.func @equation(%x: tensor<2x2xf32>) -> tensor<2xf32> {
  %y = ov.einsum %x {equation = "i i -> i"} : (tensor<2x2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}


// CHECK-LABEL: func.func @masks
// CHECK-NEXT: %b = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %e = ov.constant dense<3> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %y = ov.strided_slice %x, %b, %e {begin_mask = array<i64: 1, 0>, end_mask = array<i64: 1, 0>, new_axis_mask = array<i64: 0, 0>, shrink_axis_mask = array<i64: 0, 0>, ellipsis_mask = array<i64: 0, 0>} : (tensor<4x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x2xf32>
// CHECK-NEXT: func.return %y : tensor<4x2xf32>
// CHECK-NEXT: }
func.func @masks(%x: tensor<4x4xf32>) -> tensor<4x2xf32> {
  %b = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %e = ov.constant dense<[3, 3]> : tensor<2xi64> : tensor<2xi64>
  %y = ov.strided_slice %x, %b, %e {begin_mask = array<i64: 2>, end_mask = array<i64: 1>} : (tensor<4x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x2xf32>
  func.return %y : tensor<4x2xf32>
}


// CHECK-LABEL: func.func @part
// CHECK-NEXT: %0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %1 = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %2 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %3 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %4 = ov.slice %x, %0, %1, %2, %3 : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x4xf32>
// CHECK-NEXT: %y = ov.gather_elements %4, %i {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y : tensor<2x1xf32>
// CHECK-NEXT: }
func.func @part(%x: tensor<3x4xf32>, %i: tensor<2x1xi64>) -> tensor<2x1xf32> {
  %y = ov.gather_elements %x, %i {axis = 1 : i64} : (tensor<3x4xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}


// CHECK-LABEL: func.func @any_of
// CHECK-NEXT: %0 = ov.logical_not %x : (tensor<3x4xi1>) -> tensor<3x4xi1>
// CHECK-NEXT: %1 = ov.convert %0 {destination_type = i32} : (tensor<3x4xi1>) -> tensor<3x4xi32>
// CHECK-NEXT: %2 = ov.reduce_min %1, %a {keep_dims = true} : (tensor<3x4xi32>, tensor<1xi64>) -> tensor<?x?xi32>
// CHECK-NEXT: %3 = ov.convert %2 {destination_type = i1} : (tensor<?x?xi32>) -> tensor<?x?xi1>
// CHECK-NEXT: %y = ov.logical_not %3 : (tensor<?x?xi1>) -> tensor<?x?xi1>
// CHECK-NEXT: func.return %y : tensor<?x?xi1>
// CHECK-NEXT: }
func.func @any_of(%x: tensor<3x4xi1>, %a: tensor<1xi64>) -> tensor<?x?xi1> {
  %y = ov.reduce_logical_or %x, %a {keep_dims = true} : (tensor<3x4xi1>, tensor<1xi64>) -> tensor<?x?xi1>
  func.return %y : tensor<?x?xi1>
}


// CHECK-LABEL: func.func @average
// CHECK-NEXT: %y = ov.roi_align %x, %r, %b {pooled_h = 2 : i64, pooled_w = 2 : i64} : (tensor<1x1x4x4xf32>, tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x2x2xf32>
// CHECK-NEXT: func.return %y : tensor<1x1x2x2xf32>
// CHECK-NEXT: }
func.func @average(%x: tensor<1x1x4x4xf32>, %r: tensor<1x4xf32>, %b: tensor<1xi64>) -> tensor<1x1x2x2xf32> {
  %y = ov.roi_align %x, %r, %b {pooled_h = 2 : i64, pooled_w = 2 : i64, maximum_of = "corners"} : (tensor<1x1x4x4xf32>, tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1x2x2xf32>
  func.return %y : tensor<1x1x2x2xf32>
}


// CHECK-LABEL: func.func @input_forget
// CHECK-NEXT: %y, %c = ov.lstm_cell %x, %h, %h, %w, %w, %b {hidden_size = 2 : i64, activations = ["sigmoid", "tanh", "tanh"], activations_alpha = array<f64>, activations_beta = array<f64>, clip = 0.000000e+00 : f64} : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
// CHECK-NEXT: func.return %y : tensor<1x2xf32>
// CHECK-NEXT: }
func.func @input_forget(%x: tensor<1x2xf32>, %h: tensor<1x2xf32>, %w: tensor<8x2xf32>, %b: tensor<8xf32>) -> tensor<1x2xf32> {
  %y, %c = ov.lstm_cell %x, %h, %h, %w, %w, %b {hidden_size = 2 : i64, input_forget = false} : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
  func.return %y : tensor<1x2xf32>
}


// CHECK-LABEL: func.func @masked
// CHECK-NEXT: %a = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %i = ov.constant dense<0xff800000> : tensor<1xf32> : tensor<1xf32>
// CHECK-NEXT: %m = ov.reduce_max %x, %a {keep_dims = true} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x1xf32>
// CHECK-NEXT: %0 = ov.equal %x, %i : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xi1>
// CHECK-NEXT: %y = ov.reduce_logical_and %0, %a {keep_dims = true} : (tensor<2x3xi1>, tensor<1xi64>) -> tensor<2x1xi1>
// CHECK-NEXT: func.return %y : tensor<2x1xi1>
// CHECK-NEXT: }
func.func @masked(%x: tensor<2x3xf32>) -> tensor<2x1xi1> {
  %a = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %i = ov.constant dense<0xFF800000> : tensor<1xf32> : tensor<1xf32>
  %m = ov.reduce_max %x, %a {keep_dims = true} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %y = ov.equal %m, %i : (tensor<2x1xf32>, tensor<1xf32>) -> tensor<2x1xi1>
  func.return %y : tensor<2x1xi1>
}


// CHECK-LABEL: func.func @greatest_is_zero
// CHECK-NEXT: %a = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %i = ov.constant dense<0.000000e+00> : tensor<1xf32> : tensor<1xf32>
// CHECK-NEXT: %m = ov.reduce_max %x, %a {keep_dims = true} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x1xf32>
// CHECK-NEXT: %y = ov.equal %m, %i : (tensor<2x1xf32>, tensor<1xf32>) -> tensor<2x1xi1>
// CHECK-NEXT: func.return %y : tensor<2x1xi1>
// CHECK-NEXT: }
func.func @greatest_is_zero(%x: tensor<2x3xf32>) -> tensor<2x1xi1> {
  %a = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %i = ov.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
  %m = ov.reduce_max %x, %a {keep_dims = true} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %y = ov.equal %m, %i : (tensor<2x1xf32>, tensor<1xf32>) -> tensor<2x1xi1>
  func.return %y : tensor<2x1xi1>
}


// CHECK-LABEL: func.func @constant_like
// CHECK-NEXT: %i = ov.constant dense<0xff800000> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %y = ov.constant dense<0xfc00> : tensor<f16> : tensor<f16>
// CHECK-NEXT: func.return %y : tensor<f16>
// CHECK-NEXT: }
func.func @constant_like(%l: tensor<2xf16>) -> tensor<f16> {
  %i = ov.constant dense<0xFF800000> : tensor<f32> : tensor<f32>
  %y = ov.convert_like %i, %l : (tensor<f32>, tensor<2xf16>) -> tensor<f16>
  func.return %y : tensor<f16>
}
