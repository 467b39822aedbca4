//! NVIDIA's driver.

use libloading::Library;

/// There is no driver of NVIDIA's.
pub(crate) const PLACES: &[&str] = &["libcuda.dylib"];

/// Opens one of the places.
///
/// # Safety
/// The initialisers of the library run.
pub(crate) unsafe fn open(place: &str) -> Option<Library> {
    // SAFETY: passed on to the caller.
    unsafe { Library::new(place) }.ok()
}
