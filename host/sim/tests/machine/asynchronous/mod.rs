//! Copies that complete later, and the barriers that they arrive at.

mod bulk;
mod copies;
mod mbarrier;
mod tensor;
