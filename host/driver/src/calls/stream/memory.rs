//! The calls of "Stream Memory Operations": a stream writes a word of memory, or waits for one.
//!
//! A wait polls the word on the stream's thread until another stream, a kernel or the host has
//! written the expected value. As on a GPU, a value that is never written blocks the stream, and
//! everything that waits for it, forever.

use crate::abi::{CUdeviceptr, CUstream, c_uint, c_void};
use crate::calls::{present, stream};
use crate::error::{Result, ensure, fail};
use crate::objects::stream::Job;
use crate::objects::submission::Run;
use crate::objects::{memory, order};
use crate::quiescence::{self, Waiter};
use crate::time::operation::Cost;
use lanewise_sim::Waiting;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The values of `CUstreamWaitValue_flags`.
mod wait_flag {
    pub(super) const GEQ: u32 = 0;
    pub(super) const EQ: u32 = 1;
    pub(super) const AND: u32 = 2;
    pub(super) const FLUSH: u32 = 1 << 30;
}

/// The values of `CUstreamBatchMemOpType`.
mod kind {
    pub(super) const WAIT_32: u32 = 1;
    pub(super) const WRITE_32: u32 = 2;
    pub(super) const WAIT_64: u32 = 4;
    pub(super) const WRITE_64: u32 = 5;
    pub(super) const BARRIER: u32 = 6;
}

/// The largest number of operations in one batch.
const MOST: c_uint = 256;

/// One operation: a wait or a write of 4 or 8 bytes.
#[derive(Debug, Clone, Copy)]
struct Operation {
    address: u64,
    wide: bool,
    value: u64,
    /// `None` for a write; for a wait, the kind of comparison.
    wait: Option<u32>,
}

impl Operation {
    /// Checks the arguments of one call or of one element of a batch. `kind` must be a wait
    /// or a write.
    fn new(kind: c_uint, address: CUdeviceptr, value: u64, flags: c_uint) -> Result<Self> {
        let wait = matches!(kind, kind::WAIT_32 | kind::WAIT_64);
        let wide = matches!(kind, kind::WAIT_64 | kind::WRITE_64);
        let bytes = if wide { 8 } else { 4 };
        ensure!(
            address.is_multiple_of(bytes),
            ERROR_INVALID_VALUE,
            "the address {address:#x} is no multiple of {bytes}"
        );
        memory::range("addr", address, bytes)?;
        let known = if wait { 3 | wait_flag::FLUSH } else { 1 };
        ensure!(
            flags & !known == 0,
            ERROR_INVALID_VALUE,
            "{flags:#x} are no flags of a {}",
            if wait { "wait" } else { "write" }
        );
        Ok(Operation {
            address,
            wide,
            value,
            wait: wait.then_some(flags & 3),
        })
    }

    /// Returns the current value of the word.
    fn load(&self) -> u64 {
        let place = self.address as usize;
        // SAFETY: `new` checked that the bytes are live and aligned. Memory is freed only when its
        // context's streams are idle.
        unsafe {
            if self.wide {
                AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(place))
                    .load(Ordering::SeqCst)
            } else {
                let word: *mut u32 = std::ptr::with_exposed_provenance_mut(place);
                AtomicU32::from_ptr(word).load(Ordering::SeqCst).into()
            }
        }
    }

    fn store(&self) {
        let place = self.address as usize;
        order::release_to_host();
        memory::note_written(self.address, if self.wide { 8 } else { 4 });
        // SAFETY: the reason is the same as in `load`.
        unsafe {
            if self.wide {
                let word: *mut u64 = std::ptr::with_exposed_provenance_mut(place);
                AtomicU64::from_ptr(word).store(self.value, Ordering::SeqCst);
            } else {
                let word: *mut u32 = std::ptr::with_exposed_provenance_mut(place);
                AtomicU32::from_ptr(word).store(self.value as u32, Ordering::SeqCst);
            }
        }
    }

    /// Returns whether the word has the value that is waited for.
    fn holds(&self, how: u32) -> bool {
        let (word, value) = (self.load(), self.value);
        // This is greater or equal modulo the word's range, so that counters may wrap around.
        let ahead = if self.wide {
            word.wrapping_sub(value) as i64 >= 0
        } else {
            (word as u32).wrapping_sub(value as u32) as i32 >= 0
        };
        let mask = if self.wide { u64::MAX } else { u32::MAX.into() };
        match how {
            wait_flag::GEQ => ahead,
            wait_flag::EQ => word == value & mask,
            wait_flag::AND => word & value != 0,
            _ => !(word | value) & mask != 0, // NOR
        }
    }

    fn run(&self) {
        let Some(how) = self.wait else {
            return self.store();
        };
        for _ in 0..100 {
            if self.holds(how) {
                return order::acquire_all();
            }
            std::thread::yield_now();
        }
        // A kernel that spins needs to know that this thread only waits, too.
        let mut waiter = Waiter::new(None);
        while !self.holds(how) {
            std::thread::sleep(Duration::from_micros(50));
            if quiescence::any_kernel_waits() {
                waiter.looks();
                if !self.holds(how) {
                    waiter.may_end();
                }
            }
        }
        order::acquire_all();
    }
}

