//! The counts and checks of an access lane by lane, in each memory that its addresses lead to.

use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::frame::op_index;
use crate::machine::lane::LANES;
use crate::machine::op::Op;
use crate::machine::program::{Class, SpaceClass};
use crate::memory::window::{self, Window};

impl Core<'_> {
    /// Counts and checks the lanes of an access that [`Core::look`] has stored.
    #[inline(always)]
    pub(in crate::machine::checks) fn check_each_memory(&mut self, op: *const Op) {
        let run = self.run;
        let index = op_index(run.program, op);
        let (info, (mask, scattered)) = (run.program.infos[index], self.checks.looked_at);
        let (Class::Load(space) | Class::Store(space) | Class::Atomic(space)) = info.class else {
            return;
        };
        // SAFETY: operations of these classes have an address row.
        let addresses = unsafe { self.addresses(op) };
        let addresses = match info.multicast {
            true => self.unicast(&addresses),
            false => addresses,
        };
        if scattered && self.check_scattered(op, index, space, &addresses, mask) {
            return;
        }
        // There is no memory at the end of the address space, and the operation is about
        // to fault there.
        let mask = match any_bit(&addresses) >> 63 {
            0 => mask,
            _ => {
                mask & there(&addresses, |address| {
                    address < u64::MAX - u64::from(u8::MAX)
                })
            }
        };
        if mask == 0 {
            return;
        }
        for (region, start, mask) in split(space, &addresses, mask) {
            if mask == 0 {
                continue;
            }
            let mut moved = [0; LANES];
            let inside = match start {
                0 => &addresses,
                _ => {
                    for (to, address) in moved.iter_mut().zip(addresses) {
                        *to = address.wrapping_sub(start);
                    }
                    &moved
                }
            };
            if run.launch.count {
                self.count_access(info, region, inside, mask);
            }
            if region == Region::Shared && (run.launch.checks.memory || run.launch.checks.sync) {
                self.check_shared(op, index as u32, (info.class, info.bytes), inside, mask);
            }
            if region == Region::Local && run.launch.checks.memory {
                self.check_local(op, index as u32, (info.class, info.bytes), inside, mask);
            }
            if run.launch.checks.init {
                self.check_init(op, info, region, inside, mask);
            }
            if run.launch.checks.race && region != Region::Local {
                self.check_race(op, index as u32, info, region, inside, (mask, scattered));
            }
        }
    }
}

/// Splits the lanes by the memory that they access. Gives the address at which each memory starts,
/// and the lanes.
#[inline(always)]
fn split(space: SpaceClass, addresses: &[u64; LANES], mask: u32) -> [(Region, u64, u32); 3] {
    let in_window =
        |window: Window| mask & there(addresses, |address| window::of(address) == window);
    let (global, shared, local) = match space {
        SpaceClass::Global => (mask, 0, 0),
        SpaceClass::Shared => (0, mask, 0),
        SpaceClass::Local => (0, 0, mask),
        SpaceClass::Constant => (0, 0, 0),
        SpaceClass::Generic => {
            let of = [Window::Global, Window::Shared, Window::Local].map(in_window);
            return [
                (Region::Global, 0, of[0]),
                (Region::Shared, window::SHARED, of[1]),
                (Region::Local, window::LOCAL, of[2]),
            ];
        }
    };
    [
        (Region::Global, 0, global),
        (Region::Shared, 0, shared),
        (Region::Local, 0, local),
    ]
}

/// Returns the bits that are set in any lane's address, whether the lane runs or not. No
/// address is larger.
#[inline(always)]
pub(in crate::machine::checks) fn any_bit(addresses: &[u64; LANES]) -> u64 {
    addresses.iter().fold(0, |bits, address| bits | address)
}

/// Returns the lanes whose addresses satisfy `wanted`.
#[inline(always)]
pub(in crate::machine::checks) fn there(
    addresses: &[u64; LANES],
    wanted: impl Fn(u64) -> bool,
) -> u32 {
    let mut lanes = 0;
    for (lane, &address) in addresses.iter().enumerate() {
        lanes |= u32::from(wanted(address)) << lane;
    }
    lanes
}
