//! Uninitialised data in matrices: on its way between memory and registers by rows,
//! and through multiplications.
//!
//! Each instruction has its own layout of elements. So the instruction is executed a second
//! time, with stand-ins for the values. For moves these are masks in place of bytes: all bits of
//! a byte are set if it was not written. A multiplication is executed with small numbers in
//! place of unwritten elements, once with a matrix of such numbers on the right, and once on the
//! left. An element of the result that is not zero depends on unwritten data. So an
//! uninitialised row of A affects one row of D and no other. This matters because tiles at an
//! edge are often filled only in part.

use super::report::UnwrittenUse;
use super::taint::{Origin, Taint};
use crate::machine::checks::init::flow::FlowOperand;
use crate::machine::checks::report::place::index;
use crate::machine::core::Core;
use crate::machine::event::Region;
use crate::machine::lane::{FULL, LANES, lanes};
use crate::machine::op::Op;

/// Rows of memory that were read and contain uninitialised bytes.
#[derive(Debug)]
pub(in crate::machine) struct UnwrittenRows {
    origin: Origin,
    masks: Vec<u8>,
    bytes: usize,
}

impl UnwrittenRows {
    /// Returns the row at this lane's address: each byte is 0 where it was written.
    pub(in crate::machine) fn row(&self, lane: usize) -> &[u8] {
        &self.masks[lane * self.bytes..][..self.bytes]
    }
}

/// Registers that are stored by rows, some with uninitialised data, as masks of their bytes.
#[derive(Debug)]
pub(in crate::machine) struct UnwrittenRegisters {
    /// The masks of values that were only copied.
    pub(in crate::machine) copied: Vec<[u64; LANES]>,
    /// The masks of values that were computed.
    pub(in crate::machine) computed: Vec<[u64; LANES]>,
    taint: Taint,
}

/// Returns a mask with all bits set of the bytes in a bit set.
fn mask_of(bytes: u16) -> u64 {
    (0..8).fold(0, |mask, at| {
        mask | (u64::from(bytes >> at & 1) * 0xff) << (8 * at)
    })
}

/// Returns the bytes of a mask that are not 0, a bit each.
fn bytes_of(mask: u64) -> u16 {
    let bytes = mask.to_le_bytes();
    (0..8).fold(0, |set, at| set | u16::from(bytes[at] != 0) << at)
}

/// A number that every element type can hold. It is positive, and no product of two is 0. (As a
/// signed six-bit number it is negative, and products are positive.)
const STAND_IN: u64 = 0x3333_3333_3333_3333;

/// The operands of a multiplication as stand-ins: A, B and C.
type StandIns<'m> = [&'m [[u64; LANES]]; 3];

