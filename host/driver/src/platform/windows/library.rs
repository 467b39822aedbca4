//! NVIDIA's driver.

use libloading::Library;

/// The library's name.
pub(crate) const PLACES: &[&str] = &["nvcuda.dll"];

/// Opens one of the places.
///
/// # Safety
/// The initialisers of the library run.
pub(crate) unsafe fn open(place: &str) -> Option<Library> {
    // SAFETY: passed on to the caller.
    unsafe { Library::new(place) }.ok()
}
