"""gnomon.lax: the operations themselves, as functions, and structured control flow."""
from gnomon import ops as _ops
from gnomon.api.control import associative_scan, cond, fori_loop, map, scan, switch, while_loop  # noqa: F401,A004
from gnomon.api.places import with_sharding_constraint  # noqa: F401
from gnomon.base.late import late as _late

# Each family is loaded when one of its names is first asked for.
_FAMILIES = {
    "gnomon.lax.arithmetic":
        "RoundingMethod abs add bitcast_convert_type bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp clz complex conj "
        "convert_element_type div dtype eq floor ge gt imag integer_pow is_finite le lt max min mul mulhi ne neg nextafter "
        "one_minus_square polynomial population_count real reciprocal reduce_precision rem round select select_n shift_left "
        "shift_right_arithmetic shift_right_logical sign square stage sub",
    "gnomon.lax.collectives":
        "all_gather all_to_all axis_index axis_size pbroadcast pcast pmax pmean pmin ppermute precv psend pshuffle psum "
        "psum_scatter psum_scatter_start pswapaxes ragged_all_to_all",
    "gnomon.lax.contraction":
        "DotAlgorithm DotAlgorithmPreset DotDimensionNumbers Precision PrecisionLike batch_matmul dot dot_general scaled_dot",
    "gnomon.lax.convolution":
        "ConvDimensionNumbers ConvGeneralDilatedDimensionNumbers conv conv_dimension_numbers conv_general_dilated "
        "conv_general_dilated_local conv_general_dilated_patches conv_general_permutations conv_general_shape_tuple "
        "conv_shape_tuple conv_transpose conv_transpose_shape_tuple conv_with_general_padding",
    "gnomon.lax.fourier":
        "FftType fft",
    "gnomon.lax.functions":
        "AccuracyMode Tolerance acos acosh asin asinh atan atan2 atanh bessel_i0e bessel_i1e betainc cbrt cos cosh digamma erf "
        "erf_inv erfc exp exp2 expm1 igamma igamma_grad_a igammac lgamma log log1p log2 logistic polygamma pow "
        "random_gamma_grad rsqrt sin sinh sqrt tan tanh zeta",
    "gnomon.lax.indexing":
        "GatherDimensionNumbers GatherScatterMode ScatterDimensionNumbers gather scatter scatter_add scatter_apply scatter_max "
        "scatter_min scatter_mul scatter_sub",
    "gnomon.lax.named":
        "composite platform_dependent",
    "gnomon.lax.ordering":
        "after_all create_token dce_sink optimization_barrier",
    "gnomon.lax.ragged":
        "RaggedDotDimensionNumbers ragged_dot ragged_dot_general",
    "gnomon.lax.random":
        "RandomAlgorithm rng_bit_generator rng_uniform",
    "gnomon.lax.reductions":
        "approx_max_k approx_min_k argmax argmin cumlogsumexp cummax cummin cumprod cumsum reduce reduce_and reduce_max "
        "reduce_min reduce_or reduce_prod reduce_sum reduce_xor sort sort_key_val top_k",
    "gnomon.lax.shape":
        "broadcast broadcast_in_dim broadcast_like broadcast_shapes broadcast_to_rank broadcasted_iota collapse empty "
        "expand_dims full full_like iota reshape shape_as_value squeeze stop_gradient transpose",
    "gnomon.lax.slicing":
        "concatenate dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_update_index_in_dim dynamic_update_slice "
        "dynamic_update_slice_in_dim index_in_dim index_take pad rev slice slice_in_dim split stack tile unstack",
    "gnomon.lax.windows":
        "padtype_to_pads reduce_window reduce_window_shape_tuple",
    "gnomon.api.linear_solve": "custom_linear_solve custom_root",
}
_OTHER_NAMES = {"linear_solve_p": "custom_linear_solve_p"}

_late_name, __dir__, __all__ = _late(__name__, _FAMILIES, ("linalg",))  # noqa: PLE0605


def __getattr__(name):
    """A late name; or a primitive: `lax.sin_p` is the `primitive` of the equations that take a sine."""
    found = _ops.primitive_named(_OTHER_NAMES.get(name, name)) if name.endswith("_p") else None
    return _late_name(name) if found is None else found
