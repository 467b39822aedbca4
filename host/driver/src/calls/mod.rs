//! The simulated calls: one file for each section of the driver API reference. The folders
//! correspond to those of [`crate::objects`].
//!
//! A call checks its arguments, and converts handles to objects and pointers to values. The rest is
//! in [`crate::objects`]. The order of checks is the driver's as far as it is visible: context,
//! handles, then values.

#![allow(
    clippy::too_many_arguments,
    reason = "a call has the arguments of the C function it answers"
)]

pub(crate) mod code;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod graph;
pub(crate) mod init;
pub(crate) mod memory;
pub(crate) mod peer;
pub(crate) mod primary;
pub(crate) mod proc_address;
pub(crate) mod profiler;
pub(crate) mod stream;
pub(crate) mod texture;

use crate::abi::{CUresult, CUstream, c_char};
use crate::calling;
use crate::entry_point::row::DefaultStream;
use crate::error::{Error, Result, ensure, fail};
use crate::objects::context as contexts;
use crate::objects::stream::Stream;
use std::ffi::CStr;
use std::sync::Arc;

/// Writes `value` to the caller's variable. `name` is the argument's name for messages.
///
/// # Safety
/// `pointer` is null or valid for a write of a `T`.
unsafe fn put<T>(pointer: *mut T, value: T, name: &str) -> Result {
    present(pointer, name)?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Refuses a null pointer. `name` is the argument's name for messages.
fn present<T>(pointer: *const T, name: &str) -> Result {
    ensure!(
        !pointer.is_null(),
        ERROR_INVALID_VALUE,
        "`{name}` is null; pass the address of a variable"
    );
    Ok(())
}

/// Returns the caller's text. `name` is the argument's name for messages.
///
/// # Safety
/// `pointer` is null or points to text that ends in a zero byte and lives as long as `'a`.
unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    present(pointer, name)?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to a C string.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| {
        Error::new(
            CUresult::ERROR_INVALID_VALUE,
            format_args!("`{name}` is not UTF-8: {}", text.to_string_lossy()),
        )
    })
}

/// Returns the stream that `handle` names, and its context. Both are usable.
fn stream(handle: CUstream) -> Result<(Arc<contexts::Context>, Arc<Stream>)> {
    match handle {
        CUstream::DEFAULT => stream(match calling::default_stream() {
            DefaultStream::Legacy => CUstream::LEGACY,
            DefaultStream::PerThread => CUstream::PER_THREAD,
        }),
        CUstream::LEGACY => {
            let context = contexts::current()?;
            let stream = context.legacy();
            Ok((context, stream))
        }
        CUstream::PER_THREAD => {
            let context = contexts::current()?;
            let stream = context.per_thread();
            Ok((context, stream))
        }
        handle => {
            let stream = made_stream(handle)?;
            let context = contexts::get(stream.context)?;
            context.check()?;
            Ok((context, stream))
        }
    }
}

/// Returns the stream that `handle` names, which must be one that the program made.
fn made_stream(handle: CUstream) -> Result<Arc<Stream>> {
    match contexts::STREAMS.get(handle) {
        Some(stream) => Ok(stream),
        None => {
            fail!(
                ERROR_INVALID_HANDLE,
                "{:#x} is not a live stream: it was destroyed, or never was one",
                handle.0
            )
        }
    }
}
