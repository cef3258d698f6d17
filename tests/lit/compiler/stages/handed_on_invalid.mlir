// What a loop or branch of scf, or a region of it, hands on has the types of what takes it: xDSL's verifiers leave that open.
// RUN: loomir-opt %s -p canonicalize --split-input-file --verify-diagnostics

func.func @without_yield(%c: i1, %a: i32) -> i32 {
  // expected-error@+1 {{scf.if: scf.yield: 0 values where there must be 1 [mlir-invalid]}}
  %r = scf.if %c -> (i32) {
  } else {
    scf.yield %a : i32
  }
  func.return %r : i32
}

// -----

func.func @without_else(%c: i1, %a: i32) -> i32 {
  // expected-error@+1 {{scf.if: scf.if: 0 values where there must be 1 [mlir-invalid]}}
  %r = "scf.if"(%c) ({
    scf.yield %a : i32
  }, {
  }) : (i1) -> i32
  func.return %r : i32
}

// -----

func.func @other_terminator(%c: i1, %a: i32) -> i32 {
  // expected-error@+1 {{scf.while: region 0 must end in scf.condition [mlir-invalid]}}
  %r = scf.while (%x = %a) : (i32) -> i32 {
    scf.yield %x : i32
  } do {
  ^bb0(%y: i32):
    scf.yield %y : i32
  }
  func.return %r : i32
}

// -----

func.func @while(%c: i1, %a: i32) -> i32 {
  // expected-error@+1 {{scf.while: scf.condition: value 0 is i1 where it must be i32 [mlir-invalid]}}
  %r = scf.while (%x = %a) : (i32) -> i32 {
    scf.condition(%c) %c : i1
  } do {
  ^bb0(%y: i32):
    scf.yield %y : i32
  }
  func.return %r : i32
}

// -----

func.func @while_back(%c: i1, %a: i32) -> i32 {
  // expected-error@+1 {{scf.while: scf.yield: 2 values where there must be 1 [mlir-invalid]}}
  %r = scf.while (%x = %a) : (i32) -> i32 {
    scf.condition(%c) %x : i32
  } do {
  ^bb0(%y: i32):
    scf.yield %y, %y : i32, i32
  }
  func.return %r : i32
}

// -----

func.func @for(%n: index, %a: i32) -> i32 {
  // expected-error@+1 {{scf.for: scf.yield expected 1 args, but got 2. The scf.for must yield its loop-carried variables. [mlir-invalid]}}
  %r = "scf.for"(%n, %n, %n, %a) ({
  ^bb0(%i: index, %x: i32):
    scf.yield %x, %x : i32, i32
  }) : (index, index, index, i32) -> i32
  func.return %r : i32
}
