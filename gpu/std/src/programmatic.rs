//! Launches that begin before the one ahead of them has ended: programmatic dependent launch, from `sm_90`.
//!
//! A stream's kernels run one after another. A launch that says so (`LaunchConfig::with_programmatic_start`) may begin earlier: as soon as every block of the kernel ahead has called
//! [`launch_dependents`] or ended. What it does that does not depend on the kernel ahead then overlaps with that one's end; before the rest
//! stands [`wait`].
//! CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization"; PTX ISA, "griddepcontrol".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use crate::state_space::ptx;
use crate::target;

/// Lets the next kernel of the stream begin, if its launch asked for that and all blocks of this grid have said so. What this thread writes is not
/// said to be there: the next kernel's [`wait`] is for the end of this grid.
#[doc(alias = "cudaTriggerProgrammaticLaunchCompletion")]
#[doc(alias = "griddepcontrol.launch_dependents")]
#[inline]
pub fn launch_dependents() {
    if target::is_at_least(90) {
        // SAFETY: names no memory.
        unsafe {
            ptx!("griddepcontrol.launch_dependents": "griddepcontrol.launch_dependents;", options(nostack, preserves_flags));
        }
    }
}

/// Waits until the kernels ahead, which this one may have begun before the end of, have ended; what they wrote is seen after. In a launch that did not begin
/// early there is nothing to wait for.
#[doc(alias = "cudaGridDependencySynchronize")]
#[doc(alias = "griddepcontrol.wait")]
#[inline]
pub fn wait() {
    if target::is_at_least(90) {
        // SAFETY: names no memory.
        unsafe {
            ptx!("griddepcontrol.wait": "griddepcontrol.wait;", options(nostack, preserves_flags));
        }
    }
}
