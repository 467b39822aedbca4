//! The process: no other one is known, and nothing runs after the destructors of static objects.

/// No process shares anything with another one.
pub(crate) fn is_gone(_: u32) -> bool {
    true
}

/// Makes `register_end`, which makes sure that a function is called at the end of this process,
/// before the destructors of static objects that are older.
macro_rules! at_end {
    ($function:path) => {
        fn register_end() {
            process::at_exit($function);
        }
    };
}
pub(crate) use at_end;
