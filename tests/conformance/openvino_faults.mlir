// What OpenVINO 2026.4 does wrongly: a program for each row of docs/semantics.md; tests/conformance/openvino_faults.py has its inputs.

// ----- trip count of -5
func.func @main(%a: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<?xf32>) {
  %r:2 = ov.loop trip(%n) carried(%a) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>):
    %d = ov.add %p, %p : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %least = ov.reduce_min %d, %axes {keep_dims = true} : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
    %whole = ov.reduce_min %d, %axes {keep_dims = false} : (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
    %limit = ov.constant dense<20.0> : tensor<f32> : tensor<f32>
    %go = ov.less %whole, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%go) carried(%d : tensor<2xf32>) concat(%least : tensor<1xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?xf32>
}

// ----- sequence of length 0
// Halves and zeros, which are exact.
func.func @main(%x: tensor<2x3x2xf32>, %h: tensor<2x2x2xf32>, %c: tensor<2x2x2xf32>, %n: tensor<2xi32>)
    -> (tensor<2x2x3x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x1x2xf32>) {
  %w4 = ov.constant dense<0.0> : tensor<2x8x2xf32> : tensor<2x8x2xf32>
  %b4 = ov.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0e30, -1.0e30], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0e30, -1.0e30]]> : tensor<2x8xf32> : tensor<2x8xf32>
  %w3 = ov.constant dense<0.0> : tensor<2x6x2xf32> : tensor<2x6x2xf32>
  %b3 = ov.constant dense<0.0> : tensor<2x6xf32> : tensor<2x6xf32>
  %w1 = ov.constant dense<0.0> : tensor<1x2x2xf32> : tensor<1x2x2xf32>
  %b1 = ov.constant dense<0.0> : tensor<1x2xf32> : tensor<1x2xf32>
  %y, %ho, %co = ov.lstm_sequence %x, %h, %c, %n, %w4, %w4, %b4 {hidden_size = 2, direction = "bidirectional"}
      : (tensor<2x3x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xi32>, tensor<2x8x2xf32>, tensor<2x8x2xf32>, tensor<2x8xf32>)
      -> (tensor<2x2x3x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>)
  %g, %hg = ov.gru_sequence %x, %h, %n, %w3, %w3, %b3 {hidden_size = 2, direction = "bidirectional"}
      : (tensor<2x3x2xf32>, tensor<2x2x2xf32>, tensor<2xi32>, tensor<2x6x2xf32>, tensor<2x6x2xf32>, tensor<2x6xf32>)
      -> (tensor<2x2x3x2xf32>, tensor<2x2x2xf32>)
  %first = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %one = ov.gather %h, %first, %axis : (tensor<2x2x2xf32>, tensor<1xi64>, tensor<i64>) -> tensor<2x1x2xf32>
  %r, %hr = ov.rnn_sequence %x, %one, %n, %w1, %w1, %b1 {hidden_size = 2, direction = "reverse"}
      : (tensor<2x3x2xf32>, tensor<2x1x2xf32>, tensor<2xi32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2xf32>)
      -> (tensor<2x1x3x2xf32>, tensor<2x1x2xf32>)
  func.return %y, %ho, %co, %hg, %hr : tensor<2x2x3x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x1x2xf32>
}

// ----- swap
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %n = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
    ov.next carried(%q, %p : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

// ----- rotation of three
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r:3 = ov.loop trip(%n) carried(%a, %b, %c) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>, %s: tensor<2xf32>):
    %u = ov.add %p, %q : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %v = ov.add %u, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%v, %p, %q : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1, %r#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// ----- swap through reshapes
func.func @main(%a: tensor<1x2xf32>, %b: tensor<2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>) {
  %n = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<1x2xf32>, tensor<2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<1x2xf32>, %q: tensor<2xf32>):
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %q1 = ov.unsqueeze %q, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    %p1 = ov.squeeze %p, %axes : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
    ov.next carried(%q1, %p1 : tensor<1x2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1 : tensor<1x2xf32>, tensor<2xf32>
}

