//! NVIDIA's driver, as the system opens any library.

use libloading::Library;

/// Opens one of the places.
///
/// # Safety
/// The initialisers of the library run.
pub(crate) unsafe fn open(place: &str) -> Option<Library> {
    // SAFETY: passed on to the caller.
    unsafe { Library::new(place) }.ok()
}
