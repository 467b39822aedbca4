//! The results of cases: the comparison, the permitted differences, and the reports that are
//! stored and shown.

pub mod allowance;
pub mod page;
pub mod recorded;
pub mod report;
pub mod verdict;
