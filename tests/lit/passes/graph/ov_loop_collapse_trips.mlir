// Trip counts that are known: a product beyond 64 bits does not wrap around, and an endless loop stays endless.
// RUN: loomir-opt %s -p ov-infer,ov-loop-collapse,ov-fold-constants,canonicalize | filecheck %s

// CHECK-LABEL: func.func @beyond
// CHECK-NEXT:  %[[MOST:.*]] = ov.constant dense<9223372036854775807>
// CHECK-NEXT:  ov.loop trip(%[[MOST]])
func.func @beyond(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<4294967296> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%n) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %q = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @just_not_beyond
// CHECK-NEXT:  %[[N:.*]] = ov.constant dense<9223372032559808512>
// CHECK-NEXT:  ov.loop trip(%[[N]])
func.func @just_not_beyond(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = ov.constant dense<2147483647> : tensor<i64> : tensor<i64>
  %m = ov.constant dense<4294967296> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%m) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %q = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}

// The inner loop never ends: nor does the one in its place, if the outer one runs at all.
// CHECK-LABEL: func.func @endless
// CHECK:       %[[M:.*]] = ov.constant dense<-1>
// CHECK:       %[[T:.*]] = ov.multiply %n, %[[M]]
// CHECK:       ov.loop trip(%[[T]])
// CHECK-NOT:   ov.loop
func.func @endless(%a: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %minus = ov.constant dense<-7> : tensor<i64> : tensor<i64>
  %n = ov.maximum %a, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %s = ov.loop trip(%minus) carried(%v) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%j: tensor<i64>, %u: tensor<4xf32>):
      %q = ov.tanh %u : (tensor<4xf32>) -> tensor<4xf32>
      ov.next carried(%q : tensor<4xf32>)
    }
    ov.next carried(%s : tensor<4xf32>)
  }
  func.return %r : tensor<4xf32>
}
