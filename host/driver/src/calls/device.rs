//! The calls of "Device Management", and those of "Unified Addressing" and "Peer Context Memory
//! Access" that query a device.

use super::{present, put, text};
use crate::abi::{CUdevice, CUdevprop, CUuuid, c_char, c_int, c_uint};
use crate::error::{Result, ensure, fail};
use crate::objects::attributes;
use crate::objects::device::{self, Device};

pub(crate) unsafe fn get(handle: *mut CUdevice, ordinal: c_int) -> Result {
    let device = device::get(ordinal)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, device.ordinal, "device") }
}

pub(crate) unsafe fn count(count: *mut c_int) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { put(count, device::all().len() as c_int, "count") }
}

pub(crate) unsafe fn name(name: *mut c_char, len: c_int, device: CUdevice) -> Result {
    let device = device::get(device)?;
    // SAFETY: by the caller's contract there is room for `len` bytes.
    unsafe { put_text(&device.sim.model().name, name, len) }
}

pub(crate) unsafe fn uuid(uuid: *mut CUuuid, device: CUdevice) -> Result {
    let device = device::get(device)?;
    let mut bytes = *b"lanewise-sim-\0\0\0";
    bytes[14] = device.sim.model().sm().to_le_bytes()[0];
    bytes[15] = device.ordinal as u8;
    // SAFETY: the caller keeps the contract.
    unsafe { put(uuid, CUuuid { bytes }, "uuid") }
}

pub(crate) unsafe fn total_memory(bytes: *mut usize, device: CUdevice) -> Result {
    let device = device::get(device)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(bytes, device.sim.memory().total() as usize, "bytes") }
}

pub(crate) unsafe fn attribute(value: *mut c_int, attribute: c_uint, device: CUdevice) -> Result {
    let device = device::get(device)?;
    match attributes::value(device, attribute) {
        // SAFETY: the caller keeps the contract.
        Some(found) => unsafe { put(value, found, "pi") },
        None => fail!(
            ERROR_INVALID_VALUE,
            "{attribute} is no CUdevice_attribute of CUDA 13.0"
        ),
    }
}

pub(crate) unsafe fn linear_texture_width(
    width: *mut usize,
    _format: c_uint,
    channels: c_uint,
    device: CUdevice,
) -> Result {
    let device = device::get(device)?;
    ensure!(
        matches!(channels, 1 | 2 | 4),
        ERROR_INVALID_VALUE,
        "textures have 1, 2 or 4 channels, not {channels}"
    );
    const MAXIMUM_TEXTURE1D_LINEAR_WIDTH: u32 = 69;
    let found = attributes::value(device, MAXIMUM_TEXTURE1D_LINEAR_WIDTH).unwrap_or(0);
    // SAFETY: the caller keeps the contract.
    unsafe { put(width, found as usize, "maxWidthInElements") }
}

pub(crate) unsafe fn properties(properties: *mut CUdevprop, device: CUdevice) -> Result {
    let model = device::get(device)?.sim.model();
    let int = |figure: u32| c_int::try_from(figure).unwrap_or(c_int::MAX);
    let found = CUdevprop {
        max_threads_per_block: int(model.limits.threads_per_block),
        max_threads_dim: model.limits.block.map(int),
        max_grid_size: model.limits.grid.map(int),
        shared_mem_per_block: int(model.limits.shared_per_block),
        total_constant_memory: int(model.limits.constant),
        simd_width: int(model.warp_size),
        mem_pitch: int(model.alignment.max_pitch),
        regs_per_block: int(model.limits.registers_per_block),
        clock_rate: int(model.clock_khz),
        texture_align: int(model.alignment.texture),
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(properties, found, "prop") }
}

pub(crate) unsafe fn compute_capability(
    major: *mut c_int,
    minor: *mut c_int,
    device: CUdevice,
) -> Result {
    let [found_major, found_minor] = device::get(device)?.sim.model().compute_capability;
    // SAFETY: the caller keeps the contract.
    unsafe {
        put(major, found_major as c_int, "major")
            .and_then(|()| put(minor, found_minor as c_int, "minor"))
    }
}

/// Returns a device's PCI address as `domain:bus:device.function`.
fn pci_address(device: &Device) -> String {
    format!("0000:{:02X}:00.0", device.ordinal + 1)
}

pub(crate) unsafe fn by_pci_address(handle: *mut CUdevice, address: *const c_char) -> Result {
    // SAFETY: the caller keeps the contract.
    let wanted = unsafe { text(address, "pciBusId")? };
    // The domain and the function may be left out.
    let matches = |device: &&Device| {
        let full = pci_address(device);
        let full = full.as_str();
        [full, &full[5..], &full[..10], &full[5..10]]
            .iter()
            .any(|form| form.eq_ignore_ascii_case(wanted))
    };
    match device::all().iter().find(matches) {
        // SAFETY: the caller keeps the contract.
        Some(device) => unsafe { put(handle, device.ordinal, "dev") },
        None => fail!(
            ERROR_INVALID_DEVICE,
            "no device has the PCI address `{wanted}`; the first is 0000:01:00.0"
        ),
    }
}

pub(crate) unsafe fn pci(address: *mut c_char, len: c_int, device: CUdevice) -> Result {
    let device = device::get(device)?;
    // SAFETY: by the caller's contract there is room for `len` bytes.
    unsafe { put_text(&pci_address(device), address, len) }
}

pub(crate) unsafe fn exec_affinity(
    supported: *mut c_int,
    _kind: c_uint,
    device: CUdevice,
) -> Result {
    device::get(device)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(supported, 0, "pi") }
}

/// Writes as much of `text` as fits into `len` bytes, with a zero byte at its end.
///
/// # Safety
/// `to` is null or valid for writes of `len` bytes.
unsafe fn put_text(text: &str, to: *mut c_char, len: c_int) -> Result {
    present(to, "name")?;
    let Some(room) = usize::try_from(len).ok().and_then(|len| len.checked_sub(1)) else {
        fail!(
            ERROR_INVALID_VALUE,
            "a buffer of {len} bytes has no room for a text; pass at least 1"
        )
    };
    let taken = text.len().min(room);
    // SAFETY: `taken` bytes and a zero byte are at most `len`, which `to` has room for.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), to, taken);
        to.add(taken).write(0);
    }
    Ok(())
}
