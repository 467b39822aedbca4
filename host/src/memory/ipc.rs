//! Memory and events that processes share.
//!
//! One process allocates a buffer and makes a handle for it, which is bytes or a word of text. The
//! program passes the handle to the other process (by a pipe, an argument or a socket). That
//! process opens the handle and accesses the same memory on its device. Events are shared in the
//! same way, and order the work of the two processes.
//!
//! ```no_run
//! use lanewise::{Device, DeviceBuffer, EventOptions, IpcBuffer, IpcEvent, IpcMemory};
//!
//! // One process:
//! let device = Device::open()?;
//! let stream = device.stream()?;
//! let buffer = DeviceBuffer::from_slice(&device, &[1.0f32; 100])?;
//! let filled = device.event_with(EventOptions::new().interprocess())?;
//! filled.record(&stream)?;
//! println!("{} {}", buffer.ipc_handle()?, filled.ipc_handle()?);
//!
//! // Another one, with the two words:
//! # let words = ["", ""];
//! // SAFETY: the first process has written the word, and keeps the event.
//! let filled = unsafe { words[1].parse::<IpcEvent>()?.open(&device)? };
//! // SAFETY: the first process leaves the buffer alone until this one ends.
//! let buffer: IpcBuffer<f32> = unsafe { words[0].parse::<IpcMemory>()?.open(&device)? };
//! stream.wait_event(&filled)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On the simulator each process has its own simulated GPU, and both access the same memory. The
//! processes must run as the same user and be visible to each other (`/proc`).
//! Source: CUDA C++ Programming Guide, "Interprocess Communication"; CUDA driver API,
//! `cuIpcGetMemHandle` and related calls.

use std::fmt;
use std::panic::Location;
use std::str::FromStr;

use lanewise_driver::abi::{CUevent, CUipcEventHandle, CUipcMemHandle};
use lanewise_driver::api;

use crate::error::in_words;
use crate::memory::buffer::Borrowed;
use crate::stream::order::Order;
use crate::{Device, DeviceBuffer, DeviceCopy, DriverError, Event, Stream, late};

/// The size of the driver's handles in bytes.
const BYTES: usize = 64;

/// Why memory or an event could not be shared.
#[derive(thiserror::Error)]
pub enum IpcError {
    /// This kind of memory cannot be shared.
    #[error(
        "whole buffers with elements in them are shared, from `DeviceBuffer::from_slice` or `zeroed`: no part, no view, nothing from a pool, managed or mapped"
    )]
    NotWhole,
    /// The memory is not a whole number of elements.
    #[error(
        "{bytes} bytes are shared, and an element of the type that was asked for has {element}"
    )]
    Size {
        /// The size of the shared memory in bytes.
        bytes: u64,
        /// The size of an element in bytes.
        element: usize,
    },
    /// The text is not a handle.
    #[error(
        "`{0}` is no handle of shared memory or of an event: pass on the text that it was written as"
    )]
    Text(String),
    /// The driver refused, for example because this process made the handle itself, or the other
    /// process has ended.
    #[error("the driver does not share it")]
    Driver(#[from] DriverError),
}

in_words! { IpcError }

/// A handle for a buffer's memory, for another process. It can be written and parsed as text, or
/// passed as [bytes](Self::to_bytes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IpcMemory {
    handle: [u8; BYTES],
    /// The size of the buffer in bytes.
    bytes: u64,
}

/// A handle for an event, for another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IpcEvent {
    handle: [u8; BYTES],
}

