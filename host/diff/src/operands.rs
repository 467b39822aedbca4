//! The operands of a case's threads, and the memory that they need.

use lanewise_sim::isa::sample::{Register, Usage};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use crate::case::{CELL, Case, Harness, PLACE, THREADS};
use crate::image;
use crate::surroundings::by_use;
use crate::surroundings::matrix;
use crate::surroundings::sequence;
use crate::values::{self, Random};

impl Case {
    /// Returns the registers that are loaded from the thread's record, with their numbers.
    pub fn inputs(&self) -> impl Iterator<Item = (usize, Register)> + '_ {
        let all = self.sample.registers.iter().copied().enumerate();
        let image = self.harness == Harness::Image;
        all.filter(move |&(_, register)| match register.usage {
            Usage::Read | Usage::Texture if image => !image::is_handle(self, register),
            // The kernel makes these values itself.
            _ if self.row.opcode == Opcode::Wgmma => false,
            usage => usage == Usage::Read,
        })
    }

    /// Returns the objects that the case is judged with.
    pub fn images(&self) -> Vec<image::Setup> {
        match self.harness {
            Harness::Image => image::choice::of(self),
            _ => Vec::new(),
        }
    }

    /// Returns the size of a thread's operands in bytes: a place for each register that is read,
    /// one for the carry, then the cell.
    pub fn input_bytes(&self) -> usize {
        if self.harness == Harness::Matrix {
            return matrix::REGION / 32;
        }
        self.cell_in() + CELL
    }

    /// Returns the offset of the cell's contents in a thread's operands. There is one place more
    /// than there are registers, for the carry.
    pub fn cell_in(&self) -> usize {
        (self.inputs().count() + 1).next_multiple_of(4) * PLACE
    }

    /// Returns the size of a thread's results in bytes. The layout is that of the operands, for the
    /// registers that are written.
    pub fn output_bytes(&self) -> usize {
        match self.harness {
            Harness::Matrix => matrix::RESULTS / 32,
            Harness::Use => by_use::RESULTS,
            _ => self.cell_out() + CELL,
        }
    }

    /// Returns the offset of the cell's contents in a thread's results.
    pub fn cell_out(&self) -> usize {
        (self.registers(Usage::Write).count() + 1).next_multiple_of(4) * PLACE
    }

    /// Returns the chain of matrix instructions around the instruction.
    pub fn chain(&self) -> Option<matrix::Chain> {
        let wanted = self.harness == Harness::Matrix;
        wanted.then(|| matrix::chain(&self.sample)).flatten()
    }

    /// Returns the operands of all threads, as the kernel reads them.
    pub fn input(&self, seed: u64) -> Vec<u8> {
        // Each case has its own values, independent of the other cases.
        let name = self.sample.instruction.bytes();
        let seed = name.fold(seed, |seed, byte| {
            Random::new(seed ^ u64::from(byte)).bits()
        });
        let mut random = Random::new(seed);
        let mut input = vec![0; THREADS * self.input_bytes()];
        if let Some(chain) = self.chain() {
            let records = input.chunks_exact_mut(self.input_bytes());
            for (thread, record) in records.enumerate() {
                matrix::fill(&chain, thread, record, &mut random);
            }
            return input;
        }
        let images = self.images();
        let records = input.chunks_exact_mut(self.input_bytes());
        for (thread, record) in records.enumerate() {
            if self.harness == Harness::Image {
                let values = image::operands::of(self, thread, &images, &mut random);
                for (place, value) in record.chunks_exact_mut(PLACE).zip(values) {
                    put(place, value);
                }
            } else {
                self.fill(record, &mut random);
            }
        }
        input
    }

    fn fill(&self, record: &mut [u8], random: &mut Random) {
        if self.row.opcode == Opcode::Wgmma {
            return;
        }
        let (places, cell) = record.split_at_mut(self.cell_in());
        let ty = self.cell_type();
        let size = (ty.size() as usize).clamp(1, PLACE);
        for element in cell.chunks_exact_mut(size) {
            put(element, values::value(ty, random));
        }
        for (index, (place, (_, register))) in places
            .chunks_exact_mut(PLACE)
            .zip(self.registers(Usage::Read))
            .enumerate()
        {
            put(place, self.operand(index, register, random));
        }
        // If a comparison never succeeded, half of a compare-and-swap would not be tested.
        if self.has(Modifier::Cas) && random.below(2) == 0 {
            places[..size].copy_from_slice(&cell[..size]);
        }
        let carry = self.registers(Usage::Read).count();
        put(
            &mut places[carry * PLACE..][..PLACE],
            random.below(2).into(),
        );
    }

    /// Returns a value for an operand. If the ISA leaves the result of some values open, it
    /// returns another one.
    fn operand(&self, index: usize, register: Register, random: &mut Random) -> u128 {
        match (self.row.opcode, index) {
            // The mask of the lanes that participate: all lanes, since all execute the instruction.
            _ if self.harness == Harness::Sequence => {
                let own =
                    sequence::operand(self, register.declared, &mut |limit| random.below(limit));
                own.unwrap_or_else(|| values::value(register.value, random))
            }
            _ if self.harness == Harness::Use => {
                let own = by_use::operand(self, index);
                own.unwrap_or_else(|| values::value(register.value, random))
            }
            _ if self.is_mask(register) => u128::from(u32::MAX),
            (Opcode::Mma, _) if register.operand == 4 => self.metadata(random),
            (Opcode::Fma, _) if self.has(Modifier::Oob) && random.below(4) == 0 => {
                // The value that marks an access out of bounds, in the lower half, the upper
                // half, or both.
                [0x7ff7, 0xfff7_3c00, 0x7ff7_fff7][random.below(3) as usize]
            }
            (Opcode::Mma, _) => self.fragment(register, random),
            // The position is that of a bit, and `.fns` finds few bits far away.
            (Opcode::Fns, 1) => random.below(32).into(),
            (Opcode::Fns, 2) => u128::from((random.below(17) as i64 - 8) as u32),
            // Lanes are compared with each other. There are few values, so that some lanes agree.
            (Opcode::Match, _) => random.below(5).into(),
            // The size of the store in bytes.
            (Opcode::St, _) if self.has(Modifier::Bulk) => 16,
            (Opcode::Bar | Opcode::Barrier, _) if register.declared != Type::Pred => 1,
            (Opcode::Brx, _) => 0,
            (Opcode::Nanosleep, _) => random.below(100).into(),
            (Opcode::Createpolicy, _) if register.declared == Type::F32 => 1.0_f32.to_bits().into(),
            (Opcode::Createpolicy, _) => 128,
            _ => values::value(register.value, random),
        }
    }

    /// Returns metadata of a sparse matrix: for each chunk two positions in order; for tf32 the
    /// first element or the second.
    fn metadata(&self, random: &mut Random) -> u128 {
        let places: &[u128] = match self.has(Modifier::Tf32) {
            true => &[0b0100, 0b1110],
            false => &[0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110],
        };
        (0..8).fold(0, |bits, chunk| {
            bits | places[random.below(places.len() as u64) as usize] << (4 * chunk)
        })
    }

    /// Returns whether an operand is the mask of the participating lanes. It is the last operand of
    /// a warp's instruction.
    fn is_mask(&self, register: Register) -> bool {
        use Opcode::*;
        let warp = matches!(self.row.opcode, Shfl | Vote | Match | Redux | Elect)
            || self.row.opcode == Bar && self.has(Modifier::Warp);
        let last = self.sample.registers.iter().map(|r| r.operand).max();
        warp && Some(register.operand) == last && register.declared != Type::Pred
    }

    /// Returns elements of a matrix: small integers, so that the order of the sums does not matter.
    fn fragment(&self, register: Register, random: &mut Random) -> u128 {
        let types = self.types();
        let ty = types
            .get(register.operand)
            .copied()
            .unwrap_or(register.value);
        let width = match ty {
            Type::U4 | Type::S4 | Type::B1 => return u128::from(random.bits() as u32),
            _ => ty.size() as u32 * 8,
        };
        let lanes = register.declared.size() as u32 * 8 / width;
        (0..lanes).fold(0, |bits, lane| {
            bits | values::small(ty, random) << (lane * width)
        })
    }
}

