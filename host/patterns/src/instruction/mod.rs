//! Instructions: what the machine does in one step, and what it does not.

pub mod aggregated;
pub mod atomics;
pub mod fma;
pub mod functions;
pub mod increment;
pub mod precision;
pub mod threshold;
