//! Buffers on several devices with one common address. Kernels access them with `multimem`
//! instructions: a load sums over the devices, and a store writes on all of them.
//!
//! A [`MulticastBuffer`] has one part on each device, and all parts have the same length. Kernels
//! take it as a [`Multicast`](lanewise_std::multimem::Multicast) on any of the devices; the host
//! writes and reads each device's part.
//! Source: CUDA driver API, "Multicast Object Management", "Virtual Memory Management".

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::Location;

use lanewise_driver::abi::{
    CUmemAccessDesc, CUmemAllocationProp, CUmemLocation, CUmulticastObjectProp, CUresult,
};
use lanewise_driver::api;
use lanewise_std::multimem::{Multicast, Multimem};

use crate::device::recording;
use crate::{Argument, ArgumentList, Device, DeviceCopy, DriverError, late};

/// `CU_MEM_ALLOCATION_TYPE_PINNED`, `CU_MEM_LOCATION_TYPE_DEVICE`,
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`.
const PINNED: u32 = 1;
const ON_DEVICE: u32 = 1;
const READ_WRITE: u32 = 3;

/// A range of addresses, and whether something is mapped in it.
#[derive(Debug, Clone, Copy)]
struct Range {
    address: u64,
    mapped: bool,
}

/// The memory of one device, and the range where it is mapped.
#[derive(Debug)]
struct Member {
    device: Device,
    memory: Option<u64>,
    range: Option<Range>,
}

/// The same number of elements on each of several devices, with one address for all of them.
///
/// The devices must support multicast: H200s or B200s that are connected by an NVLink switch, or
/// two or more simulated devices.
#[derive(Debug)]
pub struct MulticastBuffer<T> {
    members: Vec<Member>,
    object: Option<u64>,
    range: Option<Range>,
    /// The bytes of each part, a multiple of the allocation granularity.
    size: usize,
    len: usize,
    element: PhantomData<T>,
}

impl<T: DeviceCopy + Multimem + bytemuck::Pod> MulticastBuffer<T> {
    /// Makes a buffer of `len` zeroes on each of `devices`.
    ///
    /// # Errors
    /// The driver's error: `CUDA_ERROR_NOT_SUPPORTED` if the devices have no
    /// multicast, `CUDA_ERROR_INVALID_VALUE` if the list is empty or contains a device
    /// twice, or `CUDA_ERROR_OUT_OF_MEMORY`.
    #[track_caller]
    pub fn zeroed(devices: &[Device], len: usize) -> Result<Self, DriverError> {
        let at = Location::caller();
        let mut made = Self {
            members: Vec::new(),
            object: None,
            range: None,
            size: 0,
            len,
            element: PhantomData,
        };
        let Some(first) = devices.first() else {
            let invalid = CUresult::ERROR_INVALID_VALUE;
            return Err(refused(invalid, "a buffer on no device".into(), at));
        };
        first.make_current(at)?;
        let bytes = len.saturating_mul(size_of::<T>()).max(1);
        let mut properties = CUmulticastObjectProp {
            num_devices: devices.len() as u32,
            size: bytes,
            handle_types: 0,
            flags: 0,
        };
        let mut granule = 0;
        // SAFETY: the pointers lead to local variables.
        let result = unsafe { api::cuMulticastGetGranularity(&mut granule, &properties, 0) };
        DriverError::check("cuMulticastGetGranularity", result, at)?;
        let whole = bytes.checked_next_multiple_of(granule.max(1));
        made.size = whole.unwrap_or(usize::MAX / 2 / granule.max(1) * granule.max(1));
        properties.size = made.size;
        let mut object = 0;
        // SAFETY: as above.
        let result = unsafe { api::cuMulticastCreate(&mut object, &properties) };
        DriverError::check("cuMulticastCreate", result, at)?;
        made.object = Some(object);
        for device in devices {
            // SAFETY: the call accesses no memory.
            let result = unsafe { api::cuMulticastAddDevice(object, device.number()) };
            DriverError::check("cuMulticastAddDevice", result, at)?;
        }
        for device in devices {
            made.add(device, object, at)?;
        }
        first.make_current(at)?;
        let range = made.range.insert(reserve(made.size, at)?);
        map(range, made.size, object, devices, at)?;
        Ok(made)
    }

    /// Allocates the part of a device, and binds it to the multicast object.
    fn add(
        &mut self,
        device: &Device,
        object: u64,
        at: &'static Location<'static>,
    ) -> Result<(), DriverError> {
        device.make_current(at)?;
        let size = self.size;
        // The member is added to the list first, so that its memory is released if a
        // later call fails.
        self.members.push(Member {
            device: device.clone(),
            memory: None,
            range: None,
        });
        let Some(member) = self.members.last_mut() else {
            return Ok(());
        };
        let properties = CUmemAllocationProp {
            kind: PINNED,
            handle_types: 0,
            location: CUmemLocation {
                kind: ON_DEVICE,
                id: device.number(),
            },
            win32: std::ptr::null_mut(),
            flags: [0; 8],
        };
        let mut memory = 0;
        // SAFETY: the pointers lead to local variables.
        let result = unsafe { api::cuMemCreate(&mut memory, size, &properties, 0) };
        DriverError::check("cuMemCreate", result, at)?;
        member.memory = Some(memory);
        // SAFETY: both handles were made above.
        let result = unsafe { api::cuMulticastBindMem(object, 0, memory, 0, size, 0) };
        DriverError::check("cuMulticastBindMem", result, at)?;
        let range = member.range.insert(reserve(size, at)?);
        map(range, size, memory, std::slice::from_ref(device), at)?;
        // SAFETY: this many bytes are mapped there for this device, and nothing else uses them.
        let result = unsafe { api::cuMemsetD8_v2(range.address, 0, size) };
        DriverError::check("cuMemsetD8", result, at)
    }

    /// Returns the number of elements on each device.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the parts have no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the devices, in the order of the part numbers.
    pub fn devices(&self) -> impl Iterator<Item = &Device> {
        self.members.iter().map(|member| &member.device)
    }

    /// Waits until every kernel on all devices has ended, and returns part number `part`, copied
    /// to the host.
    ///
    /// # Errors
    /// The driver's error, for example the fault of a kernel that ran before.
    /// `CUDA_ERROR_INVALID_VALUE` if there is no such part.
    #[track_caller]
    pub fn to_vec(&self, part: usize) -> Result<Vec<T>, DriverError> {
        let at = Location::caller();
        let address = self.part(part, at)?;
        let mut host = vec![T::zeroed(); self.len];
        if self.len > 0 {
            let bytes = std::mem::size_of_val(host.as_slice());
            // SAFETY: the vector and the part have this many bytes, and any bytes are
            // a valid value.
            let result = unsafe { api::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), address, bytes) };
            DriverError::check("cuMemcpyDtoH", result, at)?;
        }
        Ok(host)
    }

    /// Waits until every kernel on all devices has ended, and replaces part number `part`.
    ///
    /// # Errors
    /// As [`MulticastBuffer::to_vec`]; `CUDA_ERROR_INVALID_VALUE` if `host` and the part
    /// differ in length.
    #[track_caller]
    pub fn copy_from_slice(&mut self, part: usize, host: &[T]) -> Result<(), DriverError> {
        let at = Location::caller();
        if host.len() != self.len {
            let invalid = CUresult::ERROR_INVALID_VALUE;
            let text = format!("{} elements for a part of {}", host.len(), self.len);
            return Err(refused(invalid, text, at));
        }
        let address = self.part(part, at)?;
        if host.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::size_of_val(host);
        // SAFETY: the slice and the part have this many bytes, and no kernel uses the part.
        let result = unsafe { api::cuMemcpyHtoD_v2(address, host.as_ptr().cast(), bytes) };
        DriverError::check("cuMemcpyHtoD", result, at)?;
        // A copy from pageable memory may return before the data is on the device.
        self.synchronize(at)
    }

    /// Waits for all devices, makes the device of a part current, and returns the part's address.
    fn part(&self, part: usize, at: &'static Location<'static>) -> Result<u64, DriverError> {
        let found = self.members.get(part);
        let Some((member, range)) = found.and_then(|member| Some((member, member.range?))) else {
            let invalid = CUresult::ERROR_INVALID_VALUE;
            let text = format!("part {part} of a buffer on {} devices", self.members.len());
            return Err(refused(invalid, text, at));
        };
        self.synchronize(at)?;
        member.device.make_current(at)?;
        Ok(range.address)
    }
}

impl<T> MulticastBuffer<T> {
    fn synchronize(&self, at: &'static Location<'static>) -> Result<(), DriverError> {
        let mut devices = self.members.iter().map(|member| &member.device);
        devices.try_for_each(|device| device.synchronize_at(at))
    }

    /// Releases all memory and addresses. No kernel may use the buffer.
    fn release(&mut self, at: &'static Location<'static>) {
        let size = self.size;
        let first = self.members.first().map(|member| member.device.clone());
        // Errors are ignored, because the caller could not handle them.
        let give_back = |range: Range| {
            // SAFETY: this buffer has reserved and mapped the range, and no kernel uses it.
            unsafe {
                if range.mapped {
                    let _ = api::cuMemUnmap(range.address, size);
                }
                let _ = api::cuMemAddressFree(range.address, size);
            }
        };
        if first.is_some_and(|device| device.make_current(at).is_ok()) {
            self.range.take().into_iter().for_each(give_back);
        }
        for member in &mut self.members {
            if member.device.make_current(at).is_err() {
                continue;
            }
            // SAFETY: this buffer owns the handles, and they are released here only.
            unsafe {
                if let (Some(object), Some(_)) = (self.object, member.memory) {
                    let _ = api::cuMulticastUnbind(object, member.device.number(), 0, size);
                }
                member.range.take().into_iter().for_each(give_back);
                if let Some(memory) = member.memory.take() {
                    let _ = api::cuMemRelease(memory);
                }
            }
        }
        if let Some(object) = self.object.take() {
            // SAFETY: as above.
            let _ = unsafe { api::cuMemRelease(object) };
        }
    }
}

impl<T> Drop for MulticastBuffer<T> {
    fn drop(&mut self) {
        late::end_behind_recordings(
            recording::is_recording(),
            Ending(ManuallyDrop::new(MulticastBuffer {
                members: std::mem::take(&mut self.members),
                object: self.object.take(),
                range: self.range.take(),
                size: self.size,
                len: self.len,
                element: PhantomData,
            })),
        );
    }
}

/// A multicast buffer that was dropped.
struct Ending(ManuallyDrop<MulticastBuffer<()>>);

impl Drop for Ending {
    fn drop(&mut self) {
        let at = Location::caller();
        // After a fault nothing can be released.
        if self.0.synchronize(at).is_ok() {
            self.0.release(at);
        }
        self.0.members.clear();
    }
}

/// Makes an error that this crate reports itself.
fn refused(code: CUresult, text: String, at: &'static Location<'static>) -> DriverError {
    let error = DriverError::check("MulticastBuffer", code, at).err();
    match error {
        Some(error) => error.with_report(text),
        None => unreachable!("a code that is no success"),
    }
}

fn reserve(size: usize, at: &'static Location<'static>) -> Result<Range, DriverError> {
    let mut address = 0;
    // SAFETY: the result is written to a local variable.
    let result = unsafe { api::cuMemAddressReserve(&mut address, size, 0, 0, 0) };
    DriverError::check("cuMemAddressReserve", result, at)?;
    Ok(Range {
        address,
        mapped: false,
    })
}

/// Maps a handle at a reserved range, for these devices to read and write.
fn map(
    range: &mut Range,
    size: usize,
    handle: u64,
    devices: &[Device],
    at: &'static Location<'static>,
) -> Result<(), DriverError> {
    // SAFETY: the range was reserved with this many bytes, and nothing is mapped there.
    let result = unsafe { api::cuMemMap(range.address, size, 0, handle, 0) };
    DriverError::check("cuMemMap", result, at)?;
    range.mapped = true;
    let access: Vec<CUmemAccessDesc> = devices
        .iter()
        .map(|device| CUmemAccessDesc {
            location: CUmemLocation {
                kind: ON_DEVICE,
                id: device.number(),
            },
            flags: READ_WRITE,
        })
        .collect();
    // SAFETY: the pointer leads to `access.len()` descriptions.
    let result: CUresult =
        unsafe { api::cuMemSetAccess(range.address, size, access.as_ptr(), access.len()) };
    DriverError::check("cuMemSetAccess", result, at)
}

// SAFETY: every device of the buffer can access the address, and there is memory for this many
// elements from it on. Freeing the buffer waits for the kernels of all devices, and so do the
// host's accesses. Kernels access it only with `multimem`, which is relaxed and of system scope.
unsafe impl<T: DeviceCopy + Multimem + bytemuck::Pod> Argument<Multicast<T>>
    for &MulticastBuffer<T>
{
    fn pass(self, list: &mut ArgumentList<'_>) -> Result<(), DriverError> {
        let at = Location::caller();
        let device = list.stream().device();
        if !self.devices().any(|member| member == device) {
            let text = format!(
                "the kernel would run on device {}, which has no part in the buffer",
                device.ordinal()
            );
            let invalid = CUresult::ERROR_INVALID_VALUE;
            return Err(refused(invalid, text, at));
        }
        if list.is_recording() {
            let text =
                "a graph may run when the buffer is gone: multicast buffers are not recorded";
            let code = CUresult::ERROR_STREAM_CAPTURE_UNSUPPORTED;
            return Err(refused(code, text.into(), at));
        }
        let address = self.range.map_or(0, |range| range.address);
        // SAFETY: as above.
        list.push(unsafe { Multicast::<T>::from_raw_parts(address, self.len) });
        Ok(())
    }
}
