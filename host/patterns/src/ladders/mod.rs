//! Ladders: one job, from the first kernel that one would write to the best of the catalog.

pub mod attention;
pub mod product_bf16;
pub mod scan;
pub mod softmax;
pub mod sort;
