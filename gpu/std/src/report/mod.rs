//! What a kernel tells the host or a debugger: text, failed assertions, times.

pub mod assert;
pub mod clock;
pub mod debug;
pub mod printf;
