//! Addresses that belong to other memory: to another block's shared memory, or to another state
//! space than the instruction's.

use crate::machine::launch::run::Run;
use crate::machine::program::VariableSpace;
use crate::memory::{Whereabouts, window};

/// What to do about an index that is too large.
const LENGTH: &str =
    "give the launch more dynamic shared memory, or check the index against the array's length";

/// What to do about a shared or local address that is used as a generic or global one.
pub(in crate::machine::checks) const CONVERT: &str = "convert it to a generic address first (`cvta`), or access it by an instruction for its own state space";

/// What to do about a global address that is used as a shared one.
const GLOBAL: &str =
    "access it by `.global`; where a pointer may be of either space, access it without one";

/// What to do about a block that does not exist.
const RANK: &str =
    "`mapa` takes the rank of a block of the cluster: compare it with the cluster's size";

impl Run<'_> {
    /// Describes an address that lies in no shared memory, with advice.
    pub(in crate::machine::checks) fn outside_of_shared(
        &self,
        generic: bool,
        address: u64,
    ) -> (String, &'static str) {
        let at = match generic {
            true => address - window::SHARED,
            false => address,
        };
        let start = u64::from(self.shared_start + self.scratch);
        let own = self.own_shared();
        let end = start + u64::from(own);
        if at >= window::FIRST_HOST {
            let found = self.memory.whereabouts(address);
            return match found {
                Whereabouts::Inside(..) | Whereabouts::Freed(..) | Whereabouts::Host => (
                    format!(
                        "it is not an address of shared memory; as a global address it {found}"
                    ),
                    GLOBAL,
                ),
                _ => (
                    "the address is far beyond all shared memory".to_owned(),
                    LENGTH,
                ),
            };
        }
        let blocks: u64 = self.cluster.iter().map(|&n| u64::from(n)).product();
        let (rank, offset) = (at / window::SHARED_PER_BLOCK, at % window::SHARED_PER_BLOCK);
        if let Some(rank) = rank.checked_sub(1) {
            if rank >= blocks {
                let s = if blocks == 1 { "" } else { "s" };
                let note = format!(
                    "the address names block {rank} of the cluster, which has {blocks} block{s}"
                );
                return (note, RANK);
            }
            let note = format!(
                "the address is {offset:#x} in the memory of block {rank} of the cluster, which lies from {start:#x} to {end:#x}"
            );
            return (note, LENGTH);
        }
        let note = if own == 0 {
            "the block has no shared memory".into()
        } else if at >= end {
            format!(
                "address is {} bytes past the block's {own} bytes of shared memory",
                at - end
            )
        } else {
            format!(
                "address {at:#x} is below the block's shared memory, which starts at {start:#x}"
            )
        };
        (note, LENGTH)
    }

    /// Describes a small address that operation `index` uses as a global or generic one, if it was
    /// computed from the address of a shared or local variable. Returns the name of that memory,
    /// and a note.
    pub(in crate::machine::checks) fn narrow_address(
        &self,
        index: usize,
        address: u64,
    ) -> Option<(&'static str, String)> {
        if address >= window::SHARED_PER_BLOCK {
            return None;
        }
        let arrays = &self.program.arrays;
        if let Ok(at) = arrays.binary_search_by_key(&(index as u32), |&(op, _)| op) {
            let variable = &self.program.variables[arrays[at].1 as usize];
            let VariableSpace::Shared(_) = variable.space else {
                return None;
            };
            let (name, size) = (&variable.name, variable.size);
            return Some((
                "shared",
                format!(
                    "{address:#x} is computed from the shared address of `{name}`, which has {size} bytes"
                ),
            ));
        }
        let arrays = &self.program.local_arrays;
        let at = arrays
            .binary_search_by_key(&(index as u32), |&(op, _)| op)
            .ok()?;
        let (name, size) = (&arrays[at].1.name, arrays[at].1.size);
        Some((
            "local",
            format!(
                "{address:#x} is computed from the local address of `{name}`, which has {size} bytes"
            ),
        ))
    }
}
