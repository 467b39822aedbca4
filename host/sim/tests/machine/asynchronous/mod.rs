//! Copies that end later, and the barriers that they tell.

mod bulk;
mod copies;
mod mbarrier;
mod tensor;
