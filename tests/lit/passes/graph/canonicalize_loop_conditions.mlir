// RUN: loomir-opt %s -p canonicalize | filecheck %s
// CHECK-LABEL: func.func @counter(
// CHECK-SAME: %[[K0:[^ ,:)]+]]: tensor<i32>, %[[X:[^ ,:)]+]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: %[[END:[^ ,:)]+]] = ov.constant dense<42> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[GO:[^ ,:)]+]] = ov.equal %[[K0]], %[[END]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: %[[K:[^ ,:)]+]] = ov.constant dense<42> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.loop while(%[[GO]]) carried(%[[X]]) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[V:[^ ,:)]+]]: tensor<f32>):
// CHECK-NEXT: %[[F:[^ ,:)]+]] = ov.convert %[[K]] {destination_type = f32} : (tensor<i32>) -> tensor<f32>
// CHECK-NEXT: %[[W:[^ ,:)]+]] = ov.multiply %[[V]], %[[F]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[K1:[^ ,:)]+]] = ov.convert %[[W]] {destination_type = i32} : (tensor<f32>) -> tensor<i32>
// CHECK-NEXT: %[[AGAIN:[^ ,:)]+]] = ov.equal %[[END]], %[[K1]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%[[AGAIN]]) carried(%[[W]] : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @part_of_the_condition(
// CHECK-SAME: %[[X:[^ ,:)]+]]: tensor<f32>, %[[LIM:[^ ,:)]+]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: %[[SEVEN:[^ ,:)]+]] = ov.constant dense<7> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[K:[^ ,:)]+]] = ov.constant dense<7> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.loop carried(%[[X]]) : (tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[V:[^ ,:)]+]]: tensor<f32>):
// CHECK-NEXT: %[[F:[^ ,:)]+]] = ov.convert %[[K]] {destination_type = f32} : (tensor<i32>) -> tensor<f32>
// CHECK-NEXT: %[[W:[^ ,:)]+]] = ov.multiply %[[V]], %[[F]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[K1:[^ ,:)]+]] = ov.convert %[[W]] {destination_type = i32} : (tensor<f32>) -> tensor<i32>
// CHECK-NEXT: %[[OTHER:[^ ,:)]+]] = ov.not_equal %[[K1]], %[[SEVEN]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: %[[SAME:[^ ,:)]+]] = ov.logical_not %[[OTHER]] : (tensor<i1>) -> tensor<i1>
// CHECK-NEXT: %[[SMALL:[^ ,:)]+]] = ov.less %[[W]], %[[LIM]] : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %[[AGAIN:[^ ,:)]+]] = ov.logical_and %[[SAME]], %[[SMALL]] : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%[[AGAIN]]) carried(%[[W]] : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @flags(
// CHECK-SAME: %[[GO:[^ ,:)]+]]: tensor<i1>, %[[X:[^ ,:)]+]]: tensor<f32>, %[[LIM:[^ ,:)]+]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: %[[R:[^ ,:)]+]] = ov.loop while(%[[GO]]) carried(%[[X]]) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[V:[^ ,:)]+]]: tensor<f32>):
// CHECK-NEXT: %[[E:[^ ,:)]+]] = ov.exp %[[V]] : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[END:[^ ,:)]+]] = ov.less %[[LIM]], %[[E]] : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %[[AGAIN:[^ ,:)]+]] = ov.logical_not %[[END]] : (tensor<i1>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%[[AGAIN]]) carried(%[[E]] : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<f32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @another_initial_value(
// CHECK-SAME: %[[K0:[^ ,:)]+]]: tensor<i32>, %[[X:[^ ,:)]+]]: tensor<f32>, %[[Z0:[^ ,:)]+]]: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
// CHECK-NEXT: %[[END:[^ ,:)]+]] = ov.constant dense<42> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[SEVEN:[^ ,:)]+]] = ov.constant dense<7> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[ZERO:[^ ,:)]+]] = ov.constant dense<0.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT: %[[GO:[^ ,:)]+]] = ov.equal %[[Z0]], %[[ZERO]] : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %[[R:[^ ,:)]+]], %[[S:[^ ,:)]+]], %[[T:[^ ,:)]+]], %[[U:[^ ,:)]+]] = ov.loop while(%[[GO]]) carried(%[[X]], %[[SEVEN]], %[[K0]], %[[Z0]]) : (tensor<i1>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>) {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[V:[^ ,:)]+]]: tensor<f32>, %[[K:[^ ,:)]+]]: tensor<i32>, %[[L:[^ ,:)]+]]: tensor<i32>, %[[Z:[^ ,:)]+]]: tensor<f32>):
// CHECK-NEXT: %[[SUM:[^ ,:)]+]] = ov.add %[[K]], %[[L]] : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK-NEXT: %[[F:[^ ,:)]+]] = ov.convert %[[SUM]] {destination_type = f32} : (tensor<i32>) -> tensor<f32>
// CHECK-NEXT: %[[W:[^ ,:)]+]] = ov.multiply %[[V]], %[[F]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[W1:[^ ,:)]+]] = ov.divide %[[W]], %[[Z]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[K1:[^ ,:)]+]] = ov.convert %[[W1]] {destination_type = i32} : (tensor<f32>) -> tensor<i32>
// CHECK-NEXT: %[[Z1:[^ ,:)]+]] = ov.negative %[[W1]] : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[FITS:[^ ,:)]+]] = ov.equal %[[K1]], %[[END]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: %[[NONE:[^ ,:)]+]] = ov.equal %[[Z1]], %[[ZERO]] : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: %[[AGAIN:[^ ,:)]+]] = ov.logical_and %[[FITS]], %[[NONE]] : (tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%[[AGAIN]]) carried(%[[W1]], %[[K1]], %[[K1]], %[[Z1]] : tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]], %[[U]] : tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-LABEL: func.func @unequal(
// CHECK-SAME: %[[K0:[^ ,:)]+]]: tensor<i32>, %[[X:[^ ,:)]+]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT: %[[END:[^ ,:)]+]] = ov.constant dense<42> : tensor<i32> : tensor<i32>
// CHECK-NEXT: %[[GO:[^ ,:)]+]] = ov.not_equal %[[K0]], %[[END]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: %[[R:[^ ,:)]+]], %[[S:[^ ,:)]+]] = ov.loop while(%[[GO]]) carried(%[[X]], %[[K0]]) : (tensor<i1>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>) {
// CHECK-NEXT: ^bb0(%[[I:[^ ,:)]+]]: tensor<i64>, %[[V:[^ ,:)]+]]: tensor<f32>, %[[K:[^ ,:)]+]]: tensor<i32>):
// CHECK-NEXT: %[[F:[^ ,:)]+]] = ov.convert %[[K]] {destination_type = f32} : (tensor<i32>) -> tensor<f32>
// CHECK-NEXT: %[[W:[^ ,:)]+]] = ov.multiply %[[V]], %[[F]] : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[K1:[^ ,:)]+]] = ov.convert %[[W]] {destination_type = i32} : (tensor<f32>) -> tensor<i32>
// CHECK-NEXT: %[[AGAIN:[^ ,:)]+]] = ov.not_equal %[[K1]], %[[END]] : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK-NEXT: ov.next while(%[[AGAIN]]) carried(%[[W]], %[[K1]] : tensor<f32>, tensor<i32>)
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]] : tensor<f32>
// CHECK-NEXT: }
// A trip runs only if the counter is 42.
func.func @counter(%k0: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %end = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %go = ov.equal %k0, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%x, %k0) : (tensor<i1>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %k: tensor<i32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i32>) -> tensor<f32>
    %w = ov.multiply %v, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k1 = ov.convert %w {destination_type = i32} : (tensor<f32>) -> tensor<i32>
    %again = ov.equal %end, %k1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<f32>, tensor<i32>)
  }
  func.return %r : tensor<f32>
}

