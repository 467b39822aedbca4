//! Single instructions: what they cost, and what they guarantee.

pub mod aggregated;
pub mod atomics;
pub mod fma;
pub mod functions;
pub mod increment;
pub mod precision;
pub mod threshold;
