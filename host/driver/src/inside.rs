//! Information for tools that start a program with this driver inside: that the program needs no
//! `libcuda.so.1`, and whether it accepts the settings.
//!
//! Both are available before `main`: the first is a note in the program's file (see
//! `platform::process`), the second a reply to `LANEWISE_TRY`. `lanewise exec` and `sanitize` use
//! them.

use lanewise_variables::TRY;

use crate::abi::CUresult;
use crate::api::cuInit;
use crate::platform::process;

process::when_loaded!(when_loaded);

extern "C" fn when_loaded() {
    if TRY.get().as_deref() == Some("1") {
        // SAFETY: `cuInit` takes zero and may be called at any time.
        let is_taken = unsafe { cuInit(0) } == CUresult::SUCCESS;
        // No code of the program has run yet, so there is nothing to clean up.
        process::leave(i32::from(!is_taken));
    }
}