/// Runs operations one after another in a stream's order.
fn submit(handle: CUstream, operations: Vec<Operation>) -> Result {
    let (context, stream) = stream(handle)?;
    let waits = operations.iter().any(|it| it.wait.is_some());
    let job: Job = Box::new(move |fault| {
        if fault.is_none() {
            operations.iter().for_each(Operation::run);
        }
        Ok(Cost::NOTHING)
    });
    let run = match waits {
        true => Run::MayNeedHost(job),
        false => Run::ByWorker(job),
    };
    context.submit(&stream, Vec::new(), run).map(|_| ())
}

/// Runs one operation of this kind.
fn one(handle: CUstream, kind: c_uint, address: CUdeviceptr, value: u64, flags: c_uint) -> Result {
    stream(handle)?;
    submit(handle, vec![Operation::new(kind, address, value, flags)?])
}

pub(crate) unsafe fn wait_32(
    handle: CUstream,
    address: CUdeviceptr,
    value: u32,
    flags: c_uint,
) -> Result {
    one(handle, kind::WAIT_32, address, value.into(), flags)
}

pub(crate) unsafe fn wait_64(
    handle: CUstream,
    address: CUdeviceptr,
    value: u64,
    flags: c_uint,
) -> Result {
    one(handle, kind::WAIT_64, address, value, flags)
}

pub(crate) unsafe fn write_32(
    handle: CUstream,
    address: CUdeviceptr,
    value: u32,
    flags: c_uint,
) -> Result {
    one(handle, kind::WRITE_32, address, value.into(), flags)
}

pub(crate) unsafe fn write_64(
    handle: CUstream,
    address: CUdeviceptr,
    value: u64,
    flags: c_uint,
) -> Result {
    one(handle, kind::WRITE_64, address, value, flags)
}

/// `CUstreamBatchMemOpParams`: a union of 48 bytes. Its members for waits and writes begin with
/// the same fields.
#[repr(C)]
#[derive(Clone, Copy)]
struct Params {
    operation: c_uint,
    address: CUdeviceptr,
    value: u64,
    flags: c_uint,
    alias: CUdeviceptr,
    pad: u64,
}

const _: () = assert!(size_of::<Params>() == 48);

pub(crate) unsafe fn batch(
    handle: CUstream,
    count: c_uint,
    params: *mut c_void,
    flags: c_uint,
) -> Result {
    stream(handle)?;
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {flags:#x}"
    );
    ensure!(
        count <= MOST,
        ERROR_INVALID_VALUE,
        "{count} operations; a batch has {MOST} at most"
    );
    if count == 0 {
        return Ok(());
    }
    present(params, "paramArray")?;
    let mut operations = Vec::with_capacity(count as usize);
    for i in 0..count as usize {
        // SAFETY: the pointer is not null, so by the caller's contract it points
        // to `count` elements.
        let Params {
            operation,
            address,
            value,
            flags,
            ..
        } = unsafe { params.cast::<Params>().add(i).read() };
        // A 32-bit value is in the low half of the union.
        let value = match operation {
            kind::WAIT_32 | kind::WRITE_32 => value & u64::from(u32::MAX),
            kind::WAIT_64 | kind::WRITE_64 => value,
            // Operations here are in order and visible everywhere without a barrier.
            kind::BARRIER => continue,
            other => fail!(
                ERROR_INVALID_VALUE,
                "operation {i}: {other} is no CUstreamBatchMemOpType that the device has"
            ),
        };
        operations.push(Operation::new(operation, address, value, flags)?);
    }
    submit(handle, operations)
}
