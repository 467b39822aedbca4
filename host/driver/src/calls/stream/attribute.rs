//! The calls of "Stream Management" for attributes of a stream. They are stored and returned. None
//! of them changes what the simulator does.

use crate::abi::enums::launch_attribute as attribute;
use crate::abi::{CUlaunchAttributeValue, CUstream, c_uint};
use crate::calls::{present, put, stream};
use crate::error::{Result, ensure};

fn check(which: c_uint) -> Result {
    ensure!(
        matches!(
            which,
            attribute::ACCESS_POLICY_WINDOW
                | attribute::SYNCHRONIZATION_POLICY
                | attribute::PRIORITY
                | attribute::MEM_SYNC_DOMAIN_MAP
                | attribute::MEM_SYNC_DOMAIN
        ),
        ERROR_INVALID_VALUE,
        "{which} is no attribute that a stream has"
    );
    Ok(())
}

pub(crate) unsafe fn get(
    handle: CUstream,
    which: c_uint,
    value: *mut CUlaunchAttributeValue,
) -> Result {
    let (_, stream) = stream(handle)?;
    check(which)?;
    let mut found = CUlaunchAttributeValue { bytes: [0; 64] };
    if which == attribute::PRIORITY {
        found.bytes[..4].copy_from_slice(&stream.priority.to_ne_bytes());
    } else if let Some(set) = stream.attributes.lock().get(&which) {
        found = *set;
    }
    // SAFETY: the caller keeps the contract.
    unsafe { put(value, found, "value_out") }
}

pub(crate) unsafe fn set(
    handle: CUstream,
    which: c_uint,
    value: *const CUlaunchAttributeValue,
) -> Result {
    let (_, stream) = stream(handle)?;
    check(which)?;
    present(value, "value")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    stream
        .attributes
        .lock()
        .insert(which, unsafe { value.read() });
    Ok(())
}

pub(crate) unsafe fn copy(to: CUstream, from: CUstream) -> Result {
    let ((to_context, to), (from_context, from)) = (stream(to)?, stream(from)?);
    ensure!(
        to_context.handle == from_context.handle,
        ERROR_INVALID_VALUE,
        "the streams are of different contexts; attributes are copied within one"
    );
    let attributes = from.attributes.lock().clone();
    *to.attributes.lock() = attributes;
    Ok(())
}
