//! The host side of the catalog: it sets up every pattern, runs it, compares it with the CPU
//! and times it.
//!
//! A [`Pattern`] is a row of the catalog: a name, a source, and its [`Variant`]s, which are kernels
//! that do the same work in different ways. Chapters are folders and patterns are files, with the
//! same names as the kernels' files in the `gpu` crate. `pattern` contains the types of the
//! definitions, and `measure` runs and times them. The tests, the program `patterns` and
//! `cargo xtask run` all use these definitions.

pub mod algorithms;
pub mod basics;
pub mod cluster;
pub mod development;
pub mod execution;
pub mod instruction;
pub mod ladders;
pub mod levels;
mod measure;
pub mod memory;
pub mod multi_gpu;
pub mod nvidia;
mod pattern;
pub mod shared;
pub mod streams;
pub mod tensor;
pub mod warp;

pub use measure::{accuracy, bench, launch, run, sweep, timeline};
pub use pattern::figure::Figure;
pub use pattern::{Case, Expectation, Pattern, Setup, Size, Variant, Work};
pub use pattern::{capture, input, published};

use pattern::{case, matrix};

/// Every pattern, chapter by chapter.
pub const ALL: &[&Pattern] = &[
    &basics::hello::PATTERN,
    &basics::vector_add::PATTERN,
    &basics::matrix_add::PATTERN,
    &basics::thread_index::PATTERN,
    &basics::pi::PATTERN,
    &basics::device_globals::PATTERN,
    &basics::errors::PATTERN,
    &basics::timing::PATTERN,
    &basics::device_query::PATTERN,
    &execution::divergence::PATTERN,
    &execution::grid_shape::PATTERN,
    &execution::occupancy::PATTERN,
    &execution::recursive_reduce_cpu::PATTERN,
    &execution::nested_hello::PATTERN,
    &execution::nested_reduce::PATTERN,
    &execution::reduce_neighbored::PATTERN,
    &execution::reduce_interleaved::PATTERN,
    &execution::reduce_unrolled::PATTERN,
    &execution::reduce_unroll_warps::PATTERN,
    &memory::misaligned_read::PATTERN,
    &memory::misaligned_write::PATTERN,
    &memory::offset_stride::PATTERN,
    &memory::cache_operators::PATTERN,
    &memory::gather::PATTERN,
    &memory::aos_soa::PATTERN,
    &memory::transpose::PATTERN,
    &memory::pitched::PATTERN,
    &memory::l2_window::PATTERN,
    &memory::transfers::PATTERN,
    &shared::square_tile::PATTERN,
    &shared::rect_tile::PATTERN,
    &shared::fences::PATTERN,
    &shared::reduce_shared::PATTERN,
    &shared::transpose_shared::PATTERN,
    &shared::stencil::PATTERN,
    &shared::matmul::PATTERN,
    &shared::texture::PATTERN,
    &shared::local_memory::PATTERN,
    &warp::shuffles::PATTERN,
    &warp::reduce_shuffle::PATTERN,
    &warp::votes::PATTERN,
    &shared::async_copy::PATTERN,
    &cluster::clusters::PATTERN,
    &cluster::cluster_histogram::PATTERN,
    &tensor::tma_copy::PATTERN,
    &tensor::gemm_bf16::PATTERN,
    &streams::scheduling::PATTERN,
    &streams::default_stream::PATTERN,
    &streams::dependencies::PATTERN,
    &streams::overlap::PATTERN,
    &streams::host_overlap::PATTERN,
    &instruction::precision::PATTERN,
    &instruction::functions::PATTERN,
    &instruction::fma::PATTERN,
    &instruction::increment::PATTERN,
    &instruction::threshold::PATTERN,
    &instruction::atomics::PATTERN,
    &instruction::aggregated::PATTERN,
    &levels::gang_worker_vector::PATTERN,
    &ladders::scan::PATTERN,
    &ladders::softmax::PATTERN,
    &ladders::sort::PATTERN,
    &ladders::product_bf16::PATTERN,
    &ladders::attention::PATTERN,
    &algorithms::distance::PATTERN,
    &algorithms::matvec::PATTERN,
    &algorithms::solver::PATTERN,
    &algorithms::gemv::PATTERN,
    &algorithms::gemm::PATTERN,
    &algorithms::spmv::PATTERN,
    &algorithms::fft::PATTERN,
    &algorithms::philox::PATTERN,
    &development::heat::PATTERN,
    &development::compilation::PATTERN,
    &development::separate_compilation::PATTERN,
    &multi_gpu::peer_copies::PATTERN,
    &multi_gpu::split_sum::PATTERN,
    &multi_gpu::halo_stencil::PATTERN,
    &multi_gpu::collectives::PATTERN,
    &multi_gpu::split_matmul::PATTERN,
];

/// Returns the pattern with this name, or the pattern that has a variant with this name.
pub fn find(name: &str) -> Option<&'static Pattern> {
    let has = |pattern: &&&Pattern| pattern.variants.iter().any(|variant| variant.name == name);
    ALL.iter()
        .find(|pattern| pattern.name == name)
        .or_else(|| ALL.iter().find(has))
        .copied()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_patterns_and_no_two_variants_have_the_same_name() {
        let unique = |names: Vec<&str>| names.iter().collect::<HashSet<_>>().len() == names.len();
        assert!(unique(ALL.iter().map(|pattern| pattern.name).collect()));
        let variants = ALL.iter().flat_map(|pattern| pattern.variants);
        assert!(unique(variants.map(|variant| variant.name).collect()));
        // `find` takes patterns first: a variant of another pattern's name would not be found.
        for pattern in ALL {
            let found = pattern.variants.iter().map(|variant| find(variant.name));
            assert!(
                found.flatten().all(|found| found.name == pattern.name),
                "{}",
                pattern.name
            );
        }
    }

    #[test]
    fn a_variant_leads_to_its_pattern() {
        assert_eq!(
            find("vec_add").map(|pattern| pattern.name),
            Some("vector_add")
        );
        assert_eq!(
            find("transpose").map(|pattern| pattern.name),
            Some("transpose")
        );
        assert!(find("no such").is_none());
    }
}
