//! The election of one lane that acts for its warp: `elect.sync`.

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use crate::state_space::ptx;
use crate::target;

/// Returns whether this lane is the one that the hardware elects from `mask`. It elects exactly one
/// lane, and the same lane each time. Before `sm_90` it is the lowest lane.
///
/// All lanes of the mask have to execute it. Where one thread acts for its warp, this is better
/// than `lane_id() == 0`: the compiler then knows that only one thread is active.
#[doc(alias = "elect.sync")]
#[inline]
#[must_use]
pub fn elect_sync(mask: u32) -> bool {
    if target::is_at_least(90) {
        let elected: u32;
        // SAFETY: the instruction reads no memory.
        unsafe {
            ptx!("elect.sync":
                "{{ .reg .pred elected; elect.sync _|elected, {mask}; selp.u32 {elected}, 1, 0, elected; }}",
                elected = lateout(reg32) elected,
                mask = in(reg32) mask,
                options(nomem, nostack, preserves_flags),
            );
        }
        elected != 0
    } else {
        super::lane_id() == mask.trailing_zeros()
    }
}
