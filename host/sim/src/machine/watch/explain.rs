//! From a fault as an operation sees it to the report that a user reads.
//!
//! The shape is `STYLE.md`'s "An error": what happened, where in the Rust source and the PTX, which kernel, block, thread
//! and seed, what the address is nearest to, what to do.

use super::elsewhere::CONVERT;
use crate::checks::race::AccessKind;
use crate::machine::event::{FaultKind, ImageFault, RawFault, Region};
use crate::machine::lane::LANES;
use crate::machine::launch::run::{Failure, Run};
use crate::machine::op::Op;
use crate::machine::program::Program;
use crate::memory::{Allocation, AllocationKind, Whereabouts};
use crate::report::{Fault, FaultReport, Place, SourcePlace};

/// What to do about an index that is too large.
const BOUNDS: &str =
    "the grid is rounded up to whole blocks; compare the index with the slice's length first";
/// The same where the grid is one block, which nobody rounded up.
const BOUNDS_OF_ONE: &str = "compare the index with the slice's length first";
/// The same where the address is that of a variable, by its name.
const VARIABLE: &str = "the variable ends before: check the offset behind its name";

/// What to do about a pointer to memory of the host.
const HOST: &str = "copy the data to a buffer of the device, or use pinned, managed or registered memory (cuMemAllocHost, cuMemAllocManaged, cuMemHostRegister)";

/// What to do about a null pointer.
const NULL: &str = "pass a buffer of the device: this pointer was never set";

/// The index of an operation, if it is one.
pub(in crate::machine) fn index(program: &Program, op: *const Op) -> Option<usize> {
    let offset = (op as usize).checked_sub(program.ops.as_ptr() as usize)?;
    Some(offset / size_of::<Op>()).filter(|&index| index < program.ops.len())
}

/// Whether a file is part of Rust's or of the device's library, of a crate from a registry, or of an installed C++ library.
fn is_library(file: &str) -> bool {
    let starts = ["/rustc/", "/lanewise-std/"];
    starts.iter().any(|start| file.starts_with(start))
        || file.contains("/registry/src/")
        || file.contains("/git/checkouts/")
        || file.contains("/include/")
}

/// The instruction at a line and column of the PTX text, to its `;`.
fn instruction(program: &Program, line: u32, column: u32) -> &str {
    let text = program.line(line);
    let from = (column as usize).saturating_sub(1);
    let text = text.get(from..).unwrap_or(text).trim();
    text.split_inclusive(';').next().unwrap_or_default()
}

/// The variable whose name an instruction has in brackets, if it is no register.
fn variable(instruction: &str) -> Option<&str> {
    let (_, address) = instruction.split_once('[')?;
    let name = address.trim_start().split(['+', '-', ']', ' ']).next()?;
    let first = name.chars().next()?;
    (!first.is_ascii_digit() && first != '%').then_some(name)
}

/// The instruction's words, without guard and operands.
fn words(instruction: &str) -> String {
    let mut words = instruction
        .trim_start_matches(|c: char| c == '{' || c.is_whitespace())
        .split_whitespace();
    // Labels stand before it.
    let first = words.find(|word| !word.ends_with(':')).unwrap_or("");
    let word = if first.starts_with('@') {
        words.next().unwrap_or("")
    } else {
        first
    };
    word.trim_end_matches([';', ',']).to_string()
}

impl Place {
    /// Points at the innermost line that is not library code: what the reader wrote. Compilers give line 0 to what they merged.
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
    /// Where an operation is, without block and thread.
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

