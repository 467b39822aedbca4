//! What a program with this driver inside tells those who start it: that it needs no
//! `libcuda.so.1`, and whether it takes the settings.
//!
//! Both are there before `main`: a note in the program's file, and an answer to `LANEWISE_TRY`.
//! `lanewise exec` and `sanitize` ask for them.

use lanewise_variables::{TRY, note::Note};

use crate::abi::CUresult;
use crate::api::cuInit;

/// Linkers keep notes, whether or not anything refers to them.
#[used]
#[unsafe(link_section = ".note.lanewise")]
static NOTE: Note = Note::DRIVER_INSIDE;

/// The loader calls what is listed in this section before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static WHEN_LOADED: extern "C" fn() = when_loaded;

extern "C" fn when_loaded() {
    if TRY.get().as_deref() == Some("1") {
        // SAFETY: `cuInit` takes zero and may be called at any time.
        let is_taken = unsafe { cuInit(0) } == CUresult::SUCCESS;
        // SAFETY: nothing of the program has run, so nothing of it is to be put away.
        unsafe { libc::_exit(i32::from(!is_taken)) };
    }
}