// ----- swap in a branch
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
    %s:2 = ov.if %c -> (tensor<2xf32>, tensor<2xf32>) {
      ov.yield %q, %p : tensor<2xf32>, tensor<2xf32>
    } else {
      ov.yield %p, %q : tensor<2xf32>, tensor<2xf32>
    }
    ov.next carried(%s#0, %s#1 : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

// ----- arguments given
func.func @main(%a: tensor<1x2xf32>, %b: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<3x2xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r:4 = ov.loop trip(%n) carried(%a, %b) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<3x2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<1x2xf32>, %q: tensor<1x2xf32>):
    %u = ov.add %p, %q : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %v = ov.multiply %u, %q : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next carried(%v, %u : tensor<1x2xf32>, tensor<1x2xf32>) last(%q : tensor<1x2xf32>) concat(%p : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1, %r#2, %r#3 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<3x2xf32>
}

// ----- zero trips as fed
func.func @main(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<?xf32>) {
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %first = ov.gather %b, %axes, %axis : (tensor<2xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    ov.next carried(%b : tensor<2xf32>) concat(%first : tensor<1xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?xf32>
}

// ----- zero trips at first
func.func @main(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<?xf32>) {
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %first = ov.gather %b, %axes, %axis : (tensor<2xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    ov.next carried(%b : tensor<2xf32>) concat(%first : tensor<1xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?xf32>
}

// ----- constant zero trips
func.func @main(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<?xf32>) {
  %k = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%k) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %first = ov.gather %b, %axes, %axis : (tensor<2xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    ov.next carried(%b : tensor<2xf32>) concat(%first : tensor<1xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?xf32>
}

// ----- condition false at first
func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %n = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) while(%c) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %row = ov.unsqueeze %b, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    ov.next carried(%b : tensor<2xf32>) concat(%row : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?x2xf32>
}

// ----- constant condition false
func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %k = ov.constant dense<false> : tensor<i1> : tensor<i1>
  %n = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) while(%k) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %row = ov.unsqueeze %b, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    ov.next carried(%b : tensor<2xf32>) concat(%row : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?x2xf32>
}

// ----- last value of no trip
func.func @main(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>) {
  %r = ov.loop trip(%n) : (tensor<i64>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %b = ov.add %x, %f : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    ov.next last(%b : tensor<2xf32>)
  }
  func.return %r : tensor<2xf32>
}

// ----- early exit
func.func @main(%x: tensor<2xf32>, %limit: tensor<f32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %row = ov.unsqueeze %b, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    %greatest = ov.reduce_max %b, %axes {keep_dims = false} : (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
    %more = ov.less %greatest, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%more) carried(%b : tensor<2xf32>) concat(%row : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?x2xf32>
}

// ----- while
func.func @main(%x: tensor<2xf32>, %limit: tensor<f32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %n = ov.constant dense<-1> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %row = ov.unsqueeze %b, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    %greatest = ov.reduce_max %b, %axes {keep_dims = false} : (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
    %more = ov.less %greatest, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%more) carried(%b : tensor<2xf32>) concat(%row : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?x2xf32>
}

// ----- trip count of 2^40
func.func @main(%x: tensor<2xf32>, %limit: tensor<f32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %n = ov.constant dense<1099511627776> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %row = ov.unsqueeze %b, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    %greatest = ov.reduce_max %b, %axes {keep_dims = false} : (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
    %more = ov.less %greatest, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%more) carried(%b : tensor<2xf32>) concat(%row : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?x2xf32>
}

// ----- parts of two
func.func @main(%x: tensor<6x2xf32>) -> (tensor<6x2xf32>) {
  %zero = ov.constant dense<1.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %r:2 = ov.loop carried(%zero) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>], concats = [#ov.slice<axis = 0, stride = 2, part_size = 2>]} : (tensor<2x2xf32>, tensor<6x2xf32>) -> (tensor<2x2xf32>, tensor<6x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2x2xf32>, %part: tensor<2x2xf32>):
    %b = ov.add %a, %part : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    ov.next carried(%b : tensor<2x2xf32>) concat(%b : tensor<2x2xf32>)
  }
  func.return %r#1 : tensor<6x2xf32>
}

// ----- slice from 2
func.func @main(%x: tensor<6x2xf32>) -> (tensor<3x2xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) sliced(%x) {slices = [#ov.slice<axis = 0, start = 2, end = 5>], concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<6x2xf32>) -> (tensor<3x2xf32>) {
  ^bb0(%i: tensor<i64>, %part: tensor<1x2xf32>):
    %b = ov.add %part, %part : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next concat(%b : tensor<1x2xf32>)
  }
  func.return %r : tensor<3x2xf32>
}

// ----- slice from 2 that counts
func.func @main(%x: tensor<6x2xf32>) -> (tensor<3x2xf32>) {
  %r = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0, start = 2, end = 5>], concats = [#ov.slice<axis = 0>]} : (tensor<6x2xf32>) -> (tensor<3x2xf32>) {
  ^bb0(%i: tensor<i64>, %part: tensor<1x2xf32>):
    %b = ov.add %part, %part : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next concat(%b : tensor<1x2xf32>)
  }
  func.return %r : tensor<3x2xf32>
}

// ----- part that nobody reads
func.func @main(%x: tensor<6x2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>) {
  %r = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<2xf32>, tensor<6x2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %part: tensor<1x2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%b : tensor<2xf32>)
  }
  func.return %r : tensor<2xf32>
}

// ----- joined pairs
func.func @main(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<?xf32>) {
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%b : tensor<2xf32>) concat(%b : tensor<2xf32>)
  }
  func.return %r#1 : tensor<?xf32>
}

// ----- joined on the last axis
func.func @main(%x: tensor<2x1xf32>) -> (tensor<2x3xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = -1>]} : (tensor<i64>, tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2x1xf32>):
    %b = ov.add %a, %a : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    ov.next carried(%b : tensor<2x1xf32>) concat(%b : tensor<2x1xf32>)
  }
  func.return %r#1 : tensor<2x3xf32>
}