/// Another process' buffer, on a device of this process. Launches and copies accept it like a
/// buffer. Dropping it waits for the work that uses it and unmaps the memory; only the other
/// process frees the memory.
#[derive(Debug)]
pub struct IpcBuffer<T: DeviceCopy> {
    buffer: Borrowed<T>,
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Returns a handle for the buffer's memory, for another process. It is valid while
    /// the buffer exists.
    ///
    /// A GPU may have other buffers in the same block of memory, which the other process can then
    /// access too. Where that matters, share buffers whose size is a multiple of 2 MiB.
    ///
    /// # Errors
    /// [`IpcError::NotWhole`], or the driver's error.
    #[track_caller]
    pub fn ipc_handle(&self) -> Result<IpcMemory, IpcError> {
        let at = Location::caller();
        if !self.is_allocated() {
            return Err(IpcError::NotWhole);
        }
        self.device().make_current(at)?;
        let mut handle = CUipcMemHandle {
            reserved: [0; BYTES],
        };
        // SAFETY: the result is written to a local variable.
        let result = unsafe { api::cuIpcGetMemHandle(&mut handle, self.address()) };
        DriverError::check("cuIpcGetMemHandle", result, at)?;
        Ok(IpcMemory {
            handle: handle.reserved.map(|byte| byte as u8),
            bytes: (self.len() * size_of::<T>()) as u64,
        })
    }
}

impl IpcMemory {
    /// Opens the memory on a device of this process, as a buffer with elements of type `T`.
    ///
    /// # Errors
    /// [`IpcError::Size`], or the driver's error.
    ///
    /// # Safety
    /// This process cannot check what the other one does. While the buffer exists:
    /// - the other process keeps its buffer, with values of `T` in it;
    /// - while one process writes an element, the other does not access it. Events, or messages
    ///   between the processes, ensure that;
    /// - the handle is open at most once in this process;
    /// - the handle is from [`DeviceBuffer::ipc_handle`], and has not been changed.
    #[track_caller]
    pub unsafe fn open<T: DeviceCopy>(&self, device: &Device) -> Result<IpcBuffer<T>, IpcError> {
        /// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`, which the driver requires.
        const LAZY_PEER_ACCESS: u32 = 1;
        let (at, element) = (Location::caller(), size_of::<T>());
        if element == 0 || !self.bytes.is_multiple_of(element as u64) {
            let bytes = self.bytes;
            return Err(IpcError::Size { bytes, element });
        }
        device.make_current(at)?;
        let reserved = self.handle.map(|byte| byte as _);
        let mut address = 0;
        lanewise_driver::set_call_site(Some(at));
        // SAFETY: the result is written to a local variable.
        let result = unsafe {
            api::cuIpcOpenMemHandle_v2(&mut address, CUipcMemHandle { reserved }, LAZY_PEER_ACCESS)
        };
        lanewise_driver::set_call_site(None);
        DriverError::check("cuIpcOpenMemHandle", result, at)?;
        let len = (self.bytes / element as u64) as usize;
        // SAFETY: the caller promises the same. The memory is mapped until the buffer is dropped,
        // which closes it.
        let buffer = unsafe { DeviceBuffer::borrow_raw(device, address, len) };
        let buffer = Borrowed::new(buffer);
        Ok(IpcBuffer { buffer })
    }

    /// Returns the handle and the buffer's size as bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; BYTES + 8] {
        let mut bytes = [0; BYTES + 8];
        bytes[..BYTES].copy_from_slice(&self.handle);
        bytes[BYTES..].copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }

    /// Makes a handle from the bytes of [`to_bytes`](Self::to_bytes).
    #[must_use]
    pub fn from_bytes(bytes: [u8; BYTES + 8]) -> Self {
        let (mut handle, mut size) = ([0; BYTES], [0; 8]);
        handle.copy_from_slice(&bytes[..BYTES]);
        size.copy_from_slice(&bytes[BYTES..]);
        Self {
            handle,
            bytes: u64::from_le_bytes(size),
        }
    }
}

impl<T: DeviceCopy> std::ops::Deref for IpcBuffer<T> {
    type Target = DeviceBuffer<T>;

    fn deref(&self) -> &DeviceBuffer<T> {
        &self.buffer
    }
}

impl<T: DeviceCopy> Drop for IpcBuffer<T> {
    fn drop(&mut self) {
        late::end(Ending {
            device: self.device().clone(),
            address: self.address(),
            order: self.order().clone(),
        });
    }
}

