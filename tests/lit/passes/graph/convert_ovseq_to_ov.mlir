// RUN: loomir-opt %s -p convert-ovseq-to-ov --split-input-file | filecheck %s

// Elements of one static shape are rows.
// CHECK-LABEL: func.func @main(%n: tensor<i64>, %x: tensor<2xf32>, %k: tensor<i64>)
// CHECK-SAME: -> (tensor<2xf32>, tensor<?x2xf32> {loomir.name = "s/data", loomir.of = "s", loomir.part = "data"}) {
// CHECK:      %[[E:.*]] = ov.constant dense<> : tensor<0x2xf32>
// CHECK:      %[[S:.*]] = ov.loop trip(%n) carried(%[[E]]) : (tensor<i64>, tensor<0x2xf32>) -> tensor<?x2xf32> {
// CHECK-NEXT: ^bb0(%i: tensor<i64>, %[[C:.*]]: tensor<?x2xf32>):
// CHECK:        %[[R:.*]] = ov.unsqueeze %x
// CHECK:        %[[D:.*]] = ov.concat %[[C]], %[[R]] {axis = 0 : i64}
// CHECK-NEXT:   ov.next carried(%[[D]] : tensor<?x2xf32>)
// CHECK:      ov.gather %[[S]], %k, {{.*}} {out_of_range = "error"}
func.func @main(%n: tensor<i64>, %x: tensor<2xf32>, %k: tensor<i64>)
    -> (tensor<2xf32>, !ovseq.sequence<tensor<2xf32>> {loomir.name = "s"}) {
  %e = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
  %s = ov.loop trip(%n) carried(%e) : (tensor<i64>, !ovseq.sequence<tensor<*xf32>>) -> (!ovseq.sequence<tensor<2xf32>>) {
  ^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<2xf32>>):
    %d = ovseq.insert %c, %x : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
    ov.next carried(%d : !ovseq.sequence<tensor<2xf32>>)
  }
  %y = ovseq.at %s, %k : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
  func.return %y, %s : tensor<2xf32>, !ovseq.sequence<tensor<2xf32>>
}

// -----

// Elements of several shapes have slots; the branches' results, positions and an element that is taken out.
// CHECK:      %[[IF:.*]], %[[SHAPES:.*]] = ov.if %c -> (tensor<?x3xf32>, tensor<?x1xi64>) {
// CHECK:        ov.to_slot %x {most = array<i64: 3>} : (tensor<2xf32>) -> tensor<1x3xf32>
// CHECK:        ov.to_slot %y {most = array<i64: 3>} : (tensor<3xf32>) -> tensor<1x3xf32>
// CHECK:      } else {
// CHECK:      ov.row_insert %[[IF]], {{.*}}, %p : (tensor<?x3xf32>, tensor<1x3xf32>, tensor<i64>) -> tensor<?x3xf32>
// CHECK:      ov.row_insert %[[SHAPES]], {{.*}}, %p : (tensor<?x1xi64>, tensor<1x1xi64>, tensor<i64>) -> tensor<?x1xi64>
// CHECK:      ov.row_erase
// CHECK:      ov.from_slot {{.*}} {least = array<i64: 2>, most = array<i64: 3>} : (tensor<3xf32>, tensor<1xi64>) -> tensor<?xf32>
func.func @main(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>, %p: tensor<i64>) -> tensor<?xf32> {
  %s = ov.if %c -> (!ovseq.sequence<tensor<?xf32>>) {
    %a = ovseq.construct %x, %y : (tensor<2xf32>, tensor<3xf32>) -> !ovseq.sequence<tensor<?xf32>>
    ov.yield %a : !ovseq.sequence<tensor<?xf32>>
  } else {
    %b = ovseq.construct %y : (tensor<3xf32>) -> !ovseq.sequence<tensor<3xf32>>
    ov.yield %b : !ovseq.sequence<tensor<3xf32>>
  }
  %t = ovseq.insert %s, %x, %p : (!ovseq.sequence<tensor<?xf32>>, tensor<2xf32>, tensor<i64>) -> !ovseq.sequence<tensor<?xf32>>
  %u = ovseq.erase %t, %p : (!ovseq.sequence<tensor<?xf32>>, tensor<i64>) -> !ovseq.sequence<tensor<?xf32>>
  %r = ovseq.at %u, %p : (!ovseq.sequence<tensor<?xf32>>, tensor<i64>) -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// An optional is a flag and a value.
// CHECK:      %[[O:.*]], %[[V:.*]] = ov.if %c -> (tensor<i1>, tensor<2xf32>) {
// CHECK:      ov.require %[[V]], %[[O]] {kind = "absent", reason = "the value of an optional that has none"}
// CHECK:      func.return %[[O]]
func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<i1>, tensor<2xf32>) {
  %o = ov.if %c -> (!ovseq.optional<tensor<2xf32>>) {
    %a = ovseq.some %x : (tensor<2xf32>) -> !ovseq.optional<tensor<2xf32>>
    ov.yield %a : !ovseq.optional<tensor<2xf32>>
  } else {
    %b = ovseq.none {value_type = tensor<2xf32>} : !ovseq.optional<tensor<2xf32>>
    ov.yield %b : !ovseq.optional<tensor<2xf32>>
  }
  %h = ovseq.has %o : (!ovseq.optional<tensor<2xf32>>) -> tensor<i1>
  %v = ovseq.get %o : (!ovseq.optional<tensor<2xf32>>) -> tensor<2xf32>
  func.return %h, %v : tensor<i1>, tensor<2xf32>
}
