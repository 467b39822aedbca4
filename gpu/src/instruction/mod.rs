//! Single instructions: what they cost, and what they guarantee.

pub mod increment;
