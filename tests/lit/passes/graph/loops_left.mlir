// Passes say why they leave a loop or branch.
// RUN: loomir-opt %s -p ov-uplift-while-to-for --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=UPLIFT
// RUN: loomir-opt %s -p ov-loop-fuse --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=FUSE
// RUN: loomir-opt %s -p ov-loop-gather-to-slice --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=GATHER
// RUN: loomir-opt %s -p ov-loop-grow-in-place --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=GROW
// RUN: loomir-opt %s -p ov-loop-merge-values --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=MERGE
// RUN: loomir-opt %s -p ov-loop-peel --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=PEEL
// RUN: loomir-opt %s -p ov-loop-hoist-products --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=GENERIC
// RUN: loomir-opt %s -p ov-loop-hoist-products{machine=cortex-a53} --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=HOIST

// UPLIFT: left: 'Counted' (ov.loop): no condition ends it
// UPLIFT: left: 'Product' (ov.loop): no condition ends it
// UPLIFT: left: 'Short' (ov.loop): no condition ends it
// UPLIFT: left: 'Growing' (ov.loop): no term of its condition

// FUSE: left: 'Counted' (ov.loop): no earlier loop of its block runs as often, or joins what it slices
// FUSE: left: 'Product' (ov.loop): no earlier loop of its block runs as often, or joins what it slices

// GATHER: left: 'Counted' (ov.loop): its iteration number is not used
// GATHER: left: 'Product' (ov.loop): its trip count is 0 or not known
// GATHER: left: 'Short' (ov.loop): it gathers from no input in the order of its iterations, surely in range
// GATHER: left: 'Growing' (ov.loop): its iteration number is not used

// GROW: left: 'Counted' (ov.loop): no carried tensor is concatenated with a part
// GROW: left: 'Product' (ov.loop): its trip count is not known
// GROW: left: 'Short' (ov.loop): no carried tensor is concatenated with a part
// GROW: left: 'Growing' (ov.loop): a condition may end it early, and a growing tensor is read behind it
// GROW: left: 'Once' (ov.loop): its trips are 1

// MERGE: left: 'Counted' (ov.loop): no two of its values are always equal, and none stays what it begins as
// MERGE: left: 'Branch' (ov.if): no two of its results are always equal

// PEEL: left: 'Counted' (ov.loop): its first and its last iteration decide nothing for the others
// PEEL: left: 'Asking' (ov.loop): no branch in it is decided for all iterations but the first or the last

// GENERIC: left: 'Counted' (ov.loop): the machine generic has no vectors
// HOIST: left: 'Counted' (ov.loop): it has no sliced inputs
// HOIST: left: 'Short' (ov.loop): 4 elements of a row are fewer than 8

func.func @counted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c8 = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%c8) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %y = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%y : tensor<4xf32>)
  } loc("Counted")
  func.return %r : tensor<4xf32>
}

func.func @product(%x: tensor<?x64xf32>, %w: tensor<64x128xf32>, %h: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %r = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x128xf32>, tensor<?x64xf32>) -> tensor<1x128xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x128xf32>, %row: tensor<1x64xf32>):
    %p = ov.mat_mul %row, %w : (tensor<1x64xf32>, tensor<64x128xf32>) -> tensor<1x128xf32>
    %s = ov.add %v, %p : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    ov.next carried(%s : tensor<1x128xf32>)
  } loc("Product")
  func.return %r : tensor<1x128xf32>
}

func.func @short(%x: tensor<9x4xf32>, %w: tensor<4x128xf32>, %h: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %r = ov.loop carried(%h) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<1x128xf32>, tensor<9x4xf32>) -> tensor<1x128xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<1x128xf32>, %row: tensor<1x4xf32>):
    %p = ov.mat_mul %row, %w : (tensor<1x4xf32>, tensor<4x128xf32>) -> tensor<1x128xf32>
    %n = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %q = ov.add %p, %n : (tensor<1x128xf32>, tensor<f32>) -> tensor<1x128xf32>
    %s = ov.add %v, %q : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    ov.next carried(%s : tensor<1x128xf32>)
  } loc("Short")
  func.return %r : tensor<1x128xf32>
}

func.func @growing(%none: tensor<0x4xf32>, %part: tensor<1x4xf32>, %go: tensor<i1>) -> tensor<?x4xf32> {
  %c8 = ov.constant dense<8> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%c8) carried(%none) : (tensor<i64>, tensor<0x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<?x4xf32>):
    %w = ov.concat %v, %part {axis = 0 : i64} : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    ov.next while(%go) carried(%w : tensor<?x4xf32>)
  } loc("Growing")
  func.return %r : tensor<?x4xf32>
}

func.func @once(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = ov.constant dense<1> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%c1) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %y = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
    ov.next carried(%y : tensor<4xf32>)
  } loc("Once")
  func.return %r : tensor<4xf32>
}

func.func @asking(%x: tensor<4xf32>, %n: tensor<i64>, %k: tensor<i64>) -> tensor<4xf32> {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
    %is = ov.equal %i, %k : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %y = ov.if %is -> (tensor<4xf32>) {
      %a = ov.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %a : tensor<4xf32>
    } else {
      %b = ov.negative %v : (tensor<4xf32>) -> tensor<4xf32>
      ov.yield %b : tensor<4xf32>
    } loc("Branch")
    ov.next carried(%y : tensor<4xf32>)
  } loc("Asking")
  func.return %r : tensor<4xf32>
}
