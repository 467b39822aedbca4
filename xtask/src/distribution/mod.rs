//! What is given to people without this repository: the wheel for Python programs and the archives
//! of a release. Both carry the program `lanewise` with the simulated driver beside it.

mod notices;
mod programs;
pub(crate) mod release;
mod tools;
pub(crate) mod wheel;
