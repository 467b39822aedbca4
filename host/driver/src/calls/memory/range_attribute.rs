//! The calls of "Unified Addressing" for attributes of ranges of managed memory.

use super::pointer::managed;
use crate::abi::{CUdeviceptr, c_int, c_uint, c_void};
use crate::calls::present;
use crate::error::{Result, ensure, fail};
use crate::objects::context;
use crate::objects::memory::managed::{Advice, NOWHERE, parts};

/// The values of `CUmem_range_attribute`.
mod attribute {
    pub(super) const READ_MOSTLY: u32 = 1;
    pub(super) const PREFERRED_LOCATION: u32 = 2;
    pub(super) const ACCESSED_BY: u32 = 3;
    pub(super) const LAST_PREFETCH_LOCATION: u32 = 4;
}

/// Returns the value that all parts have, or `otherwise` if they differ.
fn common(parts: &[Advice], of: impl Fn(&Advice) -> c_int, otherwise: c_int) -> c_int {
    let first = parts.first().map(&of);
    let agree = parts.iter().all(|part| Some(of(part)) == first);
    first.filter(|_| agree).unwrap_or(otherwise)
}

/// # Safety
/// `data` is null or valid for writes of `size` bytes.
unsafe fn one(
    data: *mut c_void,
    size: usize,
    which: c_uint,
    address: CUdeviceptr,
    count: usize,
) -> Result {
    present(data, "data")?;
    let known = parts(address, count as u64);
    let ints: Vec<c_int> = match which {
        attribute::READ_MOSTLY => vec![common(&known, |part| part.read_mostly.into(), 0)],
        attribute::PREFERRED_LOCATION => vec![common(&known, |part| part.preferred, NOWHERE)],
        attribute::LAST_PREFETCH_LOCATION => vec![common(&known, |part| part.prefetched, NOWHERE)],
        attribute::ACCESSED_BY => {
            let all = known.iter().map(|part| part.accessed_by.clone());
            let common = all.reduce(|a, b| &a & &b).unwrap_or_default();
            // As many devices as there is room for. The rest is filled with "no device".
            let mut devices: Vec<c_int> = common.into_iter().take(size / 4).collect();
            devices.resize(size / 4, NOWHERE);
            devices
        }
        5..=8 => fail!(
            ERROR_NOT_SUPPORTED,
            "attribute {which}, a location's type or id; ask for CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION (2) or \
             LAST_PREFETCH_LOCATION (4)"
        ),
        other => fail!(ERROR_INVALID_VALUE, "{other} is no CUmem_range_attribute"),
    };
    ensure!(
        size > 0 && size.is_multiple_of(4) && ints.len() * 4 == size,
        ERROR_INVALID_VALUE,
        "dataSize is {size}; attribute {which} has 4 bytes{}",
        if which == attribute::ACCESSED_BY {
            " for each device"
        } else {
            ""
        }
    );
    // SAFETY: by the caller's contract there are `size` bytes, which the integers have too. No
    // alignment is required.
    unsafe { std::ptr::copy_nonoverlapping(ints.as_ptr().cast::<u8>(), data.cast(), size) };
    Ok(())
}

pub(crate) unsafe fn attribute(
    data: *mut c_void,
    size: usize,
    which: c_uint,
    address: CUdeviceptr,
    count: usize,
) -> Result {
    context::current()?;
    managed(address, count)?;
    // SAFETY: the caller keeps the contract.
    unsafe { one(data, size, which, address, count) }
}

pub(crate) unsafe fn attributes(
    data: *mut *mut c_void,
    sizes: *mut usize,
    which: *mut c_uint,
    attributes: usize,
    address: CUdeviceptr,
    count: usize,
) -> Result {
    context::current()?;
    present(data, "data")?;
    present(sizes, "dataSizes")?;
    present(which, "attributes")?;
    ensure!(
        attributes > 0,
        ERROR_INVALID_VALUE,
        "no attributes are asked for"
    );
    managed(address, count)?;
    for i in 0..attributes {
        // SAFETY: by the caller's contract each list has this many elements, and each buffer as
        // many bytes as its size specifies.
        unsafe {
            one(
                data.add(i).read(),
                sizes.add(i).read(),
                which.add(i).read(),
                address,
                count,
            )?;
        }
    }
    Ok(())
}
