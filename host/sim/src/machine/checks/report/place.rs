//! The place of an operation: its kernel, its line of the PTX, the line of the user's source,
//! and the thread.

use crate::machine::lane::LANES;
use crate::machine::launch::run::Run;
use crate::machine::op::Op;
use crate::machine::program::Program;
use crate::report::{Place, SourcePlace};

/// Returns the index of an operation, if the pointer is to one.
pub(in crate::machine) fn index(program: &Program, op: *const Op) -> Option<usize> {
    let offset = (op as usize).checked_sub(program.ops.as_ptr() as usize)?;
    Some(offset / size_of::<Op>()).filter(|&index| index < program.ops.len())
}

/// Returns whether a file is part of Rust's or the device's library, of a crate from a registry, or
/// of an installed C++ library.
fn is_library(file: &str) -> bool {
    let starts = ["/rustc/", "/lanewise-std/"];
    starts.iter().any(|start| file.starts_with(start))
        || file.contains("/registry/src/")
        || file.contains("/git/checkouts/")
        || file.contains("/include/")
}

/// Returns the instruction at a line and column of the PTX text, up to its `;`.
pub(in crate::machine::checks) fn instruction(program: &Program, line: u32, column: u32) -> &str {
    let text = program.line(line);
    let from = (column as usize).saturating_sub(1);
    let text = text.get(from..).unwrap_or(text).trim();
    text.split_inclusive(';').next().unwrap_or_default()
}

/// Returns the variable that an instruction names in brackets, if it is not a register.
pub(in crate::machine::checks) fn variable(instruction: &str) -> Option<&str> {
    let (_, address) = instruction.split_once('[')?;
    let name = address.trim_start().split(['+', '-', ']', ' ']).next()?;
    let first = name.chars().next()?;
    (!first.is_ascii_digit() && first != '%').then_some(name)
}

/// Returns the instruction's words, without guard and operands.
fn words(instruction: &str) -> String {
    let mut words = instruction
        .trim_start_matches(|c: char| c == '{' || c.is_whitespace())
        .split_whitespace();
    // Labels stand before the instruction.
    let first = words.find(|word| !word.ends_with(':')).unwrap_or("");
    let word = if first.starts_with('@') {
        words.next().unwrap_or("")
    } else {
        first
    };
    word.trim_end_matches([';', ',']).to_string()
}

impl Place {
    /// Points at the innermost line that is not library code, which is the line that the user
    /// wrote. Compilers give line 0 to merged code.
    fn point(&mut self) {
        let known = |at: &&SourcePlace| at.line != 0;
        let own = self.stack.iter().filter(known);
        let own = own
            .clone()
            .find(|at| !is_library(&at.file))
            .or(own.clone().next());
        self.source = own.or(self.stack.first()).cloned();
    }
}

impl Run<'_> {
    /// Returns the place of an operation, without block and thread.
    pub(in crate::machine) fn place(&self, op: *const Op) -> Place {
        let mut place = Place {
            kernel: self.launch.kernel.into(),
            ..Place::default()
        };
        if let Some(info) = index(self.program, op).and_then(|i| self.program.infos.get(i)) {
            place.line = info.line;
            place.text = words(instruction(self.program, info.line, info.column));
            let mut next = info.source;
            while let Some(at) = next
                .checked_sub(1)
                .and_then(|i| self.program.sources.get(i as usize))
            {
                let file = self
                    .program
                    .files
                    .get(at.file as usize)
                    .cloned()
                    .unwrap_or_default();
                let (line, column) = (at.line, at.column);
                place.stack.push(SourcePlace { file, line, column });
                next = at.inlined_at;
            }
            place.point();
        }
        place
    }

    /// Returns the place of an operation in code that the user did not write. It points at
    /// the innermost call in the user's code. Also returns the lines of all calls that led
    /// there, innermost first.
    pub(in crate::machine::checks) fn place_in(
        &self,
        op: *const Op,
        callers: &[u32],
    ) -> (Place, Vec<String>) {
        let mut place = self.place(op);
        let mut calls = Vec::new();
        for &caller in callers {
            let call = self.place(&raw const self.program.ops[caller as usize]);
            let Some(source) = call.source else { continue };
            let library = |at: &SourcePlace| is_library(&at.file);
            if place.source.as_ref().is_none_or(library) && !library(&source) {
                place.source = Some(source);
            } else {
                calls.push(format!("called at {source}"));
            }
        }
        (place, calls)
    }

    /// Returns a thread's index in its block.
    pub(in crate::machine) fn thread(&self, warp: u32, lane: usize) -> [u32; 3] {
        let linear = warp * LANES as u32 + lane as u32;
        let [x, y, _] = self.launch.block;
        [linear % x, linear / x % y, linear / (x * y)]
    }
}
