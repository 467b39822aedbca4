//! Compares the simulated GPU with a real one. It runs every instruction of the table on both, with
//! the same random and edge-case inputs.
//!
//! Each sample of the instruction table becomes a [`Case`]: a kernel in which every thread loads
//! operands, executes the one instruction and stores what it wrote. Both machines get the same
//! PTX and the same bytes. The results are compared bit by bit, except where the ISA permits an
//! error bound ([`allowance`](results::allowance)).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`case`] | one instruction to judge, and in which way |
//! | [`harness`] | how an instruction is judged, or the reason why it cannot be judged |
//! | `operands` | the operands of a case's threads |
//! | [`cases`] | all cases, from the table |
//! | [`kernel`] | the PTX of a case, and where its operands are in memory |
//! | [`matrix`](surroundings::matrix) | the same for `wmma`: five instructions in a chain |
//! | [`sequence`](surroundings::sequence) | the code around an asynchronous instruction |
//! | [`by_use`](surroundings::by_use) | the code around one whose result is specific to the machine, such as an address |
//! | [`surroundings`] | the lines of code around an instruction |
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
//! `patterns diff` runs this in a child process. If a kernel makes the device unusable, the child
//! is started again after that kernel.

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
