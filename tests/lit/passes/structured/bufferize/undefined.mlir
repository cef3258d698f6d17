// Undefined contents that are inserted somewhere leave it as it is: the destination stands for the result.
// RUN: loomir-opt %s -p bufferize --split-input-file | filecheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: [[N:%\S+]]: index, [[V:%\S+]]: f32, [[OUT:%\S+]]: memref<8xf32>
// CHECK-NEXT: [[DATA:%\S+]] = memref.subview [[OUT]][0] [[[N]]] [1]
// CHECK-NEXT: linalg.fill ins([[V]] : f32) outs([[DATA]] : memref<?xf32>)
// CHECK-NEXT: func.return
func.func @main(%n: index, %v: f32) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %s = tensor.extract_slice %e[0] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  %d = tensor.empty() : tensor<8xf32>
  %i = tensor.insert_slice %s into %d[0] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  %p = tensor.extract_slice %i[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
  %f = linalg.fill ins(%v : f32) outs(%p : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.insert_slice %f into %i[0] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// -----

// A view of what was inserted, inserted again, into something that has contents.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: [[X:%\S+]]: memref<8xf32> {loomir.role = "input"}, [[N:%\S+]]: index, [[OUT:%\S+]]: memref<8xf32>
// CHECK-NEXT: linalg.copy ins([[X]] : {{.*}}) outs([[OUT]] :
// CHECK-NEXT: func.return
func.func @main(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %s = tensor.extract_slice %e[0] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  %d = tensor.empty() : tensor<8xf32>
  %i = tensor.insert_slice %s into %d[0] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  %p = tensor.extract_slice %i[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
  %r = tensor.insert_slice %p into %x[0] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  func.return %r : tensor<8xf32>
}
