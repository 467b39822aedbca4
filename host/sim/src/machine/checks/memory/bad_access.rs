//! Descriptions of an access to memory that does not exist, is not live or is not
//! writable, with advice.

use crate::machine::checks::memory::elsewhere::CONVERT;
use crate::machine::checks::race::AccessKind;
use crate::machine::checks::report::account::Account;
use crate::machine::checks::report::place::{index, instruction, variable};
use crate::machine::event::Region;
use crate::machine::launch::run::Run;
use crate::machine::op::Op;
use crate::memory::{Allocation, AllocationKind, Whereabouts, window};

/// What to do about an index that is too large.
const BOUNDS: &str =
    "the grid is rounded up to whole blocks; compare the index with the slice's length first";
/// The same advice for a grid of one block, which was not rounded up.
const BOUNDS_OF_ONE: &str = "compare the index with the slice's length first";
/// The same advice for an address that contains a variable's name.
const VARIABLE: &str = "the access is outside the variable: check the offset after its name";

/// What to do about a pointer to memory of the host.
const HOST: &str = "copy the data to a buffer of the device, or use pinned, managed or registered memory (cuMemAllocHost, cuMemAllocManaged, cuMemHostRegister)";

/// What to do about a pointer to memory that was freed.
const FREED: &str = "keep the buffer alive until the launches that use it have ended";

/// What to do about a null pointer.
const NULL: &str = "pass a buffer of the device: this pointer was never set";

/// A faulting access of an operation.
pub(in crate::machine::checks) struct BadAccess {
    /// Whether it reads, writes or does both.
    pub(in crate::machine::checks) act: AccessKind,
    /// The memory that it names, or that its generic address leads to.
    pub(in crate::machine::checks) region: Region,
    /// Whether its address is generic.
    pub(in crate::machine::checks) generic: bool,
    pub(in crate::machine::checks) address: u64,
    pub(in crate::machine::checks) bytes: u32,
}

impl Run<'_> {
    /// Describes what is wrong with an access by `op`.
    pub(in crate::machine::checks) fn bad_access(
        &self,
        op: *const Op,
        access: &BadAccess,
    ) -> Account {
        match access.region {
            Region::Global => self
                .of_another_space(op, access)
                .unwrap_or_else(|| self.outside_of_global(op, access)),
            Region::Constant => self.outside_of_global(op, access),
            Region::Shared => {
                let (note, help) = self.outside_of_shared(access.generic, access.address);
                let what = format!("{} outside of shared memory", access.named());
                Account::new(what, help).note(note)
            }
            Region::Local => {
                let at = match access.generic {
                    true => access.address.wrapping_sub(window::LOCAL),
                    false => access.address,
                };
                let what = format!("{} outside of the thread's local memory", access.named());
                let help = "a pointer to a local variable is valid only in its own thread and call";
                Account::new(what, help).note(format!("local address is {at:#x}"))
            }
            Region::Param => {
                let at = access.address.wrapping_sub(window::PARAM);
                let bytes = self.params.len() * 8;
                let what = format!(
                    "{} of the kernel's parameters that is not allowed",
                    access.named()
                );
                let help = "a kernel can only read its parameters, and only within their size";
                let note = format!("{bytes} bytes of parameters, accessed at byte {at}");
                Account::new(what, help).note(note)
            }
        }
    }

    /// Returns the account of a global access whose address is a shared or local one.
    fn of_another_space(&self, op: *const Op, access: &BadAccess) -> Option<Account> {
        let index = index(self.program, op)?;
        let (space, note) = self.narrow_address(index, access.address)?;
        let what = format!(
            "{} of global memory at an address of {space} memory",
            access.named()
        );
        Some(Account::new(what, CONVERT).note(note))
    }

    /// Returns the account of an access to global or constant memory that does not exist.
    fn outside_of_global(&self, op: *const Op, access: &BadAccess) -> Account {
        let found = self.memory.whereabouts(access.address);
        let (where_to, help) = where_to(&found, access);
        let constant = match access.region {
            Region::Constant => "constant ",
            _ => "",
        };
        let BadAccess { act, bytes, .. } = *access;
        let what = format!("{bytes}-byte {constant}{} {where_to}", verb(act));
        let mut account =
            Account::new(what, self.help_at(op, help)).note(format!("address {found}"));
        let trails = found.allocation().into_iter().flat_map(Allocation::trails);
        account.notes.extend(trails);
        account
    }

    /// Adapts the advice to an address that contains a variable's name, and to a grid of one block.
    fn help_at(&self, op: *const Op, help: &'static str) -> &'static str {
        let info = index(self.program, op).and_then(|i| self.program.infos.get(i));
        let named =
            info.and_then(|info| variable(instruction(self.program, info.line, info.column)));
        match named {
            Some(_) if help == BOUNDS || help == NULL => VARIABLE,
            _ if help == BOUNDS && self.launch.grid == [1; 3] => BOUNDS_OF_ONE,
            _ => help,
        }
    }
}

/// Describes where a global or constant address leads, with advice.
fn where_to(found: &Whereabouts, access: &BadAccess) -> (&'static str, &'static str) {
    match found {
        Whereabouts::Null(_) => ("through a null pointer", NULL),
        Whereabouts::Freed(..) => ("of freed memory", FREED),
        Whereabouts::Inside(_, inside) => match &inside.kind {
            AllocationKind::Constant(_) if access.act != AccessKind::Read => (
                "of constant memory",
                "constant memory is written by the host, before the launch",
            ),
            AllocationKind::Multicast => (
                "of multicast memory",
                "only `multimem` instructions can access it: give loads and stores the address of one device's own memory",
            ),
            AllocationKind::Heap => ("of heap memory that is not allocated", BOUNDS),
            _ if access.region == Region::Constant => ("of other memory", BOUNDS),
            _ => ("past the end of an allocation", BOUNDS),
        },
        Whereabouts::Past(..) => ("past the end of an allocation", BOUNDS),
        Whereabouts::Before(..) => ("before the start of an allocation", BOUNDS),
        Whereabouts::Host => ("through a host pointer", HOST),
        _ => ("of memory that is not there", BOUNDS),
    }
}

impl BadAccess {
    /// Returns the access in words, such as "4-byte read".
    fn named(&self) -> String {
        format!("{}-byte {}", self.bytes, verb(self.act))
    }
}

/// Returns the account of an access to an address that is not a multiple of its size.
pub(in crate::machine::checks) fn misaligned(
    act: AccessKind,
    region: Region,
    address: u64,
    bytes: u32,
) -> Account {
    let what = format!(
        "{bytes}-byte {} of {} at an address that is not a multiple of {bytes}",
        verb(act),
        memory(region)
    );
    let off = address % u64::from(bytes);
    let help = "a vector access needs the vector's alignment: start slices at a multiple of it";
    Account::new(what, help).note(format!(
        "address is {address:#x}, {off} past a multiple of {bytes}"
    ))
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
