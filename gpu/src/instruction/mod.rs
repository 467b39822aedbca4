//! Single instructions: what they cost, and what they guarantee.

pub mod aggregated;
pub mod atomics;
pub mod increment;
pub mod threshold;
