//! Instructions: what the machine does in one step, and what it does not.

pub mod increment;
