//! Converts the fault that ended a simulated kernel to the code that the driver returns for it.
//!
//! Source: CUDA driver API reference, `CUresult`: each of these codes leaves the context unusable.
//! A launch that is refused is no fault: the call returns at once, and the context stays usable.

pub(crate) mod host_finding;

use crate::abi::CUresult;
use crate::error::Error;
use lanewise_sim::{Fault, Finding, LaunchError};

/// Returns the error that the context stores after a kernel has ended with this fault.
pub(crate) fn error(fault: &Fault) -> Error {
    let code = match fault {
        Fault::Launch(refused) => return refused_launch(refused),
        Fault::IllegalAddress(_) => CUresult::ERROR_ILLEGAL_ADDRESS,
        Fault::Misaligned(_) => CUresult::ERROR_MISALIGNED_ADDRESS,
        Fault::InvalidPc(_) => CUresult::ERROR_INVALID_PC,
        Fault::IllegalInstruction(_) => CUresult::ERROR_ILLEGAL_INSTRUCTION,
        Fault::HardwareStack(_) => CUresult::ERROR_HARDWARE_STACK_ERROR,
        Fault::Timeout(_) => CUresult::ERROR_LAUNCH_TIMEOUT,
        Fault::Assert(_) => CUresult::ERROR_ASSERT,
        _ => CUresult::ERROR_LAUNCH_FAILED,
    };
    Error::loud(code, fault)
}

/// Returns the error of a launch in which checks had findings. To the program it is a fault,
/// although no GPU would have reported it.
pub(crate) fn found(findings: &[Finding]) -> Error {
    /// The largest number of reports that are shown. Many races have one cause.
    const SHOWN: usize = 4;
    let mut texts: Vec<String> = findings
        .iter()
        .take(SHOWN)
        .map(Finding::to_string)
        .collect();
    if findings.len() > SHOWN {
        texts.push(format!("and {} more findings", findings.len() - SHOWN));
    }
    Error::loud(CUresult::ERROR_LAUNCH_FAILED, texts.join("\n"))
}

/// Returns the error of a launch that the simulator refuses. Nothing has run, and the
/// context stays usable.
pub(crate) fn refused_launch(refused: &LaunchError) -> Error {
    let code = match refused {
        LaunchError::UnknownKernel { .. } => CUresult::ERROR_NOT_FOUND,
        LaunchError::Refused { .. } => CUresult::ERROR_NOT_SUPPORTED,
        LaunchError::OtherDevice => CUresult::ERROR_INVALID_CONTEXT,
        LaunchError::Local { .. } | LaunchError::Registers { .. } => {
            CUresult::ERROR_LAUNCH_OUT_OF_RESOURCES
        }
        LaunchError::Cluster { .. } => CUresult::ERROR_INVALID_CLUSTER_SIZE,
        LaunchError::Cooperative { .. } => CUresult::ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
        LaunchError::Memory(_) => CUresult::ERROR_OUT_OF_MEMORY,
        _ => CUresult::ERROR_INVALID_VALUE,
    };
    Error::new(code, refused)
}
