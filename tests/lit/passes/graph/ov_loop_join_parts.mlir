// RUN: loomir-opt %s -p ov-loop-join-parts | filecheck %s
// CHECK-LABEL: func.func @grows(
// CHECK-SAME: %[[N:[^ ,:)]+]]: tensor<i64>, %[[GO:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
// CHECK-NEXT: %[[NONE:[^ ,:)]+]] = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
// CHECK-NEXT: %[[R:[^ ,:)]+]], %[[ALL:[^ ,:)]+]] = ov.loop trip(%[[N]]) while(%[[GO]]) carried(%[[X]]) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[V:[^ ,:)]+]]: tensor<1x4xf32>):
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.exp %[[V]] : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next while(%[[GO]]) carried(%[[S]] : tensor<1x4xf32>) concat(%[[S]] : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]], %[[ALL]] : tensor<1x4xf32>, tensor<?x4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @grows_behind(
// CHECK-SAME: %[[N:[^ ,:)]+]]: tensor<i64>, %[[X:[^ ,:)]+]]: tensor<4x3xf32>, %[[Y:[^ ,:)]+]]: tensor<4x1xf32>) -> tensor<4x?xf32> {
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.loop trip(%[[N]]) {concats = [#ov.slice<axis = 1>]} : (tensor<i64>) -> tensor<4x?xf32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>):
// CHECK-NEXT: %[[F:[^ ,:)]+]] = ov.convert %[[I]] {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.multiply %[[Y]], %[[F]] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
// CHECK-NEXT: %[[V1:[^ ,:)]+]] = ov.concat %[[S]], %[[Y]] {axis = 1 : i64} : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: ov.next concat(%[[V1]] : tensor<4x2xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %[[ALL:[^ ,:)]+]] = ov.concat %[[X]], %[[V0]] {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
// CHECK-NEXT: func.return %[[ALL]] : tensor<4x?xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @grows_in_front(
// CHECK-SAME: %[[X:[^ ,:)]+]]: tensor<?x4xf32>, %[[A:[^ ,:)]+]]: tensor<2x4xf32>) -> tensor<?x4xf32> {
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.loop sliced(%[[X]]) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>], concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<?x4xf32>) -> tensor<?x4xf32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[P:[^ ,:)]+]]: tensor<2x4xf32>):
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.exp %[[P]] : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: ov.next concat(%[[S]] : tensor<2x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %[[ALL:[^ ,:)]+]] = ov.concat %[[V0]], %[[A]] {axis = 0 : i64} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT: func.return %[[ALL]] : tensor<?x4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @of_an_open_extent(
// CHECK-SAME: %[[N:[^ ,:)]+]]: tensor<i64>, %[[X:[^ ,:)]+]]: tensor<1x?xf32>) -> tensor<?x4xf32> {
// CHECK-NEXT: %[[NONE:[^ ,:)]+]] = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V1:[^ ,:)]+]] = ov.constant dense<4> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V2:[^ ,:)]+]] = ov.concat %[[V0]], %[[V1]] {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
// CHECK-NEXT: %[[ALL:[^ ,:)]+]] = ov.loop trip(%[[N]]) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<?x4xf32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>):
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.exp %[[X]] : (tensor<1x?xf32>) -> tensor<1x?xf32>
// CHECK-NEXT: %[[V3:[^ ,:)]+]] = ov.reshape %[[S]], %[[V2]] : (tensor<1x?xf32>, tensor<2xi64>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next concat(%[[V3]] : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[ALL]] : tensor<?x4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @of_two_open_extents(
// CHECK-SAME: %[[N:[^ ,:)]+]]: tensor<i64>, %[[X:[^ ,:)]+]]: tensor<2x1x?xf32>, %[[Y:[^ ,:)]+]]: tensor<2x?x?xf32>) -> tensor<2x?x?xf32> {
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V1:[^ ,:)]+]] = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V2:[^ ,:)]+]] = ov.shape_of %[[Y]] : (tensor<2x?x?xf32>) -> tensor<3xi64>
// CHECK-NEXT: %[[V3:[^ ,:)]+]] = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V4:[^ ,:)]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[V5:[^ ,:)]+]] = ov.gather %[[V2]], %[[V3]], %[[V4]] : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %[[V6:[^ ,:)]+]] = ov.concat %[[V1]], %[[V0]], %[[V5]] {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
// CHECK-NEXT: %[[V7:[^ ,:)]+]] = ov.loop trip(%[[N]]) {concats = [#ov.slice<axis = 1>]} : (tensor<i64>) -> tensor<2x?x?xf32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>):
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.exp %[[X]] : (tensor<2x1x?xf32>) -> tensor<2x1x?xf32>
// CHECK-NEXT: %[[V8:[^ ,:)]+]] = ov.reshape %[[S]], %[[V6]] : (tensor<2x1x?xf32>, tensor<3xi64>) -> tensor<2x1x?xf32>
// CHECK-NEXT: ov.next concat(%[[V8]] : tensor<2x1x?xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %[[V9:[^ ,:)]+]] = ov.shape_of %[[V7]] : (tensor<2x?x?xf32>) -> tensor<3xi64>
// CHECK-NEXT: %[[V10:[^ ,:)]+]] = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V11:[^ ,:)]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[V12:[^ ,:)]+]] = ov.gather %[[V9]], %[[V10]], %[[V11]] : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %[[V13:[^ ,:)]+]] = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V14:[^ ,:)]+]] = ov.shape_of %[[Y]] : (tensor<2x?x?xf32>) -> tensor<3xi64>
// CHECK-NEXT: %[[V15:[^ ,:)]+]] = ov.constant dense<2> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V16:[^ ,:)]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[V17:[^ ,:)]+]] = ov.gather %[[V14]], %[[V15]], %[[V16]] : (tensor<3xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
// CHECK-NEXT: %[[V18:[^ ,:)]+]] = ov.concat %[[V13]], %[[V12]], %[[V17]] {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
// CHECK-NEXT: %[[V19:[^ ,:)]+]] = ov.reshape %[[V7]], %[[V18]] : (tensor<2x?x?xf32>, tensor<3xi64>) -> tensor<2x?x?xf32>
// CHECK-NEXT: %[[ALL:[^ ,:)]+]] = ov.concat %[[Y]], %[[V19]] {axis = 1 : i64} : (tensor<2x?x?xf32>, tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
// CHECK-NEXT: func.return %[[ALL]] : tensor<2x?x?xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[N:[^ ,:)]+]]: tensor<i64>, %[[X:[^ ,:)]+]]: tensor<1x4xf32>) -> tensor<?x4xf32> {
// CHECK-NEXT: %[[THREE:[^ ,:)]+]] = ov.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[NONE:[^ ,:)]+]] = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
// CHECK-NEXT: %[[ALL:[^ ,:)]+]] = ov.loop trip(%[[N]]) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<?x4xf32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>):
// CHECK-NEXT: %[[SOME:[^ ,:)]+]] = ov.loop trip(%[[THREE]]) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<3x4xf32> {
// CHECK-NEXT: ^bb0(%[[J:[^ ,:)]+]]: tensor<i64>):
// CHECK-NEXT: %[[IJ:[^ ,:)]+]] = ov.multiply %[[I]], %[[J]] : (tensor<i64>, tensor<i64>) -> tensor<i64>
// CHECK-NEXT: %[[F:[^ ,:)]+]] = ov.convert %[[IJ]] {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ov.multiply %[[X]], %[[F]] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next concat(%[[S]] : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: ov.next concat(%[[SOME]] : tensor<3x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[ALL]] : tensor<?x4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @every_row(
// CHECK-SAME: %[[X:[^ ,:)]+]]: tensor<6x4xf32>, %[[Y:[^ ,:)]+]]: tensor<6x4xf32>) -> tensor<6x4xf32> {
// CHECK-NEXT: %[[ONE:[^ ,:)]+]] = ov.constant dense<1> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.loop sliced(%[[X]]) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<6x4xf32>) -> tensor<6x4xf32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[P:[^ ,:)]+]]: tensor<1x4xf32>):
// CHECK-NEXT: %[[AT:[^ ,:)]+]] = ov.reshape %[[I]], %[[ONE]] : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
// CHECK-NEXT: %[[E:[^ ,:)]+]] = ov.exp %[[P]] : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: ov.next concat(%[[E]] : tensor<1x4xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<6x4xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @every_column_backwards(
// CHECK-SAME: %[[X:[^ ,:)]+]]: tensor<3xf32>, %[[Y:[^ ,:)]+]]: tensor<3x6xf32>) -> tensor<3x6xf32> {
// CHECK-NEXT: %[[SIX:[^ ,:)]+]] = ov.constant dense<6> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[FIVE:[^ ,:)]+]] = ov.constant dense<5> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[ONE:[^ ,:)]+]] = ov.constant dense<1> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[AXIS:[^ ,:)]+]] = ov.constant dense<-1> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[K:[^ ,:)]+]], %[[R:[^ ,:)]+]] = ov.loop trip(%[[SIX]]) carried(%[[FIVE]]) {concats = [#ov.slice<axis = 1, start = -1, end = 0, stride = -1>]} : (tensor<i64>, tensor<i32>) -> (tensor<i32>, tensor<3x6xf32>) {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[C:[^ ,:)]+]]: tensor<i32>):
// CHECK-NEXT: %[[F:[^ ,:)]+]] = ov.convert %[[C]] {destination_type = f32} : (tensor<i32>) -> tensor<f32>
// CHECK-NEXT: %[[M:[^ ,:)]+]] = ov.multiply %[[X]], %[[F]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.constant dense<[3, 1]> : tensor<2xi64> : tensor<2xi64>
// CHECK-NEXT: %[[V1:[^ ,:)]+]] = ov.reshape %[[M]], %[[V0]] : (tensor<3xf32>, tensor<2xi64>) -> tensor<3x1xf32>
// CHECK-NEXT: %[[D:[^ ,:)]+]] = ov.subtract %[[C]], %[[ONE]] : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK-NEXT: ov.next carried(%[[D]] : tensor<i32>) concat(%[[V1]] : tensor<3x1xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<3x6xf32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @sequence(
// CHECK-SAME: %[[N:[^ ,:)]+]]: tensor<i64>, %[[X:[^ ,:)]+]]: tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>> {
// CHECK-NEXT: %[[E:[^ ,:)]+]] = ovseq.construct %[[X]] : (tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.loop trip(%[[N]]) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> tensor<?x2xf32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>):
// CHECK-NEXT: %[[V1:[^ ,:)]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V2:[^ ,:)]+]] = ov.unsqueeze %[[X]], %[[V1]] : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
// CHECK-NEXT: ov.next concat(%[[V2]] : tensor<1x2xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %[[V3:[^ ,:)]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V4:[^ ,:)]+]] = ov.unsqueeze %[[X]], %[[V3]] : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
// CHECK-NEXT: %[[V5:[^ ,:)]+]] = ov.concat %[[V4]], %[[V0]] {axis = 0 : i64} : (tensor<1x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ovseq.split %[[V5]] {axis = 0 : i64, keepdims = false} : (tensor<?x2xf32>) -> !ovseq.sequence<tensor<2xf32>>
// CHECK-NEXT: func.return %[[S]] : !ovseq.sequence<tensor<2xf32>>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @sequence_in_front(
// CHECK-SAME: %[[N:[^ ,:)]+]]: tensor<i64>, %[[X:[^ ,:)]+]]: tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>> {
// CHECK-NEXT: %[[ZERO:[^ ,:)]+]] = ov.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT: %[[E:[^ ,:)]+]] = ovseq.construct %[[X]] : (tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
// CHECK-NEXT: %[[V0:[^ ,:)]+]] = ov.loop trip(%[[N]]) {concats = [#ov.slice<axis = 0, start = -1, end = 0, stride = -1>]} : (tensor<i64>) -> tensor<?x2xf32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>):
// CHECK-NEXT: %[[F:[^ ,:)]+]] = ov.convert %[[I]] {destination_type = f32} : (tensor<i64>) -> tensor<f32>
// CHECK-NEXT: %[[M:[^ ,:)]+]] = ov.multiply %[[X]], %[[F]] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK-NEXT: %[[V1:[^ ,:)]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V2:[^ ,:)]+]] = ov.unsqueeze %[[M]], %[[V1]] : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
// CHECK-NEXT: ov.next concat(%[[V2]] : tensor<1x2xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: %[[V3:[^ ,:)]+]] = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT: %[[V4:[^ ,:)]+]] = ov.unsqueeze %[[X]], %[[V3]] : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
// CHECK-NEXT: %[[V5:[^ ,:)]+]] = ov.concat %[[V0]], %[[V4]] {axis = 0 : i64} : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x2xf32>
// CHECK-NEXT: %[[S:[^ ,:)]+]] = ovseq.split %[[V5]] {axis = 0 : i64, keepdims = false} : (tensor<?x2xf32>) -> !ovseq.sequence<tensor<2xf32>>
// CHECK-NEXT: func.return %[[S]] : !ovseq.sequence<tensor<2xf32>>
// CHECK-NEXT: }
// A tensor that grows from nothing; its parts may be no row at all.
func.func @grows(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
  %r, %all = ov.loop trip(%n) while(%go) carried(%x, %none) : (tensor<i64>, tensor<i1>, tensor<1x4xf32>, tensor<0x4xf32>) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<1x4xf32>, %t: tensor<?x4xf32>):
    %s = ov.exp %v : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.next while(%go) carried(%s, %w : tensor<1x4xf32>, tensor<?x4xf32>)
  }
  func.return %r, %all : tensor<1x4xf32>, tensor<?x4xf32>
}

