//! Video instructions: they apply `semantics::video` lane by lane.
//!
//! PTX ISA 9.7.18. They are rare and have many forms. The form of each instruction is in a list
//! of the program.

use crate::machine::core::Core;
use crate::machine::lane::lanes;
use crate::machine::op::Op;

/// Row `d` gets the result of video instruction `aux` for rows `a`, `b` and `c`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn video(core: &mut Core<'_>, op: *const Op) -> *const Op {
    // SAFETY: the decoder gave this operation `u32` rows and an index into the list.
    unsafe {
        let o = &*op;
        let what = core.run.program.videos[o.aux as usize];
        for lane in lanes(core.mask(o)) {
            let (a, b) = (core.lanes::<u32>(o.a)[lane], core.lanes::<u32>(o.b)[lane]);
            let c = core.lanes::<u32>(o.c)[lane];
            core.lanes::<u32>(o.d)[lane] = what.apply(a, b, c);
        }
        op.wrapping_add(1)
    }
}
