//! What a probe looks at: what operations change, what they read, and the state that a team is in.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;

use super::Poll;
use crate::machine::core::Core;
use crate::machine::lane::lanes;
use crate::machine::op::Op;
use crate::machine::program::{Class, OpInfo, SpaceClass};
use crate::memory::window::{self, Window};

/// What a probe looks at.
#[derive(Default)]
pub(in crate::machine) struct Probe {
    /// Bytes that the last operation was about to change, as they were: address, and up to 32
    /// bytes.
    pub(super) before: Vec<(u64, usize, [u8; 32])>,
    /// Whether something has changed.
    pub(super) changed: bool,
}

impl Core<'_> {
    /// Before an operation, in a probe: what did the last one change, and what may this one?
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
                && let Some(probe) = &mut self.probe
            {
                probe.before.push((address, size, bytes));
            }
        }
    }

    /// Reads global memory that is live, if it is.
    pub(super) fn peek_global(&self, address: u64, to: &mut [u8]) -> bool {
        let range = self.run.snapshot.find(address);
        let live = range.is_some_and(|range| range.holds(address, to.len() as u64));
        if live {
            // SAFETY: the bytes are in an allocation that was live when the launch began, and
            // addresses of global memory are the host's; what is freed meanwhile stays readable.
            unsafe { (address as *const u8).copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
        }
        live
    }

    /// Whether what the last operation was about to change has changed.
    pub(super) fn settle(&mut self) {
        let Some(probe) = &mut self.probe else { return };
        let before = std::mem::take(&mut probe.before);
        let changed = before.iter().any(|&(address, size, bytes)| {
            let mut now = [0; 32];
            !self.peek_global(address, &mut now[..size]) || now[..size] != bytes[..size]
        });
        if let Some(probe) = &mut self.probe {
            probe.changed |= changed;
            probe.before = before;
            probe.before.clear();
        }
    }

    /// A number for the team's whole state, all but global memory.
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
                // Who waited longest runs first: the order counts, not the time.
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
