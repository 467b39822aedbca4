//! The drop-in library: this crate linked as a `libcuda.so.1`. Programs in any language can load it
//! in place of NVIDIA's.
//!
//! Such a library is a crate of the type `cdylib` whose one line is [`drop_in!`](crate::drop_in!).
//! It exports what this crate exports. It differs only in its callers: they read codes as integers,
//! while `cust` reads them as an enum.

use std::sync::atomic::{AtomicBool, Ordering};

static THIS: AtomicBool = AtomicBool::new(false);

/// Returns whether this code is in a drop-in library.
pub(crate) fn is_this() -> bool {
    THIS.load(Ordering::Relaxed)
}

/// Marks this code as a drop-in library. [`drop_in!`](crate::drop_in!) calls it when the
/// library is loaded.
///
/// # Safety
/// No Rust code in this process that declares results as an enum, as `cust` does, calls this code.
#[doc(hidden)]
pub unsafe fn this_is() {
    THIS.store(true, Ordering::Relaxed);
}

/// Makes a crate of the type `cdylib` the drop-in library.
#[macro_export]
macro_rules! drop_in {
    () => {
        const _: () = {
            extern "C" fn when_loaded() {
                // SAFETY: programs that load the library declare its results as integers.
                unsafe { $crate::drop_in::this_is() };
            }
            $crate::when_loaded!(when_loaded);
        };
    };
}
