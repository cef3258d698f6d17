// RUN: loomir-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: @at_of_construct
// CHECK-NEXT: func.return %b, %a
func.func @at_of_construct(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %s = ovseq.construct %a, %b : (tensor<2xf32>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %minus = ov.constant dense<-2> : tensor<i64> : tensor<i64>
  %x = ovseq.at %s, %one : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
  %y = ovseq.at %s, %minus : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
  func.return %x, %y : tensor<2xf32>, tensor<2xf32>
}

// A position out of range is an error when the operation runs: it stays.
// CHECK-LABEL: @out_of_range
// CHECK: ovseq.at
// CHECK: ovseq.insert
// CHECK: ovseq.erase
func.func @out_of_range(%a: tensor<2xf32>) -> (tensor<2xf32>, !ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>) {
  %s = ovseq.construct %a, %a : (tensor<2xf32>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %x = ovseq.at %s, %two : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
  %y = ovseq.insert %s, %a, %three : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<2xf32>>
  %z = ovseq.erase %s, %two : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> !ovseq.sequence<tensor<2xf32>>
  func.return %x, %y, %z : tensor<2xf32>, !ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<2xf32>>
}

// CHECK-LABEL: @chain_of_inserts
// CHECK-NEXT: ovseq.construct %b, %a, %a :
// CHECK-NEXT: func.return
func.func @chain_of_inserts(%a: tensor<2xf32>, %b: tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %e = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
  %0 = ovseq.insert %e, %a : (!ovseq.sequence<tensor<*xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %1 = ovseq.insert %0, %a : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %2 = ovseq.insert %1, %b, %zero : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<2xf32>>
  func.return %2 : !ovseq.sequence<tensor<2xf32>>
}

// CHECK-LABEL: @erase_of_construct
// CHECK-NEXT: ovseq.construct %b :
// CHECK-NEXT: ovseq.empty
// CHECK-NEXT: func.return
func.func @erase_of_construct(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (!ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<*xf32>>) {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %s = ovseq.construct %a, %b : (tensor<2xf32>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %0 = ovseq.erase %s, %zero : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> !ovseq.sequence<tensor<2xf32>>
  %1 = ovseq.erase %0 : (!ovseq.sequence<tensor<2xf32>>) -> !ovseq.sequence<tensor<*xf32>>
  func.return %0, %1 : !ovseq.sequence<tensor<2xf32>>, !ovseq.sequence<tensor<*xf32>>
}

// CHECK-LABEL: @at_of_insert
// CHECK-NEXT: func.return %a, %a
func.func @at_of_insert(%s: !ovseq.sequence<tensor<2xf32>>, %a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %0 = ovseq.insert %s, %a : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %1 = ovseq.insert %s, %a, %zero : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<2xf32>>
  %x = ovseq.at %0, %last : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
  %y = ovseq.at %1, %zero : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
  func.return %x, %y : tensor<2xf32>, tensor<2xf32>
}

// Which element this is depends on how many there are: it stays.
// CHECK-LABEL: @at_of_insert_elsewhere
// CHECK: ovseq.at
// CHECK: ovseq.at
func.func @at_of_insert_elsewhere(%s: !ovseq.sequence<tensor<2xf32>>, %a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %last = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %0 = ovseq.insert %s, %a : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %1 = ovseq.insert %s, %a, %last : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<2xf32>>
  %x = ovseq.at %0, %one : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
  %y = ovseq.at %1, %last : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
  func.return %x, %y : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @length_of_construct
// CHECK-NEXT: ov.constant dense<2> : tensor<i64>
// CHECK-NEXT: func.return
func.func @length_of_construct(%a: tensor<2xf32>) -> tensor<i64> {
  %s = ovseq.construct %a, %a : (tensor<2xf32>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %n = ovseq.length %s : (!ovseq.sequence<tensor<2xf32>>) -> tensor<i64>
  func.return %n : tensor<i64>
}

// CHECK-LABEL: @concat_of_construct
// CHECK: [[JOINED:%[0-9a-z]+]] = ov.concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
// CHECK: [[UP:%[0-9a-z]+]] = ov.unsqueeze %a
// CHECK: [[TOO:%[0-9a-z]+]] = ov.unsqueeze %a
// CHECK: [[STACKED:%[0-9a-z]+]] = ov.concat [[UP]], [[TOO]] {axis = 2 : i64} : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x2xf32>
// CHECK: func.return [[JOINED]], [[STACKED]]
func.func @concat_of_construct(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> (tensor<2x4xf32>, tensor<2x3x2xf32>) {
  %s = ovseq.construct %a, %b : (tensor<2x3xf32>, tensor<2x1xf32>) -> !ovseq.sequence<tensor<2x?xf32>>
  %0 = ovseq.concat %s {axis = -1 : i64} : (!ovseq.sequence<tensor<2x?xf32>>) -> tensor<2x4xf32>
  %t = ovseq.construct %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> !ovseq.sequence<tensor<2x3xf32>>
  %1 = ovseq.concat %t {axis = -1 : i64, new_axis = true} : (!ovseq.sequence<tensor<2x3xf32>>) -> tensor<2x3x2xf32>
  func.return %0, %1 : tensor<2x4xf32>, tensor<2x3x2xf32>
}

// CHECK-LABEL: @split_of_known_sizes
// CHECK: ov.slice %x
// CHECK: ov.slice %x
// CHECK: ovseq.construct {{.*}} : (tensor<2x2xf32>, tensor<1x2xf32>) -> !ovseq.sequence<tensor<?x2xf32>>
// CHECK: ov.slice %x
// CHECK-NEXT: ov.constant
// CHECK-NEXT: ov.squeeze
// CHECK: ovseq.construct {{.*}} : (tensor<3xf32>, tensor<3xf32>) -> !ovseq.sequence<tensor<3xf32>>
func.func @split_of_known_sizes(%x: tensor<3x2xf32>) -> (!ovseq.sequence<tensor<?x2xf32>>, !ovseq.sequence<tensor<3xf32>>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %0 = ovseq.split %x, %two : (tensor<3x2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<?x2xf32>>
  %1 = ovseq.split %x {axis = 1 : i64, keepdims = false} : (tensor<3x2xf32>) -> !ovseq.sequence<tensor<3xf32>>
  func.return %0, %1 : !ovseq.sequence<tensor<?x2xf32>>, !ovseq.sequence<tensor<3xf32>>
}

// Equal parts of which a loop takes one after the other are rows of x.
// CHECK-LABEL: @split_into_rows
// CHECK-NOT: ov.slice
// CHECK: %[[N:.*]] = ov.reshape %n
// CHECK: ov.gather %x, %[[N]], %{{.*}} {out_of_range = "error"} : (tensor<3x2xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x2xf32>
// Parts that differ are not.
// CHECK: ov.slice %y
// CHECK: ov.slice %y
// CHECK: ovseq.at
func.func @split_into_rows(%x: tensor<3x2xf32>, %y: tensor<3x2xf32>, %n: tensor<i64>) -> (tensor<1x2xf32>, tensor<?x2xf32>) {
  %0 = ovseq.split %x : (tensor<3x2xf32>) -> !ovseq.sequence<tensor<1x2xf32>>
  %1 = ovseq.at %0, %n : (!ovseq.sequence<tensor<1x2xf32>>, tensor<i64>) -> tensor<1x2xf32>
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %2 = ovseq.split %y, %two : (tensor<3x2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<?x2xf32>>
  %3 = ovseq.at %2, %n : (!ovseq.sequence<tensor<?x2xf32>>, tensor<i64>) -> tensor<?x2xf32>
  func.return %1, %3 : tensor<1x2xf32>, tensor<?x2xf32>
}

// Parts of two columns, counted from either end; parts of an unknown number; those of data of which an extent is unknown stay.
// CHECK-LABEL: @split_into_blocks
// CHECK: %[[BLOCKS:.*]] = ov.reshape %x, %{{.*}} : (tensor<3x6xf32>, tensor<3xi64>) -> tensor<3x3x2xf32>
// CHECK: ov.gather %[[BLOCKS]], %n, %{{.*}} {out_of_range = "error"} : (tensor<3x3x2xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
// CHECK: ov.gather %y, %n, %{{.*}} {out_of_range = "error"} : (tensor<?x6xf32>, tensor<i64>, tensor<i64>) -> tensor<6xf32>
// CHECK: %[[PARTS:.*]] = ovseq.split %y
// CHECK: ovseq.at %[[PARTS]], %n
func.func @split_into_blocks(%x: tensor<3x6xf32>, %y: tensor<?x6xf32>, %n: tensor<i64>) -> (tensor<3x2xf32>, tensor<6xf32>, tensor<?x2xf32>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %0 = ovseq.split %x, %two {axis = -1 : i64} : (tensor<3x6xf32>, tensor<i64>) -> !ovseq.sequence<tensor<3x2xf32>>
  %1 = ovseq.at %0, %n : (!ovseq.sequence<tensor<3x2xf32>>, tensor<i64>) -> tensor<3x2xf32>
  %2 = ovseq.split %y {keepdims = false} : (tensor<?x6xf32>) -> !ovseq.sequence<tensor<6xf32>>
  %3 = ovseq.at %2, %n : (!ovseq.sequence<tensor<6xf32>>, tensor<i64>) -> tensor<6xf32>
  %4 = ovseq.split %y, %two {axis = 1 : i64} : (tensor<?x6xf32>, tensor<i64>) -> !ovseq.sequence<tensor<?x2xf32>>
  %5 = ovseq.at %4, %n : (!ovseq.sequence<tensor<?x2xf32>>, tensor<i64>) -> tensor<?x2xf32>
  func.return %1, %3, %5 : tensor<3x2xf32>, tensor<6xf32>, tensor<?x2xf32>
}

// Many parts put together again are the tensor; on another axis, or perhaps of none, they are not.
// CHECK-LABEL: @concat_of_split
// CHECK: %[[ROWS:.*]] = ovseq.split %x
// CHECK: %[[OTHERS:.*]] = ovseq.split %y
// CHECK: %[[OTHER:.*]] = ovseq.concat %[[ROWS]] {axis = 1
// CHECK: %[[NONE:.*]] = ovseq.concat %[[OTHERS]]
// CHECK: func.return %x, %x, %[[OTHER]], %[[NONE]]
func.func @concat_of_split(%x: tensor<99x2xf32>, %y: tensor<?x2xf32>) -> (tensor<99x2xf32>, tensor<99x2xf32>, tensor<2x99xf32>, tensor<?x2xf32>) {
  %0 = ovseq.split %x {keepdims = false} : (tensor<99x2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %1 = ovseq.split %x : (tensor<99x2xf32>) -> !ovseq.sequence<tensor<1x2xf32>>
  %2 = ovseq.split %y {keepdims = false} : (tensor<?x2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %a = ovseq.concat %0 {axis = 0 : i64, new_axis = true} : (!ovseq.sequence<tensor<2xf32>>) -> tensor<99x2xf32>
  %b = ovseq.concat %1 {axis = -2 : i64} : (!ovseq.sequence<tensor<1x2xf32>>) -> tensor<99x2xf32>
  %c = ovseq.concat %0 {axis = 1 : i64, new_axis = true} : (!ovseq.sequence<tensor<2xf32>>) -> tensor<2x99xf32>
  %d = ovseq.concat %2 {axis = 0 : i64, new_axis = true} : (!ovseq.sequence<tensor<2xf32>>) -> tensor<?x2xf32>
  func.return %a, %b, %c, %d : tensor<99x2xf32>, tensor<99x2xf32>, tensor<2x99xf32>, tensor<?x2xf32>
}

// CHECK-LABEL: @optionals
// CHECK-DAG: ov.constant dense<true> : tensor<i1>
// CHECK-DAG: ov.constant dense<false> : tensor<i1>
// CHECK-NOT: ovseq
// CHECK: func.return {{.*}}, %a
func.func @optionals(%a: tensor<2xf32>) -> (tensor<i1>, tensor<i1>, tensor<2xf32>) {
  %s = ovseq.some %a : (tensor<2xf32>) -> !ovseq.optional<tensor<2xf32>>
  %n = ovseq.none {value_type = tensor<*xf32>} : !ovseq.optional<tensor<*xf32>>
  %0 = ovseq.has %s : (!ovseq.optional<tensor<2xf32>>) -> tensor<i1>
  %1 = ovseq.has %n : (!ovseq.optional<tensor<*xf32>>) -> tensor<i1>
  %2 = ovseq.get %s : (!ovseq.optional<tensor<2xf32>>) -> tensor<2xf32>
  func.return %0, %1, %2 : tensor<i1>, tensor<i1>, tensor<2xf32>
}

// The value of an absent optional is an error when it is asked for, unless nobody needs it.
// CHECK-LABEL: @absent
// CHECK: ovseq.get
// CHECK-NOT: ovseq.get
func.func @absent() -> tensor<*xf32> {
  %n = ovseq.none {value_type = tensor<*xf32>} : !ovseq.optional<tensor<*xf32>>
  %0 = ovseq.get %n : (!ovseq.optional<tensor<*xf32>>) -> tensor<*xf32>
  %1 = ovseq.get %n : (!ovseq.optional<tensor<*xf32>>) -> tensor<*xf32>
  func.return %0 : tensor<*xf32>
}