// It is a part of the condition that another comparison is false; the counter begins with 7 itself.
func.func @part_of_the_condition(%x: tensor<f32>, %lim: tensor<f32>) -> tensor<f32> {
  %seven = ov.constant dense<7> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %seven) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %k: tensor<i32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i32>) -> tensor<f32>
    %w = ov.multiply %v, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k1 = ov.convert %w {destination_type = i32} : (tensor<f32>) -> tensor<i32>
    %other = ov.not_equal %k1, %seven : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %same = ov.logical_not %other : (tensor<i1>) -> tensor<i1>
    %small = ov.less %w, %lim : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_and %same, %small : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<f32>, tensor<i32>)
  }
  func.return %r : tensor<f32>
}

// The condition itself is carried, and the negation of it.
func.func @flags(%go: tensor<i1>, %x: tensor<f32>, %lim: tensor<f32>) -> tensor<f32> {
  %stop = ov.logical_not %go : (tensor<i1>) -> tensor<i1>
  %r, %s, %t = ov.loop while(%go) carried(%x, %go, %stop) : (tensor<i1>, tensor<f32>, tensor<i1>, tensor<i1>) -> (tensor<f32>, tensor<i1>, tensor<i1>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %f: tensor<i1>, %g: tensor<i1>):
    %e = ov.exp %v : (tensor<f32>) -> tensor<f32>
    %w = ov.select %f, %e, %v : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %u = ov.select %g, %v, %w : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %end = ov.less %lim, %u : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_not %end : (tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%u, %again, %end : tensor<f32>, tensor<i1>, tensor<i1>)
  }
  func.return %r : tensor<f32>
}