// ----- no parts
func.func @main(%x: tensor<?x2xf32>, %y: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<?x2xf32>) {
  %r:2 = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x2xf32>, tensor<?x2xf32>) -> (tensor<1x2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<1x2xf32>, %part: tensor<1x2xf32>):
    %b = ov.add %a, %part : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next carried(%b : tensor<1x2xf32>) concat(%b : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1 : tensor<1x2xf32>, tensor<?x2xf32>
}

// ----- quotient rounded down
func.func @main(%a: tensor<6xi32>, %b: tensor<6xi32>) -> (tensor<6xi32>) {
  %r = ov.divide %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  func.return %r : tensor<6xi32>
}

// ----- growing
func.func @main(%x: tensor<?xf32>, %n: tensor<i64>) -> (tensor<?xf32>) {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %b = ov.concat %a, %x {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ov.next carried(%b : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}

// ----- inner loop
func.func @main(%x: tensor<1x2xf32>, %n: tensor<i64>) -> (tensor<?x?x2xf32>) {
  %m = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%m) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> (tensor<?x?x2xf32>) {
  ^bb0(%i: tensor<i64>):
    %s:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<?x2xf32>) {
    ^bb0(%j: tensor<i64>, %a: tensor<1x2xf32>):
      %b = ov.add %a, %a : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
      ov.next carried(%b : tensor<1x2xf32>) concat(%b : tensor<1x2xf32>)
    }
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %t = ov.unsqueeze %s#1, %axes : (tensor<?x2xf32>, tensor<1xi64>) -> tensor<1x?x2xf32>
    ov.next concat(%t : tensor<1x?x2xf32>)
  }
  func.return %r : tensor<?x?x2xf32>
}

