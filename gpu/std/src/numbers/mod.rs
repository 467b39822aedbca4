//! Numbers: mathematical functions, fast approximations, floats of 8 and 16 bits, and integer
//! instructions that Rust has no operator for.

pub mod bits;
pub mod fast;
pub mod float8;
pub mod half;
pub mod math;