// Near misses: the initial value is another number, or not known; zeros of two signs are equal.
func.func @another_initial_value(%k0: tensor<i32>, %x: tensor<f32>, %z0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %end = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %seven = ov.constant dense<7> : tensor<i32> : tensor<i32>
  %zero = ov.constant dense<0.0> : tensor<f32> : tensor<f32>
  %go = ov.equal %z0, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r, %s, %t, %u = ov.loop while(%go) carried(%x, %seven, %k0, %z0) : (tensor<i1>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %k: tensor<i32>, %l: tensor<i32>, %z: tensor<f32>):
    %sum = ov.add %k, %l : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %f = ov.convert %sum {destination_type = f32} : (tensor<i32>) -> tensor<f32>
    %w = ov.multiply %v, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %w1 = ov.divide %w, %z : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k1 = ov.convert %w1 {destination_type = i32} : (tensor<f32>) -> tensor<i32>
    %z1 = ov.negative %w1 : (tensor<f32>) -> tensor<f32>
    %fits = ov.equal %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %none = ov.equal %z1, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %again = ov.logical_and %fits, %none : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ov.next while(%again) carried(%w1, %k1, %k1, %z1 : tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>)
  }
  func.return %r, %u : tensor<f32>, tensor<f32>
}

// A trip runs only if the counter is another number.
func.func @unequal(%k0: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %end = ov.constant dense<42> : tensor<i32> : tensor<i32>
  %go = ov.not_equal %k0, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r, %s = ov.loop while(%go) carried(%x, %k0) : (tensor<i1>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<f32>, %k: tensor<i32>):
    %f = ov.convert %k {destination_type = f32} : (tensor<i32>) -> tensor<f32>
    %w = ov.multiply %v, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %k1 = ov.convert %w {destination_type = i32} : (tensor<f32>) -> tensor<i32>
    %again = ov.not_equal %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<f32>, tensor<i32>)
  }
  func.return %r : tensor<f32>
}

// Of another rank than the number that the condition knows, the initial value is another one.
// CHECK-LABEL: func.func @begins_as_a_vector(
// CHECK:       ^bb0(%{{.*}}, %[[K:.*]]: tensor<*xi32>):
// CHECK-NEXT:    ov.negative %[[K]]
func.func @begins_as_a_vector(%go: tensor<i1>, %s: tensor<i32>) -> (tensor<*xi32>, tensor<*xi32>) {
  %c = ov.constant dense<[1, 1]> : tensor<2xi32> : tensor<2xi32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %r, %t = ov.loop while(%go) carried(%c) {concats = [#ov.slice<axis = 0>]} : (tensor<i1>, tensor<2xi32>) -> (tensor<*xi32>, tensor<*xi32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<*xi32>):
    %q = ov.negative %k : (tensor<*xi32>) -> tensor<*xi32>
    %again = ov.equal %s, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%s : tensor<i32>) concat(%q : tensor<*xi32>)
  }
  func.return %r, %t : tensor<*xi32>, tensor<*xi32>
}
