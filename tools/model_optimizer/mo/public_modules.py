"""Public modules of the Model Optimizer that are not files here.

A table maps each to the modules that implement its names. Extensions import `openvino.tools.mo.front.common.replacement`; the
file is `transformations.py`. A module of this table is made when it is imported first (`mo/__init__.py`). Public modules that are
files here (`graph.graph`, `graph.port`, `graph.connection`) have no entry.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType

ROOT = "loomir.tools.model_optimizer.mo"

PUBLIC_MODULES: dict[str, dict[str, str]] = {
    "back.pass_separator": {
        "transformations": "BackStart, BackFinish, BackReplacementPattern",
    },
    "back.replacement": {
        "transformations": "BackReplacementPattern, ReplacementPattern",
    },
    "front.caffe.extractors.utils": {
        "constants": "get_canonical_axis_index, dim_to_shape, input_as_const, Const",
        "graph.node": "Node",
        "shapes": "int64_array",
    },
    "front.common.custom_replacement_registry": {
        "replacement_config": "CustomReplacementRegistry, parse_custom_replacement_config_file",
    },
    "front.common.extractors.utils": {
        "op_attributes": "layout_attrs",
        "shapes": "int64_array",
    },
    "front.common.layout": {
        "op_attributes": (
            "nchw_to_nhwc_permute, nhwc_to_nchw_permute, supported_layouts, indices_mapping, PARTS, "
            "convert_shape, get_batch_dim, get_features_dim, get_depth_dim, get_height_dim, "
            "get_width_dim, shape_for_layout"
        ),
        "shapes": "int64_array, mo_array",
    },
    "front.common.partial_infer.concat": {
        "inference": "concat_infer",
        "op_attributes": "PermuteAttrs",
        "shapes": "dynamic_dimension, shape_array",
    },
    "front.common.partial_infer.elemental": {
        "inference": "single_output_infer, copy_shape_infer, copy_value",
    },
    "front.common.partial_infer.eltwise": {
        "inference": "eltwise_infer, find_common_partial_shape, eltwise_reverse_infer, bias_add_infer",
        "shapes": "compatible_shapes, dynamic_dimension, undefined_shape_of_rank",
    },
    "front.common.partial_infer.utils": {
        "shapes": (
            "dynamic_dimension, dynamic_dimension_value, shape_array, undefined_shape_of_rank, "
            "compatible_dims, compatible_shapes, strict_compare_tensors, shape_delete, shape_insert, "
            "unmask_shape, is_fully_defined, int64_array, float32_array, int8_array, float_array, "
            "mo_array, mark_input_bins, assign_dims_to_weights, copy_or_none, "
            "convert_tf_padding_to_str, convert_deconv_tf_padding_to_str, tf_window_op_pad_infer, "
            "is_dynamic_slice, get_shape_from_slice, reverse_bypass_infer, clarify_partial_shape, "
            "set_input_shapes"
        ),
    },
    "front.common.replacement": {
        "transformations": (
            "EdgesMatch, FrontReplacementPattern, FrontReplacementSubgraph, FrontReplacementOp, "
            "ReplacementPattern"
        ),
        "graph.graph": "Graph",
        "graph.node": "Node",
        "graph.traversal": "apply_pattern",
        "graph.functions": "merge_edge_props",
    },
    "front.extractor": {
        "extractors": (
            "FrontExtractorOp, CaffePythonFrontExtractorOp, restore_edges, spatial_attr_getter, "
            "spatial_getter, get_new_placeholder_name, extract_node_attrs, get_specific_edge_attrs, "
            "create_tensor_nodes, add_output_ops"
        ),
        "graph.graph": "Graph",
        "graph.node": "Node",
        "op_attributes": "add_attrs_props, attr_getter, bool_to_str, update_attrs",
        "graph.functions": "add_opoutput",
    },
    "front.onnx.extractor": {
        "extractors": "onnx_op_extractors, node_pb_arg, common_onnx_fields",
        "graph.node": "Node",
    },
    "front.onnx.extractors.utils": {
        "extractors": (
            "onnx_node_has_attr, onnx_attr, onnx_get_num_outputs, get_backend_pad, get_onnx_autopad, "
            "get_onnx_opset_version, get_onnx_datatype_as_numpy"
        ),
        "graph.node": "Node",
    },
    "front.pass_separator": {
        "transformations": "FrontStart, FrontFinish, FrontReplacementPattern",
    },
    "front.subgraph_matcher": {
        "configured_replacements": "find_object_by_pattern, SubgraphMatch, SubgraphMatcher",
        "replacement_config": "CustomReplacementDescriptor",
        "graph.graph": "Graph",
        "graph.node": "Node",
        "graph.traversal": "nodes_matching_name_pattern, sub_graph_between_nodes",
    },
    "front.tf.graph_utils": {
        "constants": "create_op_node_with_second_input, create_op_with_const_inputs, Const",
        "graph.graph": "Graph",
        "graph.node": "Node",
    },
    "front.tf.replacement": {
        "configured_replacements": (
            "FrontReplacementFromConfigFileGeneral, FrontReplacementFromConfigFileSubGraph, "
            "FrontReplacementFromConfigFileOp, SubgraphMatch, SubgraphMatcher"
        ),
        "replacement_config": "CustomReplacementRegistry",
        "transformations": "FrontReplacementPattern, FrontReplacementSubgraph",
        "graph.graph": "Graph",
        "op": "Op",
        "graph.traversal": "is_connected_component",
    },
    "graph.perm_inputs": {
        "shape_subgraphs": (
            "Permute, get_node_with_permutation, axis, order, reorder_inputs_for_shape_or_slice, shape, "
            "strided_slice, transpose, transpose_nchw_to_nhwc, PermuteInputs"
        ),
        "constants": "Const, create_op_with_const_inputs",
        "graph.node": "Node",
        "op_attributes": "PermuteAttrs",
        "shapes": "int64_array",
    },
    "load.loader": {
        "transformations": "Loader, LoadFinish",
        "graph.graph": "Graph",
    },
    "middle.pass_separator": {
        "transformations": (
            "PreMiddleStart, MiddleStart, MiddleFinish, PostMiddleStart, MiddleReplacementPattern"
        ),
    },
    "middle.passes.convert_data_type": {
        "constants": (
            "SUPPORTED_DATA_TYPES, data_type_str_to_destination_type, data_type_str_to_np, "
            "data_type_str_to_precision, destination_type_to_np_data_type, "
            "np_data_type_to_destination_type, np_data_type_to_precision, packed_I4, packed_U1, "
            "packed_U4, precision_to_destination_type"
        ),
    },
    "middle.passes.eliminate": {
        "middle_passes": (
            "get_nodes_with_attributes, reverse_dfs, mark_output_reachable_nodes, mark_undead_nodes, "
            "mark_const_producer_nodes, eliminate_dead_nodes, add_constant_operations, shape_inference, "
            "clean_up, graph_clean_up, graph_clean_up_tf, graph_clean_up_onnx, merge_data_nodes, "
            "remove_op_node_with_data_node, remove_op_nodes, remove_edges_for_nodes, mark_input_nodes, "
            "mark_output_nodes"
        ),
        "constants": "Const",
        "graph.node": "Node",
        "op": "RTInfo",
        "graph.traversal": "bfs_search",
        "shapes": "compatible_shapes, is_fully_defined",
    },
    "middle.passes.fusing.helpers": {
        "middle_passes": (
            "get_value_id, get_tensor_id, get_value_in_port, get_tensor_in_port, common_bfs, "
            "forward_bfs, backward_bfs, get_next_operation"
        ),
        "graph.node": "Node",
        "graph.port": "Port",
    },
    "middle.passes.infer": {
        "inference": "partial_infer, copy_type_infer, type_infer",
        "graph.graph": "Graph",
        "graph.node": "Node",
    },
    "middle.pattern_match": {
        "graph.traversal": (
            "inverse_dict, for_each_sub_graph, for_each_sub_graph_recursively, "
            "for_graph_and_each_sub_graph_recursively, all_edges_in_nodes, node_match, edge_match, "
            "build_matcher, find_pattern_matches, apply_pattern, check_node_usages_out_of_match, "
            "find_isomorphisms, check_value"
        ),
        "graph.graph": "Graph",
        "graph.node": "Node",
        "graph.attributes": "dict_includes",
    },
    "middle.replacement": {
        "transformations": "MiddleReplacementPattern, ReplacementPattern",
    },
    "ops.const": {
        "constants": (
            "Const, data_type_str_to_np, np_data_type_to_destination_type, precision_to_destination_type"
        ),
        "op": "Op",
        "shapes": "int64_array, mo_array",
    },
    "ops.op": {
        "op": "Op, RTInfo",
        "graph.graph": "Graph",
        "graph.node": "Node",
        "op_attributes": "PermuteAttrs, add_attrs_props",
        "shapes": "mo_array, strict_compare_tensors",
    },
    "ops.parameter": {
        "constants": "Parameter, np_data_type_to_destination_type",
        "graph.graph": "Graph",
        "graph.node": "Node",
        "op": "Op",
        "op_attributes": "PermuteAttrs",
        "shapes": "unmask_shape",
    },
    "ops.result": {
        "op": "nothing_to_infer, Result, Op",
        "graph.graph": "Graph",
    },
    "utils.broadcasting": {
        "shapes": (
            "common_extent, make_equal_rank, bi_directional_shape_broadcasting, "
            "uni_directional_shape_broadcasting, explicit_shape_broadcasting, "
            "uni_directional_broadcasting, bi_directional_broadcasting, explicit_broadcasting, "
            "dynamic_dimension, is_fully_defined, shape_array"
        ),
    },
    "utils.class_registration": {
        "phases": "apply_transform, apply_replacements_list",
        "transformations": "ClassType",
        "graph.graph": "Graph",
    },
    "utils.custom_replacement_config": {
        "replacement_config": (
            "CustomReplacementDescriptor, CustomReplacementDescriptorPoints, "
            "CustomReplacementDescriptorScope, CustomReplacementDescriptorGeneral, exactly, "
            "parse_custom_replacement_config_file, load_and_validate_json_config, "
            "generate_pattern_for_node"
        ),
        "graph.graph": "Graph",
        "graph.traversal": "nodes_matching_name_pattern, sub_graph_between_nodes",
    },
    "utils.error": {
        "context": "EXTENSION_ERROR, BasicError, FrameworkError, ExtensionError as Error, InternalError",
    },
    "utils.graph": {
        "graph.traversal": (
            "backward_bfs_for_operation, bfs_search, nodes_matching_name_pattern, "
            "is_connected_component, sub_graph_between_nodes, invert_sub_graph_between_nodes, "
            "node_neighbourhood, node_incoming_neighbourhood, node_outcoming_neighbourhood, "
            "scope_output_nodes, clear_tensor_names_info"
        ),
        "graph.graph": "Graph",
        "graph.node": "Node",
        "graph.functions": "get_edge_attribute_between_nodes, set_edge_attribute_between_nodes",
    },
    "utils.replacement_pattern": {
        "transformations": "ReplacementPattern, only_a_base",
        "graph.graph": "Graph",
        "graph.traversal": "apply_pattern",
    },
    "utils.runtime_info": {
        "op": "RTInfo, RTInfoElement",
    },
    "utils.shape": {
        "shape_subgraphs": (
            "get_canonical_axis_index_node, get_range_node_of_idxs, get_shape_values_by_indices_node, "
            "node_to_get_shape_value_of_indices, get_shape_values_by_range_idxs, "
            "node_to_get_batch_value, node_to_get_features_dimension_value, "
            "node_to_get_spatial_dimensions_value, new_shape_node_from_shape_nodes, "
            "get_shape_and_rank_nodes_by_port"
        ),
        "constants": "Const, create_op_node_with_second_input",
        "graph.node": "Node",
        "graph.port": "Port",
        "shapes": "int64_array",
    },
    "utils.utils": {
        "op_attributes": (
            "refer_to_faq_msg, check_values_equal, NamedAttrsClass, match_shapes, symm_match_shapes, "
            "deprecated_api, array_to_str, shrink_str_value, group_by_with_binary_predicate, unique_by"
        ),
        "shapes": "dynamic_dimension",
    },
}
"""Implementing modules and their names, by public module below `openvino.tools.mo`.

A name is `own as public` where the two differ.
"""


def is_package(module: str) -> bool:
    """Return True if the table has modules below this one."""
    return any(name.startswith(f"{module}.") for name in PUBLIC_MODULES)


def filler(module: str) -> Callable[[ModuleType], None] | None:
    """Return a function that fills a module of the table, or None.

    A package above modules of the table has no names of its own.
    """
    implemented = PUBLIC_MODULES.get(module)
    if implemented is None and not is_package(module):
        return None

    def fill(target: ModuleType) -> None:
        target.__doc__ = f"Names of the Model Optimizer's {module}."
        for home, names in (implemented or {}).items():
            source = importlib.import_module(f"{ROOT}.{home}")
            for name in names.split(", "):
                own, _, public = name.partition(" as ")
                setattr(target, public or own, getattr(source, own))

    return fill
