//! The calls of the chapter "Error Handling": names and texts of codes.

use super::put;
use crate::abi::{CUresult, c_char};
use crate::error::{Result, fail};

pub(crate) unsafe fn name(code: CUresult, name: *mut *const c_char) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { give(code, code.name().map(std::ffi::CStr::as_ptr), name) }
}

pub(crate) unsafe fn string(code: CUresult, text: *mut *const c_char) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { give(code, code.description().map(std::ffi::CStr::as_ptr), text) }
}

unsafe fn give(code: CUresult, found: Option<*const c_char>, to: *mut *const c_char) -> Result {
    // SAFETY: the caller keeps the contract. By the reference, null is written for an unknown code.
    unsafe { put(to, found.unwrap_or(std::ptr::null()), "pStr")? };
    match found {
        Some(_) => Ok(()),
        None => fail!(ERROR_INVALID_VALUE, "{} is no CUresult", code.0),
    }
}
