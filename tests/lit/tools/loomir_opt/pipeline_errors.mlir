// RUN: not loomir-opt %s -p 'canonicalize,csee' 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not loomir-opt %s -p 'zzzz' 2>&1 | filecheck %s --check-prefix=NOTHING-NEAR
// RUN: not loomir-opt %s -p 'ov-loop-unroll{factor=2 max-trip=1}' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not loomir-opt %s -p 'ov-loop-unroll{max-trips=many}' 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not loomir-opt %s -p 'ov-if-to-select{cost=most}' 2>&1 | filecheck %s --check-prefix=CHOICE
// RUN: not loomir-opt %s -p 'cse,' 2>&1 | filecheck %s --check-prefix=COMMA
// RUN: not loomir-opt %s -p 'cse,ov-fold-constants{keep-shapeof=?}' 2>&1 | filecheck %s --check-prefix=CARET
// RUN: not loomir-opt %s -p 'func.func(cse' 2>&1 | filecheck %s --check-prefix=OPEN
// RUN: not loomir-opt %s -p 'cse)' 2>&1 | filecheck %s --check-prefix=CLOSED
// RUN: not loomir-opt %s -p 'func.fun(cse)' 2>&1 | filecheck %s --check-prefix=ANCHOR
// RUN: not loomir-opt %s -p 'scf.for(cse)' 2>&1 | filecheck %s --check-prefix=OTHER-ANCHOR
// RUN: not loomir-opt %s -p 'builtin.module(func.func(builtin.module(cse)))' 2>&1 | filecheck %s --check-prefix=NESTED
// RUN: not loomir-opt %s -p 'O2{befor=cse}' 2>&1 | filecheck %s --check-prefix=LEVEL-OPTION
// RUN: not loomir-opt %s -p 'O2{before=csee}' 2>&1 | filecheck %s --check-prefix=LEVEL-PASS
// RUN: not loomir-opt %s -p 'O2{from=cse before=ov-remove-unneeded}' 2>&1 | filecheck %s --check-prefix=LEVEL-ORDER
// RUN: not loomir-opt %s -p 'O2{to=metal}' 2>&1 | filecheck %s --check-prefix=LEVEL-STAGE
// RUN: not loomir-opt %s -p @%t.none 2>&1 | filecheck %s --check-prefix=NO-FILE
// RUN: not loomir-opt %s --csee 2>&1 | filecheck %s --check-prefix=FLAG
// RUN: not loomir-opt %s --print-pipelin --verfy-stage=graph 2>&1 | filecheck %s --check-prefix=COMMAND-OPTION
// RUN: not loomir-opt %s --help-pass csee 2>&1 | filecheck %s --check-prefix=HELP
// RUN: not loomir run %s --pipeline 'csee' 2>&1 | filecheck %s --check-prefix=LOOMIR

// PASS: loomir-opt: error: 'canonicalize,csee' is not a pass pipeline: unknown pass 'csee'; did you mean 'cse'? [bad-pipeline]
// PASS-NEXT: {{^}}  canonicalize,csee
// PASS-NEXT: {{^}}               ^{{$}}
// NOTHING-NEAR: unknown pass 'zzzz'; loomir-opt --list-passes lists all passes [bad-pipeline]
// OPTION: ov-loop-unroll has no option 'max-trip'; did you mean 'max-trips'?; options: max-trips, factor, {{.*}} [bad-pipeline]
// OPTION-NEXT: {{^}}  ov-loop-unroll{factor=2 max-trip=1}
// OPTION-NEXT: {{^}}                          ^{{$}}
// VALUE: ov-loop-unroll: 'many' is no value of max-trips: int [bad-pipeline]
// CHOICE: ov-if-to-select: 'most' is no value of cost: 'never' | 'cost' | 'work' | 'always' [bad-pipeline]
// COMMA: 'cse,' is not a pass pipeline: expected a pass [bad-pipeline]
// COMMA-NEXT: {{^}}  cse,
// COMMA-NEXT: {{^}}      ^{{$}}
// CARET: Unknown token [bad-pipeline]
// CARET-NEXT: {{^}}  cse,ov-fold-constants{keep-shapeof=?}
// CARET-NEXT: {{^}}                                     ^{{$}}
// OPEN: expected a comma, or the parenthesis that closes 'func.func(' [bad-pipeline]
// CLOSED: expected a comma [bad-pipeline]
// ANCHOR: passes do not run on 'func.fun'; did you mean 'func.func'? [bad-pipeline]
// OTHER-ANCHOR: passes do not run on 'scf.for'; known: builtin.module, func.func [bad-pipeline]
// NESTED: 'builtin.module' cannot be nested in 'func.func' [bad-pipeline]
// LEVEL-OPTION: O2 has no option 'befor'; did you mean 'before'? [bad-pipeline]
// LEVEL-PASS: O2 has no pass 'csee'; did you mean 'cse'? [bad-pipeline]
// LEVEL-ORDER: O2 runs ov-remove-unneeded before cse [bad-pipeline]
// LEVEL-STAGE: unknown stage 'metal'; known: graph, structured, loops [bad-pipeline]
// NO-FILE: cannot be read: No such file or directory [file-unreadable]
// FLAG: error: unrecognized arguments: --csee; did you mean '--cse'?
// COMMAND-OPTION: error: unrecognized arguments: {{.*}}--verfy-stage=graph; did you mean '--verify-stage'?
// HELP: loomir-opt: error: --help-pass csee: unknown pass [bad-option]
// HELP-NEXT: did you mean 'cse'?
// LOOMIR: loomir: error: 'csee' is not a pass pipeline: unknown pass 'csee'; did you mean 'cse'? [bad-pipeline]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
