// RUN: loomir-opt %s -p 'canonicalize' | filecheck %s

// Two counters of which only the run knows the trips: the number of trips is kept for both.
// CHECK-LABEL: func.func @trips_of_the_run(
// CHECK-NEXT: %[[A:.*]], %[[B:.*]] = ov.loop carried(%x)
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<i64>, %[[D:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[E:.*]] = ov.multiply %[[C]], %step
// CHECK-NEXT:   %[[F:.*]] = ov.add %b, %[[E]]
// CHECK-NEXT:   %[[G:.*]] = ov.convert %[[F]] {destination_type = f32}
// CHECK-NEXT:   %[[H:.*]] = ov.add %[[D]], %[[G]]
// CHECK-NEXT:   %[[I:.*]] = ov.less %[[H]], %most
// CHECK-NEXT:   %[[J:.*]] = ov.constant dense<1>
// CHECK-NEXT:   %[[K:.*]] = ov.add %[[C]], %[[J]]
// CHECK-NEXT:   ov.next while(%[[I]]) carried(%[[H]] {{[^)]*}}) last(%[[K]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: %[[L:.*]] = ov.multiply %[[B]], %step
// CHECK-NEXT: %[[M:.*]] = ov.add %b, %[[L]]
// CHECK-NEXT: %[[N:.*]] = ov.subtract %a, %[[B]]
// CHECK-NEXT: func.return %[[N]], %[[M]], %[[A]]
func.func @trips_of_the_run(%most: tensor<f32>, %x: tensor<f32>, %a: tensor<i64>, %b: tensor<i64>, %step: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<f32>) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r, %s, %t = ov.loop carried(%a, %b, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %l: tensor<i64>, %v: tensor<f32>):
    %k1 = ov.subtract %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %l1 = ov.add %l, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %f = ov.convert %l {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %w = ov.add %v, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %l1, %w : tensor<i64>, tensor<i64>, tensor<f32>)
  }
  func.return %r, %s, %t : tensor<i64>, tensor<i64>, tensor<f32>
}

// One of them is that number, under a condition before the loop too.
// CHECK-LABEL: func.func @one_is_the_number(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[C:.*]], %[[D:.*]] = ov.loop while(%go) carried(%[[A]], %x)
// CHECK-NEXT: ^bb0(%[[E:.*]]: tensor<i64>, %[[F:.*]]: tensor<i64>, %[[G:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[H:.*]] = ov.add %[[F]], %[[B]]
// CHECK-NEXT:   %[[I:.*]] = ov.exp %[[G]]
// CHECK-NEXT:   %[[J:.*]] = ov.less %[[I]], %most
// CHECK-NEXT:   ov.next while(%[[J]]) carried(%[[H]], %[[I]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: %[[K:.*]] = ov.add %b, %[[C]]
// CHECK-NEXT: func.return %[[C]], %[[K]], %[[D]]
func.func @one_is_the_number(%go: tensor<i1>, %most: tensor<f32>, %x: tensor<f32>, %b: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<f32>) {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r, %s, %t = ov.loop while(%go) carried(%zero, %b, %x) : (tensor<i1>, tensor<i64>, tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<i64>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %l: tensor<i64>, %v: tensor<f32>):
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %l1 = ov.add %l, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w = ov.exp %v : (tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %l1, %w : tensor<i64>, tensor<i64>, tensor<f32>)
  }
  func.return %r, %s, %t : tensor<i64>, tensor<i64>, tensor<f32>
}

// Only one counter is read behind the loop; the other one has 32 bits.
// CHECK-LABEL: func.func @only_one(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<1>
// CHECK-NEXT: %[[B:.*]] = ov.constant dense<2>
// CHECK-NEXT: %[[C:.*]], %[[D:.*]], %[[E:.*]] = ov.loop carried(%a, %b, %x)
// CHECK-NEXT: ^bb0(%[[F:.*]]: tensor<i64>, %[[G:.*]]: tensor<i64>, %[[H:.*]]: tensor<i32>, %[[I:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[J:.*]] = ov.add %[[G]], %[[A]]
// CHECK-NEXT:   %[[K:.*]] = ov.add %[[H]], %[[B]]
// CHECK-NEXT:   %[[L:.*]] = ov.exp %[[I]]
// CHECK-NEXT:   %[[M:.*]] = ov.less %[[L]], %most
// CHECK-NEXT:   ov.next while(%[[M]]) carried(%[[J]], %[[K]], %[[L]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]], %[[D]], %[[E]]
func.func @only_one(%most: tensor<f32>, %x: tensor<f32>, %a: tensor<i64>, %b: tensor<i32>) -> (tensor<i64>, tensor<i32>, tensor<f32>) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %two = ov.constant dense<2> : tensor<i32> : tensor<i32>
  %r, %s, %t = ov.loop carried(%a, %b, %x) : (tensor<i64>, tensor<i32>, tensor<f32>) -> (tensor<i64>, tensor<i32>, tensor<f32>) {
  ^bb0(%i: tensor<i64>, %k: tensor<i64>, %l: tensor<i32>, %v: tensor<f32>):
    %k1 = ov.add %k, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %l1 = ov.add %l, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = ov.exp %v : (tensor<f32>) -> tensor<f32>
    %again = ov.less %w, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%again) carried(%k1, %l1, %w : tensor<i64>, tensor<i32>, tensor<f32>)
  }
  func.return %r, %s, %t : tensor<i64>, tensor<i32>, tensor<f32>
}

// The number of the last trip and one is that of the trips, also of none,
// CHECK-LABEL: func.func @trips_as_last_value(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<0>
// CHECK-NEXT: %[[B:.*]] = ov.maximum %n, %[[A]]
// CHECK-NEXT: %[[C:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[F:.*]] = ov.exp %[[E]]
// CHECK-NEXT:   ov.next carried(%[[F]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[C]], %[[B]]
func.func @trips_as_last_value(%n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k = ov.add %one, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<4xf32>) last(%k : tensor<i64>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<i64>
}

// but not the number and two, which after no trip is 0.
// CHECK-LABEL: func.func @no_number_of_trips(
// CHECK-NEXT: %[[A:.*]] = ov.constant dense<2>
// CHECK-NEXT: %[[B:.*]], %[[C:.*]] = ov.loop trip(%n) carried(%x)
// CHECK-NEXT: ^bb0(%[[D:.*]]: tensor<i64>, %[[E:.*]]: tensor<4xf32>):
// CHECK-NEXT:   %[[F:.*]] = ov.exp %[[E]]
// CHECK-NEXT:   %[[G:.*]] = ov.add %[[D]], %[[A]]
// CHECK-NEXT:   ov.next carried(%[[F]] {{[^)]*}}) last(%[[G]] {{[^)]*}})
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[B]], %[[C]]
func.func @no_number_of_trips(%n: tensor<i64>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  %two = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r, %s = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %w = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    %k = ov.add %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ov.next carried(%w : tensor<4xf32>) last(%k : tensor<i64>)
  }
  func.return %r, %s : tensor<4xf32>, tensor<i64>
}
