//! One lane for all: `elect.sync`.

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

use crate::state_space::ptx;
use crate::target;

/// Whether this lane is the one of `mask` that is chosen: the same each time, and exactly one. Before `sm_90` it is the lowest.
///
/// All lanes of the mask come here. Where one thread does something for its warp it says more than `lane_id() == 0`: the compiler knows
/// then that there is one.
#[doc(alias = "elect.sync")]
#[inline]
#[must_use]
pub fn elect_sync(mask: u32) -> bool {
    if target::is_at_least(90) {
        let elected: u32;
        // SAFETY: it reads no memory.
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