// Behind what is there, along a negative axis, by two parts in each trip.
func.func @grows_behind(%n: tensor<i64>, %x: tensor<4x3xf32>, %y: tensor<4x1xf32>) -> tensor<4x?xf32> {
  %all = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4x3xf32>) -> tensor<4x?xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<4x?xf32>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %s = ov.multiply %y, %f : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
    %w = ov.concat %t, %s, %y {axis = -1 : i64} : (tensor<4x?xf32>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x?xf32>
    ov.next carried(%w : tensor<4x?xf32>)
  }
  func.return %all : tensor<4x?xf32>
}

// In front of what is there: backwards. Of a loop without a trip the result is what is there.
func.func @grows_in_front(%x: tensor<?x4xf32>, %a: tensor<2x4xf32>) -> tensor<?x4xf32> {
  %all = ov.loop carried(%a) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>]} : (tensor<2x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>, %p: tensor<2x4xf32>):
    %s = ov.exp %p : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %w = ov.concat %s, %t {axis = 0 : i64} : (tensor<2x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%w : tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// One extent of a part is not known: it has to be that of what is there, or the program stops as it did.
func.func @of_an_open_extent(%n: tensor<i64>, %x: tensor<1x?xf32>) -> tensor<?x4xf32> {
  %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
  %all = ov.loop trip(%n) carried(%none) : (tensor<i64>, tensor<0x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>):
    %s = ov.exp %x : (tensor<1x?xf32>) -> tensor<1x?xf32>
    %w = ov.concat %t, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x?xf32>) -> tensor<?x4xf32>
    ov.next carried(%w : tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// Nor is that of what is there: after no trip the joined parts get it.
func.func @of_two_open_extents(%n: tensor<i64>, %x: tensor<2x1x?xf32>, %y: tensor<2x?x?xf32>) -> tensor<2x?x?xf32> {
  %all = ov.loop trip(%n) carried(%y) : (tensor<i64>, tensor<2x?x?xf32>) -> tensor<2x?x?xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<2x?x?xf32>):
    %s = ov.exp %x : (tensor<2x1x?xf32>) -> tensor<2x1x?xf32>
    %w = ov.concat %t, %s {axis = 1 : i64} : (tensor<2x?x?xf32>, tensor<2x1x?xf32>) -> tensor<2x?x?xf32>
    ov.next carried(%w : tensor<2x?x?xf32>)
  }
  func.return %all : tensor<2x?x?xf32>
}

