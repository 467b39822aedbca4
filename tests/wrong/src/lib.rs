//! Small wrong kernels, in the manner of miri's `tests/fail`: each is reported with the text of the
//! file beside it, and its right twin is not reported.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`case`] | a case: what its file says, and the modules of its two kernels |
//! | [`simulated`] | cases on the simulator under all checks, against their reports |
//! | `host` | the programs of cases of the host's kind, and what is said of them |
//! | [`launched`] | a case on the driver's device, a GPU too |
//! | [`sanitizer`] | all cases under compute-sanitizer's tools, which the program `wrong` runs |
//! | [`served`] | launches in processes of their own, forked from one |
//! | [`page`] | the book's page: which tool finds which case |
//!
//! `LANEWISE_BLESS=1 cargo test --test wrong` writes the reports again. Review the difference
//! before you commit it.

pub mod case;
mod host;
pub mod launched;
pub mod page;
pub mod sanitizer;
pub mod served;
pub mod simulated;
