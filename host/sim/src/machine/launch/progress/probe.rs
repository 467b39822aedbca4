//! The observations of a probe: what operations change, what they read, and the state of a team.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;

use super::Poll;
use crate::machine::core::Core;
use crate::machine::lane::lanes;
use crate::machine::memory::strong;
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo, SpaceClass};
use crate::memory::window::{self, Window};

/// The state of a probe.
#[derive(Default)]
pub(in crate::machine) struct Probe {
    /// The old values of the bytes that the last operation was about to change: the address, the
    /// size and up to 32 bytes.
    pub(super) before: Vec<(u64, usize, [u8; 32])>,
    /// Whether something in memory has changed.
    pub(super) changed: bool,
}

impl Core<'_> {
    /// Looks at an operation before it runs in a probe. Checks what the last operation changed, and
    /// records what this one may change.
    #[cold]
    pub(in crate::machine) fn look_on(&mut self, op: *const Op, info: OpInfo, mask: u32) {
        self.settle();
        let (Class::Load(space) | Class::Store(space) | Class::Atomic(space)) = info.class else {
            return;
        };
        if mask == 0 {
            return;
        }
        // SAFETY: operations of these classes have an address row.
        let addresses = unsafe { self.addresses(op) };
        let window = |address| match space {
            SpaceClass::Generic => window::of(address),
            SpaceClass::Shared => Window::Shared,
            SpaceClass::Local => Window::Local,
            SpaceClass::Global | SpaceClass::Constant => Window::Global,
        };
        if !matches!(info.class, Class::Store(_)) {
            let lane = mask.trailing_zeros() as usize;
            let address = addresses[lane];
            let shared = window(address) == Window::Shared;
            if window(address) != Window::Local && space != SpaceClass::Constant {
                let (at, bytes) = (self.current, info.bytes);
                let address = match space {
                    SpaceClass::Generic if shared => address - window::SHARED,
                    _ => address,
                };
                let poll = Poll {
                    op,
                    lane,
                    address,
                    shared,
                    bytes,
                };
                self.team.progress.polls.insert(at, poll);
                self.team.progress.reads_global |= !shared;
            }
        }
        if matches!(info.class, Class::Load(_)) {
            return;
        }
        let size = usize::from(info.bytes).min(32);
        for lane in lanes(mask) {
            let address = addresses[lane];
            // Shared and local memory are part of the team's state.
            if window(address) != Window::Global {
                continue;
            }
            let mut bytes = [0; 32];
            if self.peek_global(address, &mut bytes[..size])
                && let Some(probe) = &mut self.checks.probe
            {
                probe.before.push((address, size, bytes));
            }
        }
    }

    /// Reads global memory if it is live. Returns whether it is.
    pub(super) fn peek_global(&self, address: u64, to: &mut [u8]) -> bool {
        let range = self.run.snapshot.find(address);
        let live = range.is_some_and(|range| range.holds(address, to.len() as u64));
        if live {
            // SAFETY: the bytes are in an allocation that was live when the launch began,
            // and addresses of global memory are host addresses. Memory that is freed
            // meanwhile stays readable.
            unsafe { strong::read(address as *const u8, to) };
        }
        live
    }

    /// Checks whether the last operation changed the bytes that it was about to change.
    pub(super) fn settle(&mut self) {
        let Some(probe) = &mut self.checks.probe else {
            return;
        };
        let before = std::mem::take(&mut probe.before);
        let changed = before.iter().any(|&(address, size, bytes)| {
            let mut now = [0; 32];
            !self.peek_global(address, &mut now[..size]) || now[..size] != bytes[..size]
        });
        if let Some(probe) = &mut self.checks.probe {
            probe.changed |= changed;
            probe.before = before;
            probe.before.clear();
        }
    }

    /// Returns a hash of the team's whole state, without global memory.
    pub(super) fn state(&mut self) -> u64 {
        let mut hash = FixedState::default().build_hasher();
        for block in &mut self.team.blocks {
            hash.write(block.shared.bytes());
            for barrier in &block.barriers {
                (barrier.arrived, barrier.count, barrier.some_false).hash(&mut hash);
            }
            for warp in &mut block.warps {
                (warp.live, warp.expired, warp.cluster_arrived).hash(&mut hash);
                (warp.cluster_passed, warp.local_top).hash(&mut hash);
                hash.write(warp.registers.bytes());
                hash.write(warp.local.bytes());
                // The group that has waited longest runs first, so the order counts and
                // not the time.
                let clock = warp.clock;
                let mut order: Vec<_> = warp.groups.iter().collect();
                order.sort_by_key(|group| clock.wrapping_sub(group.ran));
                for group in order {
                    (group.op as usize, group.mask, group.at, group.wait).hash(&mut hash);
                }
            }
        }
        hash.finish()
    }
}