// A loop in a loop: what the inner one joins is the part of the outer one.
func.func @nested(%n: tensor<i64>, %x: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %none = ov.constant dense<> : tensor<0x4xf32> : tensor<0x4xf32>
  %all = ov.loop trip(%n) carried(%none) : (tensor<i64>, tensor<0x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<?x4xf32>):
    %some = ov.loop trip(%three) carried(%none) : (tensor<i64>, tensor<0x4xf32>) -> tensor<?x4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<?x4xf32>):
      %ij = ov.multiply %i, %j : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %f = ov.convert %ij {destination_type = f32} : (tensor<i64>) -> tensor<f32>
      %s = ov.multiply %x, %f : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
      %w = ov.concat %u, %s {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
      ov.next carried(%w : tensor<?x4xf32>)
    }
    %v = ov.concat %t, %some {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ov.next carried(%v : tensor<?x4xf32>)
  }
  func.return %all : tensor<?x4xf32>
}

// Row i of a table, whatever was in it.
func.func @every_row(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %one = ov.constant dense<[1, 1]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32> {
  ^bb0(%i: tensor<i64>, %t: tensor<6x4xf32>, %p: tensor<1x4xf32>):
    %at = ov.reshape %i, %one : (tensor<i64>, tensor<2xi64>) -> tensor<1x1xi64>
    %e = ov.exp %p : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %w = ov.scatter_nd_update %t, %at, %e : (tensor<6x4xf32>, tensor<1x1xi64>, tensor<1x4xf32>) -> tensor<6x4xf32>
    ov.next carried(%w : tensor<6x4xf32>)
  }
  func.return %r : tensor<6x4xf32>
}

