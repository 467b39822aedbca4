//! From what ended a simulated kernel to the code that the driver returns for it.
//!
//! Source: CUDA driver API reference, `CUresult`: each of these leaves the context unusable. A launch that could not be is
//! no fault: it returns at once and the context goes on.

use crate::abi::CUresult;
use crate::error::Error;
use sim::{Fault, LaunchError};

/// The error that the context keeps after a kernel ended this way.
pub(crate) fn error(fault: &Fault) -> Error {
    let code = match fault {
        Fault::Launch(refused) => return Error::new(refusal(refused), refused),
        Fault::IllegalAddress(_) => CUresult::ERROR_ILLEGAL_ADDRESS,
        Fault::Misaligned(_) => CUresult::ERROR_MISALIGNED_ADDRESS,
        Fault::AddressSpace(_) => CUresult::ERROR_INVALID_ADDRESS_SPACE,
        Fault::InvalidPc(_) => CUresult::ERROR_INVALID_PC,
        Fault::IllegalInstruction(_) => CUresult::ERROR_ILLEGAL_INSTRUCTION,
        Fault::HardwareStack(_) => CUresult::ERROR_HARDWARE_STACK_ERROR,
        Fault::Timeout(_) => CUresult::ERROR_LAUNCH_TIMEOUT,
        Fault::Assert(_) => CUresult::ERROR_ASSERT,
        _ => CUresult::ERROR_LAUNCH_FAILED,
    };
    Error::loud(code, fault)
}

/// The code of a launch that was refused.
fn refusal(refused: &LaunchError) -> CUresult {
    match refused {
        LaunchError::UnknownKernel { .. } => CUresult::ERROR_NOT_FOUND,
        LaunchError::OtherDevice => CUresult::ERROR_INVALID_CONTEXT,
        LaunchError::Local { .. } => CUresult::ERROR_LAUNCH_OUT_OF_RESOURCES,
        LaunchError::Cluster { .. } => CUresult::ERROR_INVALID_CLUSTER_SIZE,
        LaunchError::Memory(_) => CUresult::ERROR_OUT_OF_MEMORY,
        _ => CUresult::ERROR_INVALID_VALUE,
    }
}