// ----- reduction behind an Unsqueeze
func.func @main(%x: tensor<2x3x2xf32>) -> (tensor<1x1xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %last = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %axes = ov.constant dense<[-3, -2]> : tensor<2xi64> : tensor<2xi64>
  %r = ov.slice %x, %zero, %one, %one, %zero : (tensor<2x3x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3x2xf32>
  %u = ov.unsqueeze %r, %last : (tensor<1x3x2xf32>, tensor<1xi64>) -> tensor<1x3x2x1xf32>
  %z = ov.reduce_max %u, %axes : (tensor<1x3x2x1xf32>, tensor<2xi64>) -> tensor<1x1xf32>
  func.return %z : tensor<1x1xf32>
}

// ----- Select of an input that is boolean
func.func @main(%n: tensor<i64>, %c: tensor<i1>) -> (tensor<i1>) {
  %four = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %more = ov.greater %n, %four : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = ov.select %more, %c, %more : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  func.return %r : tensor<i1>
}

// ----- step of -2^63
func.func @main(%x: tensor<1xf32>) -> (tensor<1x1xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %least = ov.constant dense<-9223372036854775808> : tensor<1xi64> : tensor<1xi64>
  %axis = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %r = ov.slice %x, %zero, %least, %least, %axis : (tensor<1xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
  %u = ov.unsqueeze %r, %zero : (tensor<1xf32>, tensor<1xi64>) -> tensor<1x1xf32>
  func.return %u : tensor<1x1xf32>
}

// ----- back edge from outside
func.func @main(%x: tensor<2x3xf32>, %v: tensor<2xi64>) -> (tensor<2xi64>) {
  %r:2 = ov.loop carried(%v, %v) sliced(%x) {slices = [#ov.slice<axis = 1>]} : (tensor<2xi64>, tensor<2xi64>, tensor<2x3xf32>) -> (tensor<2xi64>, tensor<2xi64>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xi64>, %b: tensor<2xi64>, %part: tensor<2x1xf32>):
    ov.next carried(%v, %a : tensor<2xi64>, tensor<2xi64>)
  }
  func.return %r#1 : tensor<2xi64>
}

// ----- branches of two ranks
func.func @main(%x: tensor<2x3xf32>, %c: tensor<i1>) -> (tensor<?xf32>) {
  %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %all = ov.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
  %r = ov.if %c -> (tensor<*xf32>) {
    ov.yield %x : tensor<2x3xf32>
  } else {
    %s = ov.reduce_max %x, %axes : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<3xf32>
    ov.yield %s : tensor<3xf32>
  }
  %e = ov.relu %r : (tensor<*xf32>) -> tensor<*xf32>
  %y = ov.reshape %e, %all : (tensor<*xf32>, tensor<1xi64>) -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}

// ----- loop of constants
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>) {
  %n = ov.constant dense<0> : tensor<i64> : tensor<i64>
  %zeros = ov.constant dense<0.0> : tensor<2xf32> : tensor<2xf32>
  %r = ov.loop trip(%n) carried(%zeros) : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %one = ov.constant dense<1.0> : tensor<2xf32> : tensor<2xf32>
    ov.next carried(%one : tensor<2xf32>)
  }
  %y = ov.add %r, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// ----- remainder of an extent
func.func @main(%x: tensor<3xf32>, %s: tensor<1xi64>) -> (tensor<?xf32>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %one = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %three = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %far = ov.constant dense<100> : tensor<1xi64> : tensor<1xi64>
  %p = ov.slice %x, %s, %one, %one, %zero : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %n = ov.shape_of %p : (tensor<?xf32>) -> tensor<1xi64>
  %r = ov.floor_mod %n, %three : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %y = ov.slice %x, %r, %far, %one, %zero : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}

// ----- back edge from the iteration number
func.func @main(%n: tensor<i64>, %a: tensor<i64>, %b: tensor<i64>) -> (tensor<i64>) {
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  ^bb0(%i: tensor<i64>, %p: tensor<i64>, %q: tensor<i64>):
    ov.next carried(%q, %i : tensor<i64>, tensor<i64>)
  }
  func.return %r#0 : tensor<i64>
}

// ----- boolean of a second output
func.func @main(%x: tensor<3xi64>) -> (tensor<1xi1>) {
  %one = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %v, %p = ov.top_k %x, %one {axis = 0 : i64, mode = "min", stable = true, index_element_type = i64} : (tensor<3xi64>, tensor<i64>) -> (tensor<1xi64>, tensor<1xi64>)
  %y = ov.convert %p {destination_type = i1} : (tensor<1xi64>) -> tensor<1xi1>
  func.return %y : tensor<1xi1>
}

// ----- Broadcast that changes nothing
func.func @main(%x: tensor<2xi64>) -> (tensor<i64>, tensor<i64>) {
  %zero = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %none = ov.constant dense<> : tensor<0xi64> : tensor<0xi64>
  %s = ov.reduce_sum %x, %zero : (tensor<2xi64>, tensor<1xi64>) -> tensor<i64>
  %y = ov.broadcast %s, %none {mode = "bidirectional"} : (tensor<i64>, tensor<0xi64>) -> tensor<i64>
  func.return %y, %s : tensor<i64>, tensor<i64>
}
