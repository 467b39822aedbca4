//! What is done with the patterns: running and timing them, and looking at how right and how fast
//! they are.

pub mod accuracy;
pub mod bench;
pub mod run;
pub mod sweep;
pub mod timeline;
