//! Information for tools that start a program with this driver inside: that the program needs no
//! `libcuda.so.1`, and whether it accepts the settings.
//!
//! Both are available before `main`: the first is a note in the program's file, the second a reply
//! to `LANEWISE_TRY`. `lanewise exec` and `sanitize` use them.

use lanewise_variables::{TRY, note::Note};

use crate::abi::CUresult;
use crate::api::cuInit;

/// Linkers keep notes even if nothing refers to them.
#[used]
#[unsafe(link_section = ".note.lanewise")]
static NOTE: Note = Note::DRIVER_INSIDE;

/// The loader calls the functions listed in this section before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static WHEN_LOADED: extern "C" fn() = when_loaded;

extern "C" fn when_loaded() {
    if TRY.get().as_deref() == Some("1") {
        // SAFETY: `cuInit` takes zero and may be called at any time.
        let is_taken = unsafe { cuInit(0) } == CUresult::SUCCESS;
        // SAFETY: no code of the program has run yet, so there is nothing to clean up.
        unsafe { libc::_exit(i32::from(!is_taken)) };
    }
}
