// RUN: loomir-opt --list-passes | filecheck %s --check-prefix=PASSES
// RUN: loomir-opt --help-pass ov-fold-constants | filecheck %s --check-prefix=PASS
// RUN: loomir-opt --help-pass memref-to-dsd | filecheck %s --check-prefix=OTHER
// RUN: loomir-opt --show-dialects | filecheck %s --check-prefix=DIALECTS

// PASSES: {{^}}front:
// PASSES: {{^}}  convert-onnx-to-ov {{.*}}operators of an ONNX model
// PASSES: {{^}}graph:
// PASSES: {{^}}  ov-infer {{.*}}type
// PASSES: {{^}}loops:
// PASSES: {{^}}  plan-memory {{.*}}arena
// PASSES: {{^}}general:
// PASSES: {{^}}  canonicalize {{ +[A-Z]}}
// PASSES: {{^}}of xDSL and of extensions:
// PASSES: {{^}}  apply-pdl
// PASSES: {{^}}levels:
// PASSES-NEXT: O0, O1, O2, Os

// PASS: {{^}}ov-fold-constants{{$}}
// PASS: `keep-shapeof` leaves ShapeOf alone
// PASS: Results are the same to the last bit.
// PASS: Options: `keep-shapeof` (bool, False), `max-bytes` (int | None, None).
// OTHER: {{^}}memref-to-dsd{{$}}
// OTHER: Lowers memref ops to CSL DSDs.

// DIALECTS: {{^}}arith {{ +[0-9]+}} operations
// DIALECTS: {{^}}ov {{ +[0-9]+}} operations
