//! Instructions: operations that the device does in one step, and operations that it does not.

pub mod aggregated;
pub mod atomics;
pub mod fma;
pub mod functions;
pub mod increment;
pub mod precision;
pub mod threshold;
