//! Compares the simulated GPU with a real one: every instruction of the table, on the same random
//! and edge inputs.
//!
//! Each sample of the instruction table becomes a [`Case`]: a kernel in which every thread loads
//! operands, executes the one instruction and stores what it wrote. Both machines get the same PTX
//! and the same bytes; what comes back is compared bit by bit, except where the ISA allows an error
//! bound ([`allowance`](results::allowance)).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`case`] | one instruction to judge, and in which way |
//! | [`harness`] | which way an instruction asks for, and the reason where it cannot be judged |
//! | `operands` | what a case's threads are given to work on |
//! | [`cases`] | all of them, from the table |
//! | [`kernel`] | the PTX of a case, and where its operands are in memory |
//! | [`matrix`](surroundings::matrix) | the same for `wmma`: five instructions in a chain |
//! | [`sequence`](surroundings::sequence) | what stands around an asynchronous instruction |
//! | [`by_use`](surroundings::by_use) | what stands around one whose result is the machine's own business, such as an address |
//! | [`surroundings`] | the lines that stand around it |
//! | [`special`](surroundings::special) | special registers |
//! | [`image`] | textures and surfaces: objects, and coordinates |
//! | [`values`] | operands: edges of each type, and random bits |
//! | [`allowance`](results::allowance) | error bounds of approximate instructions |
//! | [`warpgroup`](surroundings::warpgroup) | matrices for `wgmma` |
//! | [`verdict`](results::verdict) | the comparison |
//! | [`machine`] | the two sides: the simulator, and whatever device the driver has |
//! | [`session`] | all cases: many kernels in a module, so that the driver's compiler is called some hundred times |
//! | [`report`](results::report) | the result as JSON |
//! | [`recorded`](results::recorded) | results that are kept in a folder |
//! | [`page`](results::page) | the coverage page of the book, from the table and recorded results |
//!
//! `patterns diff` runs this in a child process that is started again behind a kernel that took the
//! device down.

pub mod case;
pub mod cases;
pub mod harness;
pub mod image;
pub mod kernel;
pub mod machine;
mod operands;
pub mod results;
pub mod session;
pub mod surroundings;
pub mod values;

pub use case::{Case, Harness};
pub use results::report::{Outcome, Report};
pub use results::verdict::Verdict;
pub use session::Session;
