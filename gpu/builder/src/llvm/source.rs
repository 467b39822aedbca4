//! The source location of an instruction, through every call that was inlined.

use std::collections::HashMap;
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
    line: u32,
    column: u32,
    /// The address of the function or block, which identifies it.
    scope: usize,
    file: String,
}

/// The identity of an instruction in the source: line, column and scope, innermost first. Each
/// further entry is the call where the entry before it was inlined. If two instructions have the
/// same identity, the optimiser copied one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourceIdentity(Vec<(u32, u32, usize)>);

/// Returns the place of an instruction, and the line and column that [`LinesOutside`]
/// would give it.
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

/// Returns the `file:line` of an instruction, as [`LinesOutside`] would give it.
pub(crate) fn shown_place(
    instruction: InstructionValue<'_>,
    is_library: impl Fn(&str) -> bool,
) -> Option<String> {
    let chain = chain(instruction);
    outside(&chain, is_library).map(|at| format!("{}:{}", at.file, at.line))
}

/// Returns the `file:line` of a function.
pub(crate) fn function_place(function: FunctionValue<'_>) -> Option<String> {
    // SAFETY: the subprogram is checked to exist. LLVM owns it and its file while the module lives.
    unsafe {
        let subprogram = LLVMGetSubprogram(function.as_value_ref());
        if subprogram.is_null() {
            return None;
        }
        let line = LLVMDISubprogramGetLine(subprogram);
        Some(format!("{}:{line}", file(LLVMDIScopeGetFile(subprogram))))
    }
}

/// Gives instructions the line of the innermost function that is not in a library. Many
/// instructions share a location, and many locations share a file, so the results are
/// cached for both.
pub(crate) struct LinesOutside<F> {
    is_library: F,
    /// The location that is shown for a location.
    shown: HashMap<LLVMMetadataRef, LLVMMetadataRef>,
    /// Whether each file belongs to a library.
    files: HashMap<LLVMMetadataRef, bool>,
}

impl<F: Fn(&str) -> bool> LinesOutside<F> {
    pub(crate) fn new(is_library: F) -> Self {
        LinesOutside {
            is_library,
            shown: HashMap::new(),
            files: HashMap::new(),
        }
    }

    /// Sets the instruction's line. All instructions belong to one module, which must live as long
    /// as this value.
    pub(crate) fn show(&mut self, instruction: InstructionValue<'_>) {
        // SAFETY: the instruction is live. Its location belongs to its function, and so do the
        // locations where that one was inlined.
        unsafe {
            let innermost = LLVMInstructionGetDebugLoc(instruction.as_value_ref());
            if innermost.is_null() {
                return;
            }
            let shown = match self.shown.get(&innermost) {
                Some(shown) => *shown,
                None => {
                    let shown = self.outside(innermost);
                    self.shown.insert(innermost, shown);
                    shown
                }
            };
            if shown != innermost {
                LLVMInstructionSetDebugLoc(instruction.as_value_ref(), shown);
            }
        }
    }

    /// Returns the same location as [`outside`].
    ///
    /// # Safety
    /// `innermost` is a location of a live module.
    unsafe fn outside(&mut self, innermost: LLVMMetadataRef) -> LLVMMetadataRef {
        let mut at = innermost;
        while !at.is_null() {
            // SAFETY: the location exists. LLVM owns it, its scope and its file while
            // the module lives.
            let (file_at, outer) = unsafe {
                (
                    LLVMDIScopeGetFile(LLVMDILocationGetScope(at)),
                    LLVMDILocationGetInlinedAt(at),
                )
            };
            let is_library = &self.is_library;
            let known = self.files.entry(file_at);
            if !*known.or_insert_with(|| is_library(&file(file_at))) {
                return at;
            }
            at = outer;
        }
        innermost
    }
}

/// Returns the innermost location outside the libraries, or the innermost of all if
/// none is outside.
fn outside(chain: &[Location], is_library: impl Fn(&str) -> bool) -> Option<&Location> {
    chain
        .iter()
        .find(|at| !is_library(&at.file))
        .or(chain.first())
}

/// Returns all locations of an instruction, innermost first. An instruction without a
/// location has none.
fn chain(instruction: InstructionValue<'_>) -> Vec<Location> {
    let mut chain = Vec::new();
    // SAFETY: each location is checked to exist. LLVM owns the locations, their scopes and files
    // while the module lives.
    unsafe {
        let mut raw = LLVMInstructionGetDebugLoc(instruction.as_value_ref());
        while !raw.is_null() {
            let scope = LLVMDILocationGetScope(raw);
            let (line, column) = (LLVMDILocationGetLine(raw), LLVMDILocationGetColumn(raw));
            chain.push(Location {
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

/// Returns the name of a file, with its folder if the name is relative.
fn file(file: LLVMMetadataRef) -> String {
    if file.is_null() {
        return String::new();
    }
    // SAFETY: `file` is the metadata of a file. LLVM returns each string with its length, and keeps
    // it while the module lives.
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

/// Returns a string that LLVM gives by address and length.
///
/// # Safety
/// `get` writes the length of the bytes that it points to.
unsafe fn text(get: impl FnOnce(*mut u32) -> *const c_char) -> String {
    let mut length = 0;
    let start = get(&mut length);
    if start.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: the caller guarantees that the length is that of the bytes.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast(), length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}
