// RUN: loomir-opt %s -p ov-remove-casts | filecheck %s
// RUN: loomir-opt %s -p ov-remove-casts --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK: ov-remove-casts: done: ov.convert: ConvertOfConvert applied 13 times, first here

// What `canonicalize` removes, too.
// CHECK-LABEL: @same(
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: func.return %x : tensor<4xf32>
  %y = ov.convert %x {destination_type = f32} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: @there_and_back(
func.func @there_and_back(%x: tensor<?xf16>) -> tensor<?xf16> {
  // CHECK-NEXT: func.return %x : tensor<?xf16>
  %a0 = ov.convert %x {destination_type = f32} : (tensor<?xf16>) -> tensor<?xf32>
  %y = ov.convert %a0 {destination_type = f16} : (tensor<?xf32>) -> tensor<?xf16>
  func.return %y : tensor<?xf16>
}

// CHECK-LABEL: @wider(
func.func @wider(%x: tensor<4xi8>) -> tensor<4xi64> {
  // CHECK-NEXT: %y = ov.convert %x {destination_type = i64} : (tensor<4xi8>) -> tensor<4xi64>
  // CHECK-NEXT: func.return %y : tensor<4xi64>
  %a0 = ov.convert %x {destination_type = i32} : (tensor<4xi8>) -> tensor<4xi32>
  %y = ov.convert %a0 {destination_type = i64} : (tensor<4xi32>) -> tensor<4xi64>
  func.return %y : tensor<4xi64>
}

// CHECK-LABEL: @long(
func.func @long(%x: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK-NEXT: func.return %x : tensor<4xi8>
  %a0 = ov.convert %x {destination_type = i16} : (tensor<4xi8>) -> tensor<4xi16>
  %a1 = ov.convert %a0 {destination_type = i32} : (tensor<4xi16>) -> tensor<4xi32>
  %a2 = ov.convert %a1 {destination_type = i64} : (tensor<4xi32>) -> tensor<4xi64>
  %a3 = ov.convert %a2 {destination_type = f32} : (tensor<4xi64>) -> tensor<4xf32>
  %y = ov.convert %a3 {destination_type = i8} : (tensor<4xf32>) -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// CHECK-LABEL: @narrower(
func.func @narrower(%x: tensor<4xf16>) -> tensor<4xbf16> {
  // CHECK-NEXT: %y = ov.convert %x {destination_type = bf16} : (tensor<4xf16>) -> tensor<4xbf16>
  // CHECK-NEXT: func.return %y : tensor<4xbf16>
  %a0 = ov.convert %x {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
  %y = ov.convert %a0 {destination_type = bf16} : (tensor<4xf32>) -> tensor<4xbf16>
  func.return %y : tensor<4xbf16>
}

// CHECK-LABEL: @low_bits(
func.func @low_bits(%x: tensor<4xi8>) -> tensor<4xui8> {
  // CHECK-NEXT: %y = ov.convert %x {destination_type = ui8} : (tensor<4xi8>) -> tensor<4xui8>
  // CHECK-NEXT: func.return %y : tensor<4xui8>
  %a0 = ov.convert %x {destination_type = i32} : (tensor<4xi8>) -> tensor<4xi32>
  %y = ov.convert %a0 {destination_type = ui8} : (tensor<4xi32>) -> tensor<4xui8>
  func.return %y : tensor<4xui8>
}

// CHECK-LABEL: @to_boolean(
func.func @to_boolean(%x: tensor<4xf16>) -> tensor<4xi1> {
  // CHECK-NEXT: %y = ov.convert %x {destination_type = i1} : (tensor<4xf16>) -> tensor<4xi1>
  // CHECK-NEXT: func.return %y : tensor<4xi1>
  %a0 = ov.convert %x {destination_type = f64} : (tensor<4xf16>) -> tensor<4xf64>
  %y = ov.convert %a0 {destination_type = i1} : (tensor<4xf64>) -> tensor<4xi1>
  func.return %y : tensor<4xi1>
}

// CHECK-LABEL: @of_boolean(
func.func @of_boolean(%x: tensor<4xi1>) -> tensor<4xf32> {
  // CHECK-NEXT: %y = ov.convert %x {destination_type = f32} : (tensor<4xi1>) -> tensor<4xf32>
  // CHECK-NEXT: func.return %y : tensor<4xf32>
  %a0 = ov.convert %x {destination_type = i8} : (tensor<4xi1>) -> tensor<4xi8>
  %y = ov.convert %a0 {destination_type = f32} : (tensor<4xi8>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// Integers of few bits, which are only stored.
// CHECK-LABEL: @stored(
func.func @stored(%x: tensor<4xi4>) -> tensor<4xf32> {
  // CHECK-NEXT: %y = ov.convert %x {destination_type = f32} : (tensor<4xi4>) -> tensor<4xf32>
  // CHECK-NEXT: func.return %y : tensor<4xf32>
  %a0 = ov.convert %x {destination_type = i8} : (tensor<4xi4>) -> tensor<4xi8>
  %y = ov.convert %a0 {destination_type = f32} : (tensor<4xi8>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// Near misses: what the type in between has not all of, or what hangs on it.
// CHECK-LABEL: @loses(
func.func @loses(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: %a0 = ov.convert %x {destination_type = f32} : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK-NEXT: %y = ov.convert %a0 {destination_type = i32} : (tensor<4xf32>) -> tensor<4xi32>
  // CHECK-NEXT: func.return %y : tensor<4xi32>
  %a0 = ov.convert %x {destination_type = f32} : (tensor<4xi32>) -> tensor<4xf32>
  %y = ov.convert %a0 {destination_type = i32} : (tensor<4xf32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: @loses_range(
func.func @loses_range(%x: tensor<4xf16>) -> tensor<4xf32> {
  // CHECK-NEXT: %a0 = ov.convert %x {destination_type = bf16} : (tensor<4xf16>) -> tensor<4xbf16>
  // CHECK-NEXT: %y = ov.convert %a0 {destination_type = f32} : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK-NEXT: func.return %y : tensor<4xf32>
  %a0 = ov.convert %x {destination_type = bf16} : (tensor<4xf16>) -> tensor<4xbf16>
  %y = ov.convert %a0 {destination_type = f32} : (tensor<4xbf16>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: @loses_sign(
func.func @loses_sign(%x: tensor<4xi8>) -> tensor<4xi32> {
  // CHECK-NEXT: %a0 = ov.convert %x {destination_type = ui8} : (tensor<4xi8>) -> tensor<4xui8>
  // CHECK-NEXT: %y = ov.convert %a0 {destination_type = i32} : (tensor<4xui8>) -> tensor<4xi32>
  // CHECK-NEXT: func.return %y : tensor<4xi32>
  %a0 = ov.convert %x {destination_type = ui8} : (tensor<4xi8>) -> tensor<4xui8>
  %y = ov.convert %a0 {destination_type = i32} : (tensor<4xui8>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: @negative_as_float(
func.func @negative_as_float(%x: tensor<4xi8>) -> tensor<4xui8> {
  // CHECK-NEXT: %a0 = ov.convert %x {destination_type = f32} : (tensor<4xi8>) -> tensor<4xf32>
  // CHECK-NEXT: %y = ov.convert %a0 {destination_type = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  // CHECK-NEXT: func.return %y : tensor<4xui8>
  %a0 = ov.convert %x {destination_type = f32} : (tensor<4xi8>) -> tensor<4xf32>
  %y = ov.convert %a0 {destination_type = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  func.return %y : tensor<4xui8>
}

// CHECK-LABEL: @rounded_twice(
func.func @rounded_twice(%x: tensor<4xi32>) -> tensor<4xbf16> {
  // CHECK-NEXT: %a0 = ov.convert %x {destination_type = f64} : (tensor<4xi32>) -> tensor<4xf64>
  // CHECK-NEXT: %y = ov.convert %a0 {destination_type = bf16} : (tensor<4xf64>) -> tensor<4xbf16>
  // CHECK-NEXT: func.return %y : tensor<4xbf16>
  %a0 = ov.convert %x {destination_type = f64} : (tensor<4xi32>) -> tensor<4xf64>
  %y = ov.convert %a0 {destination_type = bf16} : (tensor<4xf64>) -> tensor<4xbf16>
  func.return %y : tensor<4xbf16>
}

// CHECK-LABEL: @boolean_between(
func.func @boolean_between(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-NEXT: %a0 = ov.convert %x {destination_type = i1} : (tensor<4xi32>) -> tensor<4xi1>
  // CHECK-NEXT: %y = ov.convert %a0 {destination_type = i32} : (tensor<4xi1>) -> tensor<4xi32>
  // CHECK-NEXT: func.return %y : tensor<4xi32>
  %a0 = ov.convert %x {destination_type = i1} : (tensor<4xi32>) -> tensor<4xi1>
  %y = ov.convert %a0 {destination_type = i32} : (tensor<4xi1>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// What else uses the first one keeps it; in bodies, too.
// CHECK-LABEL: @bodies(
func.func @bodies(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf32>) {
  // CHECK-NEXT: %a = ov.convert %x {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
  // CHECK-NEXT: %y = ov.if %c -> (tensor<4xf16>) {
  // CHECK-NEXT: ov.yield %x : tensor<4xf16>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf16>) -> tensor<4xf16> {
  // CHECK-NEXT: ^bb0(%i: tensor<i64>, %v: tensor<4xf16>):
  // CHECK-NEXT: %f = ov.negative %v : (tensor<4xf16>) -> tensor<4xf16>
  // CHECK-NEXT: ov.next carried(%f : tensor<4xf16>)
  // CHECK-NEXT: }
  // CHECK-NEXT: ov.yield %l : tensor<4xf16>
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return %y, %a : tensor<4xf16>, tensor<4xf32>
  %a = ov.convert %x {destination_type = f32} : (tensor<4xf16>) -> tensor<4xf32>
  %y = ov.if %c -> (tensor<4xf16>) {
    %b = ov.convert %a {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    ov.yield %b : tensor<4xf16>
  } else {
    %l = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf16>) -> tensor<4xf16> {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf16>):
      %d = ov.convert %v {destination_type = f64} : (tensor<4xf16>) -> tensor<4xf64>
      %e = ov.convert %d {destination_type = f16} : (tensor<4xf64>) -> tensor<4xf16>
      %f = ov.negative %e : (tensor<4xf16>) -> tensor<4xf16>
      ov.next carried(%f : tensor<4xf16>)
    }
    ov.yield %l : tensor<4xf16>
  }
  func.return %y, %a : tensor<4xf16>, tensor<4xf32>
}