/// Writes the low bytes of `bits`.
fn put(to: &mut [u8], bits: u128) {
    let bytes = bits.to_le_bytes();
    to.copy_from_slice(&bytes[..to.len()]);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cases::all;

    #[test]
    fn what_is_not_judged_cannot_be() {
        let cases = all();
        let reasons: BTreeSet<&str> = cases
            .iter()
            .filter_map(|case| match case.harness {
                Harness::None(why) => Some(why),
                _ => None,
            })
            .collect();
        let known = [
            "a tensor map is the driver's own: the driver's conformance rows and the machine's tests use some",
            "GPUs of today do not have it any more",
            "memory of several devices under one address: the machine's and the driver's tests make some",
            "nothing in the kernel says when a store to global memory that nobody waits for is done",
        ];
        assert_eq!(reasons, known.into());
    }

    #[test]
    fn inputs_are_the_same_each_time_and_differ_between_cases() {
        let cases = all();
        assert_eq!(cases[0].input(1), cases[0].input(1));
        assert_ne!(cases[0].input(1), cases[0].input(2));
        assert_ne!(cases[0].input(1), cases[1].input(1));
    }

    #[test]
    fn a_compare_and_swap_finds_its_value_and_does_not() {
        let cases = all();
        let case = cases
            .iter()
            .find(|case| case.sample.instruction.starts_with("atom.cas.b32"))
            .expect("the table has it");
        let input = case.input(1);
        let equal = input
            .chunks_exact(case.input_bytes())
            .filter(|record| record[..4] == record[case.cell_in()..][..4])
            .count();
        assert!((THREADS / 3..THREADS * 2 / 3).contains(&equal), "{equal}");
    }
}
