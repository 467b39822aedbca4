//! Programmatic dependent launch, from `sm_90`: launches that begin before the previous
//! kernel has ended.
//!
//! A stream's kernels run one after another. A launch with `LaunchConfig::with_programmatic_start`
//! may begin earlier: as soon as every block of the previous kernel has called
//! [`launch_dependents`] or ended. Work that does not depend on the previous kernel then overlaps
//! with that kernel's end. The kernel calls [`wait`] before all other work. CUDA C++ Programming
//! Guide, "Programmatic Dependent Launch and Synchronization"; PTX ISA, "griddepcontrol".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use crate::state_space::ptx;
use crate::target;

/// Lets the next kernel of the stream begin, if its launch requested an early start and all blocks
/// of this grid have called this function or ended. It does not make this thread's writes visible:
/// the next kernel's [`wait`] waits for the end of this grid.
#[doc(alias = "cudaTriggerProgrammaticLaunchCompletion")]
#[doc(alias = "griddepcontrol.launch_dependents")]
#[inline]
pub fn launch_dependents() {
    if target::is_at_least(90) {
        // SAFETY: the instruction accesses no memory.
        unsafe {
            ptx!("griddepcontrol.launch_dependents": "griddepcontrol.launch_dependents;", options(nostack, preserves_flags));
        }
    }
}

/// Waits until the previous kernels have ended. After it, this thread sees what they wrote. In a
/// launch that did not begin early, it returns at once.
#[doc(alias = "cudaGridDependencySynchronize")]
#[doc(alias = "griddepcontrol.wait")]
#[inline]
pub fn wait() {
    if target::is_at_least(90) {
        // SAFETY: the instruction accesses no memory.
        unsafe {
            ptx!("griddepcontrol.wait": "griddepcontrol.wait;", options(nostack, preserves_flags));
        }
    }
}
