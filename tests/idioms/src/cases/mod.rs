//! For each kernel: its data, its launch, its checksum, and what the CPU computes.

mod blocks;
mod index_heavy;
mod integers;
mod low_precision;
mod maths;
mod matrices;
mod reductions;
mod rows;
mod sparse;
mod structures;
mod training;

use anyhow::Result;

use crate::measure::{Outcome, Runner};

/// A kernel with what it needs.
pub struct Case {
    /// The kernel's name.
    pub name: &'static str,
    /// Makes the data, launches the kernel and computes the checksum.
    pub run: fn(&Runner) -> Result<Outcome>,
    /// The relative error that the checksum may have.
    pub tolerance: f64,
}

const fn case(name: &'static str, run: fn(&Runner) -> Result<Outcome>) -> Case {
    Case {
        name,
        run,
        tolerance: 1e-5,
    }
}

const fn within(tolerance: f64, case: Case) -> Case {
    Case { tolerance, ..case }
}

/// All kernels, in the order of their groups. The compiler was tuned by those up to `adamw_step`.
/// The others were written after that, to see whether kernels that nobody tuned by are as fast.
pub const CASES: [Case; 57] = [
    case("gelu_tanh", maths::gelu_tanh),
    case("swiglu", maths::swiglu),
    case("exp_log_pow", maths::exp_log_pow),
    case("black_scholes_f64", maths::black_scholes_f64),
    case("special_mix", maths::special_mix),
    case("gather_rows", index_heavy::gather_rows),
    case("scatter_guard", index_heavy::scatter_guard),
    case("stencil_2d_5pt", index_heavy::stencil_2d_5pt),
    case("conv2d_5x5", index_heavy::conv2d_5x5),
    case("sum_grid_stride", reductions::sum_grid_stride),
    case("max_argmax", reductions::max_argmax),
    case("layer_norm_block", reductions::layer_norm_block),
    case("rms_norm_warp", reductions::rms_norm_warp),
    case("softmax_block", reductions::softmax_block),
    case("matmul_tiled_32", matrices::matmul_tiled_32),
    case("matmul_regtile_64", matrices::matmul_regtile_64),
    case("transpose_padded", matrices::transpose_padded),
    case("gemv_warp", matrices::gemv_warp),
    case("pcg_fill", integers::pcg_fill),
    // A fused and a separate product may leave the circle a step apart.
    within(1e-3, case("mandelbrot_u8", integers::mandelbrot_u8)),
    case("stream_compact", integers::stream_compact),
    case("histogram_256", integers::histogram_256),
    case("nbody_tiles", structures::nbody_tiles),
    case("particle_update", structures::particle_update),
    case("binary_search", structures::binary_search),
    case("utf8_validate", structures::utf8_validate),
    case("spmv_csr_scalar", sparse::spmv_csr_scalar),
    case("spmv_csr_vector", sparse::spmv_csr_vector),
    case("bfs_level", sparse::bfs_level),
    // A point that is as far from two centroids may get either label.
    within(1e-4, case("kmeans_accumulate", sparse::kmeans_accumulate)),
    case("segmented_sum", sparse::segmented_sum),
    // One rounding or two are a whole step of a 16-bit float.
    within(1e-4, case("axpy_half2", low_precision::axpy_half2)),
    case("bf16_row_sum", low_precision::bf16_row_sum),
    case("float4_scale", low_precision::float4_scale),
    case("dot_i8_dp4a", low_precision::dot_i8_dp4a),
    case("adamw_step", low_precision::adamw_step),
    case("ln_forward_warp", rows::ln_forward_warp),
    case("ln_forward_block", rows::ln_forward_block),
    case("ln_backward", rows::ln_backward),
    case("softmax_causal", rows::softmax_causal),
    case("cross_entropy_bf16", rows::cross_entropy_bf16),
    case("embed_forward", training::embed_forward),
    case("embed_backward", training::embed_backward),
    case("permute_heads", training::permute_heads),
    case("bias_gelu_forward", training::bias_gelu_forward),
    case("bias_gelu_backward", training::bias_gelu_backward),
    case("rope", training::rope),
    case("attention_scores", training::attention_scores),
    case("bias_gradient", training::bias_gradient),
    case("adamw_float4", training::adamw_float4),
    case("matmul_128", blocks::matmul_128),
    case("stencil_3d_7pt", blocks::stencil_3d_7pt),
    case("scan_block", blocks::scan_block),
    case("bitonic_sort", blocks::bitonic_sort),
    case("life_u8", blocks::life_u8),
    case("string_search", blocks::string_search),
    case("transpose_records", blocks::transpose_records),
];
