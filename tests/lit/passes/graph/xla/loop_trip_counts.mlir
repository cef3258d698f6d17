// RUN: loomir-opt %s -p 'ov-infer,ov-fold-constants,canonicalize,cse,ov-uplift-while-to-for,ov-fold-constants,canonicalize,cse' | filecheck %s

// Ten trips,
// CHECK-LABEL: func.func @ten(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<10>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @ten(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// a million,
// CHECK-LABEL: func.func @a_million(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<1000000>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @a_million(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<1000000> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %zero) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// from 10 by 2,
// CHECK-LABEL: func.func @begin_and_step(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<499995>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @begin_and_step(%x: tensor<4xf32>) -> tensor<4xf32> {
  %ten = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %two = ov.constant dense<2> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<1000000> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %ten) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// to a million, included.
// CHECK-LABEL: func.func @less_or_equal(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<999991>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[E:.*]] = ov.exp %[[D]]
// CHECK-NEXT:   ov.next carried(%[[E]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @less_or_equal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %ten = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<1000000> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %ten) : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less_equal %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i32>)
  }
  func.return %r : tensor<4xf32>
}

// From the least number to the greatest one, included: it holds always.
// CHECK-LABEL: func.func @all_numbers(
// CHECK-NEXT: %[[A:.*]] = ov.loop carried(%x)
// CHECK-NEXT: ^bb0(%[[B:.*]]: tensor<i64>, %[[C:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[D:.*]] = ov.exp %[[C]]
// CHECK-NEXT:   ov.next carried(%[[D]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[A]]
func.func @all_numbers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %least = ov.constant dense<-9223372036854775808> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %end = ov.constant dense<9223372036854775807> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop carried(%x, %least) : (tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>, %k: tensor<i64>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %again = ov.less_equal %k1, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<4xf32>, tensor<i64>)
  }
  func.return %r : tensor<4xf32>
}

// The counter is the second value.
// CHECK-LABEL: func.func @second_value(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<10>
// CHECK-NEXT: %[[B:.*]] = ov.loop trip(%[[A]]) carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<i32>):
// CHECK-NEXT:   %[[E:.*]] = ov.convert %[[C]] {destination_type = i32}
// CHECK-NEXT:   %[[F:.*]] = ov.multiply %[[D]], %[[E]]
// CHECK-NEXT:   ov.next carried(%[[F]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]]
func.func @second_value(%x: tensor<i32>) -> tensor<i32> {
  %zero = ov.constant dense<0> : tensor<i32> : tensor<i32>
  %one = ov.constant dense<1> : tensor<i32> : tensor<i32>
  %end = ov.constant dense<10> : tensor<i32> : tensor<i32>
  %r, %s = ov.loop carried(%x, %zero) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<i32>, %k: tensor<i32>):
    %w = ov.multiply %v, %k : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %k1 = ov.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %again = ov.less %k1, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ov.next while(%again) carried(%w, %k1 : tensor<i32>, tensor<i32>)
  }
  func.return %r : tensor<i32>
}
