"""Labels of sequences, and choices at random or by limits."""

from __future__ import annotations

import numpy as np

from loomir.tools.model_optimizer.mo.ops.row import OpRow, boolean, element_type, same

ROWS = [
    OpRow(
        *("ctc_greedy_decoder", "CTCGreedyDecoderOp", "CTCGreedyDecoder", "CTCGreedyDecoder", "opset1", 2),
        attributes={"reinterp_shape": True, "ctc_merge_repeated": True},
        backend=boolean("ctc_merge_repeated"),
    ),
    OpRow(
        *("ctc_greedy_decoder_seq_len", "CTCGreedyDecoderSeqLenOp", "CTCGreedyDecoderSeqLen"),
        *("CTCGreedyDecoderSeqLen", "opset6", 3, 2),
        attributes={
            "merge_repeated": True,
            "classes_index_type": np.int32,
            "sequence_length_type": np.int32,
        },
        backend={
            "opset6": [
                *element_type("classes_index_type"),
                *element_type("sequence_length_type"),
                *boolean("merge_repeated"),
            ]
        },
    ),
    same(
        *("ctc_loss", "CTCLoss", "opset4", 5),
        attributes={"preprocess_collapse_repeated": False, "ctc_merge_repeated": True, "unique": False},
        backend=boolean("preprocess_collapse_repeated", "ctc_merge_repeated", "unique"),
    ),
    same(
        *("multinomial", "Multinomial", "opset13", 2),
        attributes={
            "with_replacement": False,
            "log_probs": False,
            "convert_type": "int64",
            "global_seed": 0,
            "op_seed": 0,
        },
        backend=["convert_type", *boolean("with_replacement", "log_probs"), "global_seed", "op_seed"],
    ),
    same(
        *("bucketize", "Bucketize", "opset3", 2),
        backend={
            "extension": boolean("with_right_bound"),
            "opset3": [*boolean("with_right_bound"), *element_type("output_type")],
        },
    ),
]
