//! Output of a kernel to the host or to a debugger: text, failed assertions, times.

pub mod assert;
pub mod clock;
pub mod debug;
pub mod printf;
