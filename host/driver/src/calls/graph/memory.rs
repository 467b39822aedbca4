//! The graph memory of a device: the bytes that allocation nodes use and reserve.

use crate::abi::enums::graph_memory_attribute as attribute;
use crate::abi::*;
use crate::calls::{present, put};
use crate::error::{Result, ensure, fail};
use crate::objects::device;
use crate::objects::graph::{self, Kind};
use crate::objects::memory::graph_memory;

pub(crate) unsafe fn params(node: CUgraphNode, found: *mut c_void) -> Result {
    let node = graph::node(node)?;
    let found_params = match &*node.kind.lock() {
        Kind::Alloc(reserved) => {
            let [allocation_kind, handle_types, kind, id] = reserved.described;
            CUDA_MEM_ALLOC_NODE_PARAMS {
                pool_props: CUmemPoolProps {
                    allocation_kind,
                    handle_types,
                    location: CUmemLocation {
                        kind,
                        id: id as c_int,
                    },
                    win32_security_attributes: std::ptr::null_mut(),
                    max_size: 0,
                    usage: 0,
                    reserved: [0; 54],
                },
                access_descs: std::ptr::null(),
                access_desc_count: 0,
                bytesize: reserved.bytes as usize,
                dptr: reserved.address,
            }
        }
        other => return super::params::wrong("allocation", other),
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(found.cast(), found_params, "params_out") }
}

pub(crate) unsafe fn trim(device: CUdevice) -> Result {
    // Unused memory was released when its graph was destroyed.
    device::get(device).map(|_| ())
}

pub(crate) unsafe fn attribute(device: CUdevice, which: c_uint, value: *mut c_void) -> Result {
    let device = device::get(device)?.ordinal;
    let found = match which {
        attribute::USED_MEM_CURRENT => graph_memory::now(device).used,
        attribute::USED_MEM_HIGH => graph_memory::high(device).used,
        attribute::RESERVED_MEM_CURRENT => graph_memory::now(device).reserved,
        attribute::RESERVED_MEM_HIGH => graph_memory::high(device).reserved,
        other => fail!(ERROR_INVALID_VALUE, "{other} is no CUgraphMem_attribute"),
    };
    // SAFETY: by the caller's contract the value has 64 bits.
    unsafe { put(value.cast::<u64>(), found, "value") }
}

pub(crate) unsafe fn set_attribute(device: CUdevice, which: c_uint, value: *mut c_void) -> Result {
    let device = device::get(device)?.ordinal;
    present(value, "value")?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to 64 bits.
    let to = unsafe { value.cast::<u64>().read() };
    ensure!(
        to == 0,
        ERROR_INVALID_VALUE,
        "a high-water mark can be set to 0 only, which starts it anew; got {to}"
    );
    match which {
        attribute::USED_MEM_HIGH => {
            graph_memory::reset_high(device, |high, now| high.used = now.used)
        }
        attribute::RESERVED_MEM_HIGH => {
            graph_memory::reset_high(device, |high, now| high.reserved = now.reserved);
        }
        other => fail!(
            ERROR_INVALID_VALUE,
            "{other} is no CUgraphMem_attribute that can be set"
        ),
    }
    Ok(())
}
