//! The process: its start, its end, its children.

pub(crate) use super::super::end::{at_exit, leave};
pub(crate) use super::super::unix::{in_children, path};
use lanewise_variables::note::Note;

/// Linkers keep notes even if nothing refers to them.
#[used]
#[unsafe(link_section = ".note.lanewise")]
static NOTE: Note = Note::DRIVER_INSIDE;

/// Returns whether a process has ended. A process whose parent has not waited for it
/// counts as ended.
pub(crate) fn is_gone(process: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        // The state follows the name, which is in brackets and may contain any character.
        Ok(stat) => stat
            .rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with(['Z', 'X'])),
        Err(_) => true,
    }
}

/// Makes `register_end`, which makes sure that a function is called at the end of this process,
/// after the destructors of its static objects.
macro_rules! at_end {
    ($function:path) => {
        #[used]
        // SAFETY: the section contains pointers to functions without arguments, and this is one.
        #[unsafe(link_section = ".fini_array")]
        static AT_END: extern "C" fn() = $function;

        fn register_end() {
            // This use makes the linker keep it.
            std::hint::black_box(&AT_END);
        }
    };
}
pub(crate) use at_end;

/// Makes the loader call a function before any other code of this program or library.
#[doc(hidden)]
#[macro_export]
macro_rules! when_loaded {
    ($function:path) => {
        /// The loader calls the functions listed in this section.
        #[used]
        #[unsafe(link_section = ".init_array")]
        static WHEN_LOADED: extern "C" fn() = $function;
    };
}
pub(crate) use when_loaded;
