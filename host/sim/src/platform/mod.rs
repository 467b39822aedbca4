//! What the simulator asks of the operating system: ranges of addresses, pages that may be mapped
//! several times, and time. All of it is [`Platform`]; the file of the operating system implements
//! it for [`Host`].

#[cfg(not(any(unix, windows)))]
mod other;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod unshared;
#[cfg(windows)]
mod windows;

use std::io;
use std::time::Duration;

#[cfg(unix)]
pub use unix::SharedFile;
#[cfg(not(unix))]
pub use unshared::SharedFile;

#[cfg(unix)]
pub(crate) use unix::Pages;
#[cfg(not(unix))]
pub(crate) use unshared::Pages;

/// The unit of a host's memory.
pub(crate) const PAGE: u64 = 4096;

/// The operating system that this program runs on.
pub(crate) struct Host;

/// What an operating system does for the simulator. Ranges are whole pages.
pub(crate) trait Platform {
    /// The fewest bytes of addresses that are worth having.
    const LEAST: u64;

    /// Reserves addresses that no program may access yet: those from `at`, or any. They need no
    /// memory before they are opened and touched.
    fn reserve(at: Option<u64>, size: u64) -> io::Result<u64>;

    /// Gives the whole range back.
    ///
    /// # Safety
    /// The range must be one that [`Platform::reserve`] or [`Pages::show`] returned, and nothing
    /// may use it any more.
    unsafe fn unmap(start: u64, size: u64);

    /// Asks for large pages. A host without them does nothing.
    ///
    /// # Safety
    /// The range must be part of a reserved one.
    unsafe fn prefer_large_pages(start: u64, size: u64);

    /// Makes a part of a reserved range readable and writable.
    ///
    /// # Safety
    /// The range must be part of a reserved one.
    unsafe fn open(start: u64, size: u64) -> io::Result<()>;

    /// Makes an open part read as zero and gives its memory back. Returns false, without a change,
    /// if the host does not.
    ///
    /// # Safety
    /// The range must be open, and nothing may need its contents.
    unsafe fn discard(start: u64, size: u64) -> bool;

    /// Puts fresh pages, which read as zero, in place of whatever is mapped there.
    ///
    /// # Safety
    /// As for [`Platform::discard`].
    unsafe fn renew(start: u64, size: u64) -> io::Result<()>;

    /// Returns whether an address is in use by this process, or false if the host does not say.
    fn is_mapped(address: u64) -> bool;

    /// Returns the time since some moment in the past.
    fn now() -> Duration;

    /// Lets this much time pass, in which other threads can run.
    fn pause(time: Duration);
}
