//! Measurements of the patterns: running and timing them, and judging their accuracy and speed.

pub mod accuracy;
pub mod bench;
pub mod launch;
pub mod run;
pub mod sweep;
pub mod timeline;
