//! Chapter 2: divergence, the order of pairs, unrolling, launches from kernels.

mod divergence;
mod grid_shape;
mod nested_hello;
mod nested_reduce;
mod occupancy;
mod recursive_reduce_cpu;
mod reduce_interleaved;
mod reduce_neighbored;
mod reduce_unroll_warps;
mod reduce_unrolled;

use lanewise_patterns::Setup;

/// Whole blocks for every variant, so that counts can be compared exactly.
const COUNTED: usize = 1 << 15;

/// Returns a number of a variant's run, by the column's name.
fn figure(variant: &str, setup: Setup, name: &str) -> f64 {
    let outcome =
        lanewise_patterns::run::run(&tests::device(), tests::agree::variant(variant), setup);
    let figures = outcome.expect("it runs").figures;
    let found = figures.iter().find(|figure| figure.name == name);
    let value = found.and_then(|figure| figure.value.as_f64());
    value.unwrap_or_else(|| panic!("no figure `{name}` in {figures:#?}"))
}
