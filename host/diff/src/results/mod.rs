//! What came of a case: the comparison, what a result may differ by, and the reports that are kept
//! and shown.

pub mod allowance;
pub mod page;
pub mod recorded;
pub mod report;
pub mod verdict;
