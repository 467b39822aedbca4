//! The process: its start, its end, its children.

pub(crate) use super::super::end::{at_exit, leave};
pub(crate) use super::super::unix::{in_children, path};
pub(crate) use super::super::without::process::{at_end, is_gone};

/// Makes the loader call a function before any other code of this program or library.
#[doc(hidden)]
#[macro_export]
macro_rules! when_loaded {
    ($function:path) => {
        /// The loader calls the functions listed in this section.
        #[used]
        #[unsafe(link_section = "__DATA,__mod_init_func")]
        static WHEN_LOADED: extern "C" fn() = $function;
    };
}
pub(crate) use when_loaded;