// Columns, the last one first, by a counter of its own.
func.func @every_column_backwards(%x: tensor<3xf32>, %y: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %six = ov.constant dense<6> : tensor<i64> : tensor<i64>
  %five = ov.constant dense<5> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %axis = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %r, %k = ov.loop trip(%six) carried(%y, %five) : (tensor<i64>, tensor<3x6xf32>, tensor<i32>) -> (tensor<3x6xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<3x6xf32>, %c: tensor<i32>):
    %f = ov.convert %c {destination_type = f32} : (tensor<i32>) -> tensor<f32>
    %m = ov.multiply %x, %f : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %w = ov.scatter_update %t, %c, %m, %axis : (tensor<3x6xf32>, tensor<i32>, tensor<3xf32>, tensor<i64>) -> tensor<3x6xf32>
    %d = ov.subtract %c, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ov.next carried(%w, %d : tensor<3x6xf32>, tensor<i32>)
  }
  func.return %r : tensor<3x6xf32>
}

// Elements before the loop go in front.
func.func @sequence(%n: tensor<i64>, %x: tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>> {
  %e = ovseq.construct %x : (tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %s = ov.loop trip(%n) carried(%e) : (tensor<i64>, !ovseq.sequence<tensor<2xf32>>) -> (!ovseq.sequence<tensor<2xf32>>) {
  ^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<2xf32>>):
    %d = ovseq.insert %c, %x : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
    ov.next carried(%d : !ovseq.sequence<tensor<2xf32>>)
  }
  func.return %s : !ovseq.sequence<tensor<2xf32>>
}

// In front of all others.
func.func @sequence_in_front(%n: tensor<i64>, %x: tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %e = ovseq.construct %x : (tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  %s = ov.loop trip(%n) carried(%e) : (tensor<i64>, !ovseq.sequence<tensor<2xf32>>) -> (!ovseq.sequence<tensor<2xf32>>) {
  ^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<2xf32>>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %m = ov.multiply %x, %f : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %d = ovseq.insert %c, %m, %zero : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<2xf32>>
    ov.next carried(%d : !ovseq.sequence<tensor<2xf32>>)
  }
  func.return %s : !ovseq.sequence<tensor<2xf32>>
}
