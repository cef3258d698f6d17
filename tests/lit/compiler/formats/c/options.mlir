// RUN: not loomir-opt %s -t "c{weights=flash}" 2>&1 | filecheck %s --check-prefix WEIGHTS
// RUN: not loomir-opt %s -t "c{file=all}" 2>&1 | filecheck %s --check-prefix FILE

// WEIGHTS: the C target has no weights=flash [c-unknown-option]
// WEIGHTS-NEXT: known: weights=text, weights=pointer
// FILE: the C target has no file=all [c-unknown-option]

func.func @main() {
  func.return
}
