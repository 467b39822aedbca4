//! Page protection, and faults at protected pages.

use super::super::{Allowed, Claim, PAGE};
use super::fault;
use libc::c_void;

/// Sets the access to pages; `None` opens them.
pub(crate) fn protect(start: u64, end: u64, allowed: Option<Allowed>) {
    let access = match allowed {
        None => libc::PROT_READ | libc::PROT_WRITE,
        Some(Allowed::Reads) => libc::PROT_READ,
        Some(Allowed::Nothing) => libc::PROT_NONE,
    };
    let start: *mut c_void = std::ptr::with_exposed_provenance_mut(start as usize);
    // SAFETY: whole pages of a live pinned or managed allocation, which the simulated device's
    // memory has mapped for reads and writes. An access to a protected one waits in the SIGSEGV
    // handler until the page is open again.
    unsafe { libc::mprotect(start, (end - start.addr() as u64) as usize, access) };
}

/// Whether accesses to protected pages can be caught.
pub(crate) fn is_listening(claim: Claim) -> bool {
    fault::pages_are_of(PAGE) && fault::is_listening(claim)
}