/// Another process' memory whose buffer was dropped here.
struct Ending {
    device: Device,
    address: u64,
    order: Order<Stream>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // The work that uses the memory is over before the memory is unmapped. A drop cannot report
        // errors: if a wait fails, the memory stays mapped.
        let mut users = self.order.streams().into_iter();
        if users.any(|user| user.synchronize().is_err()) {
            return;
        }
        let _ = self.device.make_current(Location::caller());
        // SAFETY: the memory was opened once for its buffer, and nothing uses it any more.
        let _ = unsafe { api::cuIpcCloseMemHandle(self.address) };
    }
}

impl Event {
    /// Returns a handle for the event, for another process. The event must have been
    /// made with [`EventOptions::interprocess`](crate::EventOptions::interprocess).
    ///
    /// # Errors
    /// The driver's error: `CUDA_ERROR_INVALID_VALUE` for an event that was made otherwise.
    #[track_caller]
    pub fn ipc_handle(&self) -> Result<IpcEvent, IpcError> {
        let at = Location::caller();
        self.device().make_current(at)?;
        let mut handle = CUipcEventHandle {
            reserved: [0; BYTES],
        };
        let event = self.handle();
        // SAFETY: the result is written to a local variable, and the event is live.
        let result = unsafe { api::cuIpcGetEventHandle(&mut handle, event) };
        DriverError::check("cuIpcGetEventHandle", result, at)?;
        Ok(IpcEvent {
            handle: handle.reserved.map(|byte| byte as u8),
        })
    }
}

impl IpcEvent {
    /// Opens the event on a device of this process. Both processes may record it and wait for it,
    /// and the last record counts. Until it is recorded, the event counts as having occurred.
    ///
    /// # Errors
    /// The driver's error.
    ///
    /// # Safety
    /// The handle is from [`Event::ipc_handle`], and has not been changed: NVIDIA's driver promises
    /// nothing for other bytes. The other process keeps its event as long as this one exists.
    ///
    /// A handle is read from any text, so that opening it is not safe:
    ///
    /// ```compile_fail,E0133
    /// # fn open(device: &lanewise::Device) -> Result<(), Box<dyn std::error::Error>> {
    /// let handle: lanewise::IpcEvent = "00".repeat(64).parse()?;
    /// handle.open(device)?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub unsafe fn open(&self, device: &Device) -> Result<Event, IpcError> {
        let at = Location::caller();
        device.make_current(at)?;
        let reserved = self.handle.map(|byte| byte as _);
        let mut event = CUevent::default();
        // SAFETY: the result is written to a local variable. The caller promises that the handle is
        // one.
        let result =
            unsafe { api::cuIpcOpenEventHandle(&mut event, CUipcEventHandle { reserved }) };
        DriverError::check("cuIpcOpenEventHandle", result, at)?;
        // SAFETY: the call above made the handle, and nothing else owns it.
        Ok(unsafe { Event::from_raw(device, event) })
    }
}

/// Writes two hexadecimal digits for each byte.
fn write_digits(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Reads exactly `N` bytes from hexadecimal digits.
fn read_digits<const N: usize>(text: &str) -> Result<[u8; N], IpcError> {
    let wrong = || IpcError::Text(text.to_owned());
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.ok_or_else(wrong)?;
    if digits.len() != 2 * N {
        return Err(wrong());
    }
    Ok(std::array::from_fn(|i| {
        (digits[2 * i] << 4 | digits[2 * i + 1]) as u8
    }))
}

impl fmt::Display for IpcMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_digits(f, &self.to_bytes())
    }
}

impl FromStr for IpcMemory {
    type Err = IpcError;

    fn from_str(text: &str) -> Result<Self, IpcError> {
        read_digits(text).map(Self::from_bytes)
    }
}

impl fmt::Display for IpcEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_digits(f, &self.handle)
    }
}

impl FromStr for IpcEvent {
    type Err = IpcError;

    fn from_str(text: &str) -> Result<Self, IpcError> {
        let handle = read_digits(text)?;
        Ok(Self { handle })
    }
}
