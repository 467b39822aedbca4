//! The language as ptxas takes it: versions, orders of modifiers, operands, calls; and what is
//! refused, kernel by kernel.

mod calls;
mod errors;
mod manual;
mod operands;
mod orders;
mod refusals;
