//! Makes the report that a user reads from an operation's fault.
//!
//! A report contains what happened; where in the Rust source and the PTX, in which kernel, block
//! and thread, and with which seed; what the address is nearest to; and what to do.

use crate::machine::checks::memory::bad_access::{BadAccess, misaligned};
use crate::machine::checks::report::account::Account;
use crate::machine::checks::report::place::index;
use crate::machine::event::{FaultKind, ImageFault, RawFault};
use crate::machine::frame::function_of;
use crate::machine::lane::LANES;
use crate::machine::launch::run::{Failure, Run};
use crate::machine::op::Op;
use crate::report::{Fault, FaultReport};

/// Makes a fault of one kind from a report.
type MakeFault = fn(Box<FaultReport>) -> Fault;

impl Run<'_> {
    /// Returns the launch's fault.
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
        let (fault, account) = self.account(op, what);
        let mut notes = account.notes;
        notes.extend(self.inside(op));
        notes.extend(calls);
        notes.extend(self.parent.map(String::from));
        fault(Box::new(FaultReport {
            what: account.what,
            place,
            before: None,
            seed: self.launch.seed,
            notes,
            help: account.help.map(String::from),
            steps: self.steps().clone(),
        }))
    }

    /// Names the function that an operation is in, if that is not a kernel.
    fn inside(&self, op: *const Op) -> Option<String> {
        index(self.program, op)?;
        let function = function_of(self.program, op);
        let name = rustc_demangle::demangle(&function.name);
        (!function.entry).then(|| format!("in function `{name:#}`"))
    }

    /// Returns the kind of the fault, and its account.
    fn account(&self, op: *const Op, what: FaultKind) -> (MakeFault, Account) {
        match what {
            FaultKind::Access {
                act,
                region,
                generic,
                address,
                bytes,
            } => {
                let access = BadAccess {
                    act,
                    region,
                    generic,
                    address,
                    bytes,
                };
                (Fault::IllegalAddress, self.bad_access(op, &access))
            }
            FaultKind::Misaligned {
                act,
                region,
                address,
                bytes,
            } => (Fault::Misaligned, misaligned(act, region, address, bytes)),
            FaultKind::Multicast {
                message,
                note,
                help,
            } => (
                Fault::IllegalAddress,
                Account::new(message, help).note(note),
            ),
            FaultKind::Image {
                kind,
                message,
                notes,
                help,
            } => {
                let account = Account::new(message, help).with_notes(notes);
                (of_image(kind), account)
            }
            FaultKind::Illegal { message, help } => {
                (Fault::IllegalInstruction, Account::new(message, help))
            }
            FaultKind::BadCall { address, why } => (
                Fault::InvalidPc,
                Account::new(
                    format!("a call to {address:#x}, which {why}"),
                    "check that the function pointer was set, and with the right type",
                ),
            ),
            FaultKind::Stack { message } => (
                Fault::HardwareStack,
                Account::new(message, "look for unbounded recursion"),
            ),
            FaultKind::Assert { message } => (
                Fault::Assert,
                Account::without_help(format!("device assertion {message}")),
            ),
            FaultKind::Trap => (
                Fault::Trap,
                Account::new(
                    "trap",
                    "a panic, an assertion or an unreachable arm ends in `trap`: see what the kernel printed before",
                ),
            ),
            FaultKind::Breakpoint => (
                Fault::Trap,
                Account::without_help("breakpoint without a debugger"),
            ),
            FaultKind::Child => (Fault::Trap, Account::without_help("a child grid failed")),
            FaultKind::Deadlock { notes, phases } => (Fault::Timeout, deadlock(notes, phases)),
            FaultKind::Stuck { notes } => (Fault::Timeout, stuck(notes)),
            FaultKind::Endless { notes } => (
                Fault::Timeout,
                Account::new(
                    "endless loop: the end of the kernel cannot be reached from here",
                    "give the loop a condition that ends it",
                )
                .with_notes(notes),
            ),
            FaultKind::Budget { limit } => (
                Fault::Timeout,
                Account::new(
                    format!("the launch ran for more than its budget of {limit} warp instructions"),
                    "look for an endless loop, or raise LANEWISE_BUDGET",
                ),
            ),
            FaultKind::Internal { message } => (
                Fault::IllegalInstruction,
                Account::new(
                    format!("the simulator broke a rule of its own: {message}"),
                    "please report this, with the PTX",
                ),
            ),
        }
    }
}

/// Returns the kind of a fault of a texture or a surface.
fn of_image(kind: ImageFault) -> MakeFault {
    match kind {
        ImageFault::Object => Fault::Image,
        ImageFault::Outside => Fault::IllegalAddress,
        ImageFault::Misaligned => Fault::Misaligned,
    }
}

/// Returns the account of a launch whose threads all wait.
fn deadlock(notes: Vec<String>, phases: bool) -> Account {
    let help = match phases {
        true => {
            "a phase of an mbarrier ends when the threads and the bytes that it expects have arrived; a wait by parity is for the phase with that parity: 0 the first, 1 the second, 0 the third"
        }
        false => {
            "every thread of the block has to reach the same barriers: move the barrier out of the branch"
        }
    };
    Account::new("deadlock: all remaining threads wait", help).with_notes(notes)
}

/// Returns the account of threads that wait or spin for ever.
fn stuck(notes: Vec<String>) -> Account {
    Account::new(
        "deadlock: the remaining threads wait or spin, and nothing changes",
        "look for a flag that no thread sets, a lock that its holder takes again, two locks taken in opposite orders, or a barrier of blocks that do not all fit on the device",
    )
    .with_notes(notes)
}