    /// The same of code that the reader did not write: it points at the innermost call that the reader did. With the lines of all
    /// calls that led there, innermost first.
    fn place_in(&self, op: *const Op, callers: &[u32]) -> (Place, Vec<String>) {
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

    /// A thread's index in its block.
    pub(in crate::machine) fn thread(&self, warp: u32, lane: usize) -> [u32; 3] {
        let linear = warp * LANES as u32 + lane as u32;
        let [x, y, _] = self.launch.block;
        [linear % x, linear / x % y, linear / (x * y)]
    }

    /// The launch's fault.
    pub(in crate::machine) fn explain(&self, failure: Failure) -> Fault {
        let Failure {
            fault,
            block,
            warp,
            callers,
            ..
        } = failure;
        let RawFault { op, lane, what } = *fault;
        let (mut place, calls) = self.place_in(op, &callers);
        place.block = Some(block);
        place.thread = (lane < LANES).then(|| self.thread(warp, lane));
        let function =
            index(self.program, op).map(|_| crate::machine::frame::function_of(self.program, op));
        let inside = function
            .filter(|f| !f.entry)
            .map(|f| format!("in function `{:#}`", rustc_demangle::demangle(&f.name)));
        let report = |what: String, mut notes: Vec<String>, help: Option<&str>| {
            notes.extend(inside);
            notes.extend(calls);
            notes.extend(self.parent.map(String::from));
            let help = help.map(String::from);
            Box::new(FaultReport {
                what,
                place,
                seed: self.launch.seed,
                notes,
                help,
                steps: self.steps().clone(),
            })
        };
        match what {
            FaultKind::Access {
                act,
                region,
                generic,
                address,
                bytes,
            } => {
                let (mut what, mut notes, mut help) =
                    self.access(act, region, generic, address, bytes);
                if matches!(region, Region::Global | Region::Constant) {
                    let info = index(self.program, op).and_then(|i| self.program.infos.get(i));
                    let named = info.and_then(|info| {
                        variable(instruction(self.program, info.line, info.column))
                    });
                    help = match named {
                        Some(_) if help == Some(BOUNDS) || help == Some(NULL) => Some(VARIABLE),
                        _ if help == Some(BOUNDS) && self.launch.grid == [1; 3] => {
                            Some(BOUNDS_OF_ONE)
                        }
                        _ => help,
                    };
                }
                let meant = index(self.program, op).and_then(|i| self.narrow_address(i, address));
                if let Some((space, note)) = meant.filter(|_| region == Region::Global) {
                    what = format!(
                        "{bytes}-byte {} of global memory at an address of {space} memory",
                        verb(act)
                    );
                    (notes, help) = (vec![note], Some(CONVERT));
                }
                Fault::IllegalAddress(report(what, notes, help))
            }
            FaultKind::Misaligned {
                act,
                region,
                address,
                bytes,
            } => {
                let what = format!(
                    "{bytes}-byte {} of {} at an address that {bytes} does not divide",
                    verb(act),
                    memory(region)
                );
                let off = address % u64::from(bytes);
                let note = format!("address is {address:#x}, {off} past a multiple of {bytes}");
                let help = "a vector access needs the vector's alignment: start slices at a multiple of it";
                Fault::Misaligned(report(what, vec![note], Some(help)))
            }
            FaultKind::Illegal { message, help } => {
                Fault::IllegalInstruction(report(message, vec![], Some(help)))
            }
            FaultKind::Multicast {
                message,
                note,
                help,
            } => Fault::IllegalAddress(report(message, vec![note], Some(help))),
            FaultKind::Image {
                kind,
                message,
                notes,
                help,
            } => {
                let report = report(message, notes, Some(help));
                match kind {
                    ImageFault::Object => Fault::Image(report),
                    ImageFault::Outside => Fault::IllegalAddress(report),
                    ImageFault::Misaligned => Fault::Misaligned(report),
                }
            }
            FaultKind::BadCall { address, why } => {
                let what = format!("a call of {address:#x}, which {why}");
                let help = "check that the function pointer was set, and with the right type";
                Fault::InvalidPc(report(what, vec![], Some(help)))
            }
            FaultKind::Stack { message } => {
                let help = "look for recursion without an end";
                Fault::HardwareStack(report(message, vec![], Some(help)))
            }
            FaultKind::Assert { message } => {
                Fault::Assert(report(format!("device assertion {message}"), vec![], None))
            }
            FaultKind::Trap => {
                let help = "a panic, an assertion or an unreachable arm ends in `trap`: see what the kernel printed before";
                Fault::Trap(report("trap".into(), vec![], Some(help)))
            }
            FaultKind::Breakpoint => {
                Fault::Trap(report("breakpoint, and no debugger".into(), vec![], None))
            }
            FaultKind::Deadlock { notes, phases } => {
                let help = if phases {
                    "a phase of an mbarrier ends when as many threads have arrived and as many bytes have come as it was told of; a wait by parity is for the phase that has it: 0 the first, 1 the second, 0 the third"
                } else {
                    "every thread of the block has to reach the same barriers: move the barrier out of the branch"
                };
                Fault::Timeout(report(
                    "deadlock: all threads that are left wait".into(),
                    notes,
                    Some(help),
                ))
            }
            FaultKind::Stuck { notes } => {
                let help = "look for a flag that nobody sets, a lock that its holder takes again, two locks taken in opposite orders, or a barrier of blocks that do not all fit on the device";
                Fault::Timeout(report(
                    "deadlock: the threads that are left wait or spin, and nothing changes".into(),
                    notes,
                    Some(help),
                ))
            }
            FaultKind::Budget { limit } => {
                let what =
                    format!("the launch ran for more than its budget of {limit} warp instructions");
                let help = "look for a loop without an end, or raise LANEWISE_BUDGET";
                Fault::Timeout(report(what, vec![], Some(help)))
            }
            FaultKind::Child => {
                Fault::Trap(report("a child grid ended badly".into(), vec![], None))
            }
            FaultKind::Internal { message } => {
                let what = format!("the simulator broke a rule of its own: {message}");
                Fault::IllegalInstruction(report(
                    what,
                    vec![],
                    Some("please report this, with the PTX"),
                ))
            }
        }
    }

    fn access(
        &self,
        act: AccessKind,
        region: Region,
        generic: bool,
        address: u64,
        bytes: u32,
    ) -> (String, Vec<String>, Option<&'static str>) {
        let verb = verb(act);
        match region {
            Region::Global | Region::Constant => {
                let found = self.memory.whereabouts(address);
                let (what, help) = match &found {
                    Whereabouts::Null(_) => ("through a null pointer", NULL),
                    Whereabouts::Freed(..) => (
                        "of freed memory",
                        "keep the buffer alive until the launches that use it have ended",
                    ),
                    Whereabouts::Inside(_, inside) => match &inside.kind {
                        AllocationKind::Constant(_) if act != AccessKind::Read => (
                            "of constant memory",
                            "constant memory is written by the host, before the launch",
                        ),
                        AllocationKind::Multicast => (
                            "of multicast memory",
                            "`multimem` instructions alone reach it: pass a load or store the address of one device's own memory",
                        ),
                        AllocationKind::Heap => ("of heap memory that is not allocated", BOUNDS),
                        _ if region == Region::Constant => ("of other memory", BOUNDS),
                        _ => ("past the end of an allocation", BOUNDS),
                    },
                    Whereabouts::Past(..) => ("past the end of an allocation", BOUNDS),
                    Whereabouts::Before(..) => ("before the start of an allocation", BOUNDS),
                    Whereabouts::Host => ("through a pointer of the host's", HOST),
                    _ => ("of memory that is not there", BOUNDS),
                };
                let constant = match region {
                    Region::Constant => "constant ",
                    _ => "",
                };
                let what = format!("{bytes}-byte {constant}{verb} {what}");
                let mut notes = vec![format!("address {found}")];
                notes.extend(found.allocation().into_iter().flat_map(Allocation::trails));
                (what, notes, Some(help))
            }
            Region::Shared => {
                let (note, help) = self.outside_of_shared(generic, address);
                (
                    format!("{bytes}-byte {verb} outside of shared memory"),
                    vec![note],
                    Some(help),
                )
            }
            Region::Local => {
                let at = if generic {
                    address.wrapping_sub(crate::memory::window::LOCAL)
                } else {
                    address
                };
                let note = format!("local address is {at:#x}");
                let help = "a pointer to a local variable is good in its own thread and call only";
                (
                    format!("{bytes}-byte {verb} outside of the thread's local memory"),
                    vec![note],
                    Some(help),
                )
            }
            Region::Param => {
                let what =
                    format!("{bytes}-byte {verb} of the kernel's parameters that is not allowed");
                let at = address.wrapping_sub(crate::memory::window::PARAM);
                let note = format!(
                    "{} bytes of parameters, accessed at byte {at}",
                    self.params.len() * 8
                );
                (
                    what,
                    vec![note],
                    Some("parameters can be read, and only as far as they go"),
                )
            }
        }
    }
}

fn verb(act: AccessKind) -> &'static str {
    match act {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic access",
    }
}

fn memory(region: Region) -> &'static str {
    match region {
        Region::Global => "global memory",
        Region::Shared => "shared memory",
        Region::Local => "local memory",
        Region::Constant => "constant memory",
        Region::Param => "parameters",
    }
}
