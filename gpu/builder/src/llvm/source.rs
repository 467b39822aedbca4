//! Where in the source an instruction comes from, through every call that was inlined.

use std::ffi::c_char;

use inkwell::llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetColumn,
    LLVMDILocationGetInlinedAt, LLVMDILocationGetLine, LLVMDILocationGetScope, LLVMDIScopeGetFile,
    LLVMDISubprogramGetLine, LLVMGetSubprogram, LLVMInstructionGetDebugLoc,
    LLVMInstructionSetDebugLoc,
};
use inkwell::llvm_sys::prelude::LLVMMetadataRef;
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};

/// One place in the source.
struct Location {
    raw: LLVMMetadataRef,
    line: u32,
    column: u32,
    /// The address of the function or block, as its identity.
    scope: usize,
    file: String,
}

/// The identity of an instruction in the source: line, column and scope, innermost first; each further entry is the call
/// that the one before was inlined at. Where two instructions have the same, the optimiser copied one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourceIdentity(Vec<(u32, u32, usize)>);

/// The place of an instruction, and the line and column that [`show_line_outside`] would give it.
pub(crate) fn place(
    instruction: InstructionValue<'_>,
    is_library: impl Fn(&str) -> bool,
) -> (SourceIdentity, Option<(u32, u32)>) {
    let chain = chain(instruction);
    let shown = outside(&chain, is_library).map(|at| (at.line, at.column));
    (
        SourceIdentity(
            chain
                .iter()
                .map(|at| (at.line, at.column, at.scope))
                .collect(),
        ),
        shown,
    )
}

/// `file:line` of an instruction, as [`show_line_outside`] would give it.
pub(crate) fn shown_place(
    instruction: InstructionValue<'_>,
    is_library: impl Fn(&str) -> bool,
) -> Option<String> {
    let chain = chain(instruction);
    outside(&chain, is_library).map(|at| format!("{}:{}", at.file, at.line))
}

/// `file:line` of a function.
pub(crate) fn function_place(function: FunctionValue<'_>) -> Option<String> {
    // SAFETY: the subprogram is checked to be there; LLVM owns it and its file as long as the module lives.
    unsafe {
        let subprogram = LLVMGetSubprogram(function.as_value_ref());
        if subprogram.is_null() {
            return None;
        }
        let line = LLVMDISubprogramGetLine(subprogram);
        Some(format!("{}:{line}", file(LLVMDIScopeGetFile(subprogram))))
    }
}

/// Gives an instruction the line of the innermost function that is not library.
pub(crate) fn show_line_outside(
    instruction: InstructionValue<'_>,
    is_library: impl Fn(&str) -> bool,
) {
    let chain = chain(instruction);
    if let Some(location) = outside(&chain, is_library) {
        // SAFETY: the location is one of those that the instruction was inlined at, so it belongs to the same function.
        unsafe { LLVMInstructionSetDebugLoc(instruction.as_value_ref(), location.raw) };
    }
}

/// The innermost location outside the library; where all are inside, the innermost.
fn outside(chain: &[Location], is_library: impl Fn(&str) -> bool) -> Option<&Location> {
    chain
        .iter()
        .find(|at| !is_library(&at.file))
        .or(chain.first())
}

/// All locations of an instruction, innermost first; none where it has none.
fn chain(instruction: InstructionValue<'_>) -> Vec<Location> {
    let mut chain = Vec::new();
    // SAFETY: each location is checked to be there; LLVM owns them, their scopes and files as long as the module lives.
    unsafe {
        let mut raw = LLVMInstructionGetDebugLoc(instruction.as_value_ref());
        while !raw.is_null() {
            let scope = LLVMDILocationGetScope(raw);
            let (line, column) = (LLVMDILocationGetLine(raw), LLVMDILocationGetColumn(raw));
            chain.push(Location {
                raw,
                line,
                column,
                scope: scope as usize,
                file: file(LLVMDIScopeGetFile(scope)),
            });
            raw = LLVMDILocationGetInlinedAt(raw);
        }
    }
    chain
}

/// The name of a file, with its folder where the name is relative.
fn file(file: LLVMMetadataRef) -> String {
    if file.is_null() {
        return String::new();
    }
    // SAFETY: `file` is a file's metadata; LLVM gives each string with its length, and keeps it while the module lives.
    unsafe {
        let name = text(|length| LLVMDIFileGetFilename(file, length));
        let folder = text(|length| LLVMDIFileGetDirectory(file, length));
        if name.starts_with('/') || folder.is_empty() {
            name
        } else {
            format!("{folder}/{name}")
        }
    }
}

/// A string that LLVM gives by address and length.
///
/// # Safety
/// `get` writes the length of the bytes that it points to.
unsafe fn text(get: impl FnOnce(*mut u32) -> *const c_char) -> String {
    let mut length = 0;
    let start = get(&mut length);
    if start.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast(), length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}
