//! Where in the source an instruction comes from, through every call that was inlined.

use inkwell::llvm_sys::debuginfo::{
    LLVMDILocationGetColumn, LLVMDILocationGetInlinedAt, LLVMDILocationGetLine,
    LLVMDILocationGetScope, LLVMInstructionGetDebugLoc,
};
use inkwell::values::{AsValueRef, InstructionValue};

/// Line, column and scope, innermost first; each further entry is the call that the one before was inlined at. Two
/// instructions with equal places are one in the source: the optimiser copied it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place(Vec<(u32, u32, usize)>);

impl Place {
    /// The innermost line and column, which `.loc` shows.
    pub(crate) fn line(&self) -> Option<(u32, u32)> {
        self.0.first().map(|(line, column, _)| (*line, *column))
    }
}

/// The place of an instruction; empty where it has none.
pub(crate) fn place(instruction: InstructionValue<'_>) -> Place {
    let mut place = Vec::new();
    // SAFETY: each location is checked to be there; LLVM owns them as long as the module lives. The scope's address only
    // serves as its identity.
    unsafe {
        let mut at = LLVMInstructionGetDebugLoc(instruction.as_value_ref());
        while !at.is_null() {
            let scope = LLVMDILocationGetScope(at) as usize;
            place.push((
                LLVMDILocationGetLine(at),
                LLVMDILocationGetColumn(at),
                scope,
            ));
            at = LLVMDILocationGetInlinedAt(at);
        }
    }
    Place(place)
}
