//! NVIDIA's driver, `libcuda.so.1`.

use libloading::Library;
use libloading::os::unix;
use std::ffi::c_int;

/// The library's name, and the paths where distributions, WSL and containers install it. The paths
/// are for the case that the loader's search does not find it.
pub(crate) const PLACES: &[&str] = &[
    "libcuda.so.1",
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/lib/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
];

/// `RTLD_DEEPBIND` exists in glibc only. Elsewhere the library must have been linked with
/// its symbols bound.
const DEEPBIND: c_int = if cfg!(target_env = "gnu") { 0x8 } else { 0 };

/// Opens one of the places.
///
/// # Safety
/// The initialisers of the library run.
pub(crate) unsafe fn open(place: &str) -> Option<Library> {
    let flags = unix::RTLD_NOW | unix::RTLD_LOCAL | DEEPBIND;
    // SAFETY: passed on to the caller.
    let library = unsafe { unix::Library::open(Some(place), flags) };
    library.ok().map(Into::into)
}
