//! The language as ptxas accepts it: versions, orders of modifiers, operands and calls. Also what
//! is refused, kernel by kernel.

mod calls;
mod errors;
mod manual;
mod operands;
mod orders;
mod refusals;