impl Core<'_> {
    /// Finds the uninitialised bytes among `bytes` bytes (a multiple of 16, or less) at each lane's
    /// address. None if all were written.
    pub(in crate::machine) fn unwritten_rows(
        &mut self,
        op: *const Op,
        region: Region,
        (addresses, mask): (&[u64; LANES], u32),
        bytes: usize,
    ) -> Option<UnwrittenRows> {
        if region == Region::Shared && self.shared_is_written() {
            return None;
        }
        let mut rows: Option<UnwrittenRows> = None;
        let mut at = 0;
        while at < bytes {
            let piece = (bytes - at).min(16);
            let addresses = addresses.map(|address| address.wrapping_add(at as u64));
            let mut found = [0u32; LANES];
            let lanes_and = (&addresses, mask);
            if self.find_unwritten(op, region, lanes_and, piece as u32, &mut found)
                && let Some(number) = index(self.run.program, op)
                && let Some((_, origin)) =
                    Origin::of_first(number as u32, region, &addresses, mask, &found)
            {
                let rows = rows.get_or_insert_with(|| UnwrittenRows {
                    origin,
                    masks: vec![0; LANES * bytes],
                    bytes,
                });
                for lane in lanes(mask) {
                    for byte in lanes(found[lane]) {
                        rows.masks[lane * bytes + at + byte] = u8::MAX;
                    }
                }
            }
            at += piece;
        }
        rows
    }

    /// Marks which bytes are unwritten in registers of `size` bytes that were loaded from
    /// rows of memory.
    pub(in crate::machine) fn rows_brought(
        &mut self,
        rows: Option<&UnwrittenRows>,
        (registers, size): (&[u32], u8),
        masks: impl FnOnce(&UnwrittenRows) -> Vec<[u64; LANES]>,
    ) {
        let Some(rows) = rows else {
            return self.registers_written(registers);
        };
        for (&row, masks) in registers.iter().zip(&masks(rows)) {
            let bytes = masks.map(bytes_of);
            self.set_taint(FlowOperand::Row(row, size), FULL, &bytes, 0, rows.origin);
        }
    }

    /// Marks registers as written.
    pub(in crate::machine) fn registers_written(&mut self, registers: &[u32]) {
        if self.checks.tainted {
            registers.iter().for_each(|&row| self.cleanse(row, FULL));
        }
    }

    /// Returns the uninitialised bytes of registers that are stored by rows.
    pub(in crate::machine) fn unwritten_registers(
        &mut self,
        registers: &[u32],
    ) -> Option<UnwrittenRegisters> {
        if !self.checks.tainted {
            return None;
        }
        let taints: Vec<_> = registers
            .iter()
            .map(|&row| self.taint(row).copied())
            .collect();
        let taint = *taints.iter().flatten().next()?;
        let masks = |wanted: bool| {
            let of = |taint: &Option<Taint>| {
                std::array::from_fn(|lane| match taint {
                    Some(of) if (of.computed >> lane & 1 != 0) == wanted => mask_of(of.bytes[lane]),
                    _ => 0,
                })
            };
            taints.iter().map(of).collect()
        };
        Some(UnwrittenRegisters {
            copied: masks(false),
            computed: masks(true),
            taint,
        })
    }

    /// Marks memory after such registers were stored. `row` returns a lane's row of masks, for
    /// values that were copied and for values that were computed.
    pub(in crate::machine) fn rows_taken(
        &mut self,
        op: *const Op,
        region: Region,
        (addresses, mask): (&[u64; LANES], u32),
        registers: &UnwrittenRegisters,
        row: impl Fn(usize) -> [Vec<u8>; 2],
    ) {
        for lane in lanes(mask) {
            let [copied, computed] = row(lane);
            if computed.iter().any(|byte| *byte != 0) {
                self.used(op, UnwrittenUse::Stored, &registers.taint, FULL);
            }
            for (byte, _) in copied.iter().enumerate().filter(|(_, mask)| **mask != 0) {
                self.unwrite(region, addresses[lane] + byte as u64, lane);
            }
        }
    }

    /// Follows a register that gets another register's values, rearranged by `moved`.
    pub(in crate::machine) fn register_moved(
        &mut self,
        (to, from): (u32, u32),
        moved: impl Fn(&[u32; LANES]) -> [u32; LANES],
    ) {
        if !self.checks.tainted {
            return;
        }
        let Some(taint) = self.taint(from).copied() else {
            return self.cleanse(to, FULL);
        };
        let bytes = moved(&taint.bytes.map(|bytes| mask_of(bytes) as u32));
        let of_computed: [u32; LANES] =
            std::array::from_fn(|lane| match taint.computed >> lane & 1 {
                0 => 0,
                _ => u32::MAX,
            });
        let of_computed = moved(&of_computed);
        let computed = (0..LANES).fold(0, |set, lane| {
            set | u32::from(of_computed[lane] != 0) << lane
        });
        let bytes = bytes.map(|mask| bytes_of(mask.into()));
        self.set_taint(
            FlowOperand::Row(to, 4),
            FULL,
            &bytes,
            computed,
            taint.origin,
        );
    }

    /// Follows a warp's multiplication with registers A, B, C and D of `size` bytes. Elements of C
    /// and of D have the sizes `of_c` and `of_d`. `multiply` executes it with stand-ins.
    pub(in crate::machine) fn multiplied(
        &mut self,
        [a, b, c, d]: [&[u32]; 4],
        size: u8,
        [of_c, of_d]: [u8; 2],
        mut multiply: impl FnMut(StandIns<'_>) -> Vec<[u64; LANES]>,
    ) {
        if !self.checks.tainted {
            return;
        }
        let mut origin = None;
        let mut stand_ins = |core: &mut Self, rows: &[u32], element: u8| -> Vec<[u64; LANES]> {
            let of = |row: &u32| {
                let Some(taint) = core.taint(*row).copied() else {
                    return [0; LANES];
                };
                origin = origin.or(Some(taint.origin));
                taint
                    .bytes
                    .map(|bytes| whole(mask_of(bytes), element) & STAND_IN)
            };
            rows.iter().map(of).collect()
        };
        // All elements of a register of A belong to one row, and all of B to one column.
        let left = stand_ins(self, a, size);
        let right = stand_ins(self, b, size);
        let sum = stand_ins(self, c, of_c);
        let Some(origin) = origin else {
            return self.registers_written(d);
        };
        let all = |rows: &[u32]| vec![[STAND_IN; LANES]; rows.len()];
        let by_row = multiply([&left, &all(b), &sum]);
        let by_column = multiply([&all(a), &right, &vec![[0; LANES]; c.len()]]);
        for ((&row, first), second) in d.iter().zip(&by_row).zip(&by_column) {
            let bytes: [u16; LANES] = std::array::from_fn(|lane| {
                // A zero may have a sign.
                let value = |bits: u64| match of_d {
                    2 => bits & 0x7fff_7fff_7fff_7fff,
                    4 => bits & 0x7fff_ffff,
                    _ => bits & (u64::MAX >> 1),
                };
                let spoiled = whole(value(first[lane]) | value(second[lane]), of_d);
                bytes_of(spoiled) & ((1 << size) - 1)
            });
            self.set_taint(FlowOperand::Row(row, size), FULL, &bytes, FULL, origin);
        }
    }

    /// Follows a warpgroup's product into the running warp's rows of D. `spoiled` returns, for a
    /// lane and an element of its part of D, whether the row of A or the column of B contains
    /// uninitialised data. That data comes from `memory`, at a shared address with a bit for each
    /// unwritten byte among the first ones, or from registers. D itself may be `added`.
    pub(in crate::machine) fn warpgroup_multiplied(
        &mut self,
        op: *const Op,
        (d, per_register, added): (&[u32], usize, bool),
        (memory, a): (Option<(u64, u32)>, &[u32]),
        spoiled: impl Fn(usize, usize) -> bool,
    ) {
        let of_memory = memory.and_then(|(address, bytes)| {
            Some(Origin {
                op: index(self.run.program, op)? as u32,
                region: Region::Shared,
                address: address + u64::from(bytes.trailing_zeros()),
                bytes,
            })
        });
        let of_registers = a
            .iter()
            .find_map(|&row| self.taint(row).map(|taint| taint.origin));
        let origin = of_memory.or(of_registers);
        let bytes_each = (4 / per_register) as u32;
        for (number, &row) in d.iter().enumerate() {
            let before = self.taint(row).copied().filter(|_| added);
            let Some(origin) = origin.or(before.map(|taint| taint.origin)) else {
                self.registers_written(&[row]);
                continue;
            };
            let bytes = std::array::from_fn(|lane| {
                let old = before.map_or(0, |taint| taint.bytes[lane]);
                (0..per_register).fold(old, |bytes, index| {
                    let element = ((1u16 << bytes_each) - 1) << (bytes_each * index as u32);
                    match spoiled(lane, number * per_register + index) {
                        true => bytes | element,
                        false => bytes,
                    }
                })
            });
            self.set_taint(FlowOperand::Row(row, 4), FULL, &bytes, FULL, origin);
        }
    }

    /// Returns masks of the uninitialised data in the lanes of these registers.
    pub(in crate::machine) fn register_masks(&mut self, registers: &[u32]) -> Vec<[u32; LANES]> {
        let mask = |taint: &Taint| taint.bytes.map(|bytes| mask_of(bytes) as u32);
        let of = |row: &u32| self.taint(*row).map_or([0; LANES], |taint| mask(taint));
        registers.iter().map(of).collect()
    }
}

/// Returns a mask in which each element of this many bytes is either all set or all clear.
fn whole(mask: u64, element: u8) -> u64 {
    let bits = 8 * u32::from(element.min(8));
    let all = u64::MAX >> (64 - bits);
    (0..64).step_by(bits as usize).fold(0, |found, at| {
        found | if mask >> at & all == 0 { 0 } else { all << at }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_those_of_bytes() {
        assert_eq!(mask_of(0b1000_0101), 0xff00_0000_00ff_00ff);
        assert_eq!(bytes_of(0x0100_0000_0080_0001), 0b1000_0101);
        assert_eq!(whole(0x0000_0100, 2), 0x0000_ffff);
        assert_eq!(whole(0x0001_0000_0000, 4), 0xffff_ffff_0000_0000);
        assert_eq!(whole(1, 8), u64::MAX);
        assert_eq!(whole(0, 8), 0);
    }
}
