//! The target, LLVM's optimisation, and the PTX output.

pub(crate) mod addresses;
pub(crate) mod atomic_costs;

pub(crate) mod counters;
pub(crate) mod divisions;
pub(crate) mod early_loads;
pub(crate) mod emit;
pub(crate) mod extremes;
pub(crate) mod formatting;
pub(crate) mod inclusive_ranges;
pub(crate) mod kernel_attributes;
pub(crate) mod library_frames;
pub(crate) mod loads_over_checks;
pub(crate) mod loops;
pub(crate) mod nullable;
pub(crate) mod optimize;
pub(crate) mod panics;
pub(crate) mod range_checks;
pub(crate) mod remainders;
pub(crate) mod source_lines;
pub(crate) mod target;
pub(crate) mod threading;
pub(crate) mod widths;
