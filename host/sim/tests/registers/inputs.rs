//! Operands: edge values of every format that fits, random bits, and values related to each other.

use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use crate::kernel::{Case, low};

/// A generator of random bits (xorshift64*). The instruction's text is the seed, so the values are
/// the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
}

/// Edge values of a float format: zeros, the smallest and largest of each kind, powers of two,
/// small integers, halves of units, infinities, NaNs quiet and signalling.
fn float_edges(exponent_bits: u32, fraction_bits: u32) -> Vec<u64> {
    let bias = (1u64 << (exponent_bits - 1)) - 1;
    let (ones, one) = ((1u64 << fraction_bits) - 1, bias << fraction_bits);
    let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    let mut edges = vec![
        0,
        1,
        2,
        ones,
        ones + 1,
        ones + 2,
        infinity - 1,
        infinity,
        infinity + 1,
        infinity | ones,
    ];
    edges.push(infinity | ones.div_ceil(2));
    edges.push(infinity | (ones / 3));
    for exponent in [
        1,
        2,
        bias / 2,
        bias - 2,
        bias - 1,
        bias,
        bias + 1,
        bias + 2,
        bias + 3,
        bias + bias / 2,
        2 * bias - 1,
        2 * bias,
    ] {
        for fraction in [0, 1, ones.div_ceil(2), ones / 3, ones] {
            edges.push(exponent << fraction_bits | fraction);
        }
    }
    // Near integers and their halves, and near powers of two that integers end at.
    for exponent in [
        bias + 6,
        bias + 7,
        bias + 8,
        bias + 15,
        bias + 16,
        bias + 30,
        bias + 31,
        bias + 32,
        bias + 62,
        bias + 63,
        bias + 64,
    ] {
        if exponent < 2 * bias {
            edges.extend([
                (exponent << fraction_bits) - 1,
                exponent << fraction_bits,
                (exponent << fraction_bits) + 1,
            ]);
        }
    }
    edges.push(one + 1);
    let sign = 1u64 << (exponent_bits + fraction_bits);
    edges.iter().flat_map(|&x| [x, x | sign]).collect()
}

fn integer_edges(bits: u32) -> Vec<u64> {
    let top = 1u64 << (bits - 1);
    let mut edges: Vec<u64> = (0..=70).collect();
    for x in [
        top,
        top.wrapping_mul(2),
        top / 2,
        0xff,
        0x100,
        0x7fff,
        0x8000,
        0xffff,
        0x10000,
        0xff_ffff,
        0x80_0000,
        0x1234_5678,
        0x5555_5555_5555_5555,
    ] {
        edges.extend([
            x.wrapping_sub(2),
            x.wrapping_sub(1),
            x,
            x + 1,
            !x,
            x.wrapping_neg(),
        ]);
    }
    edges
}

/// Edge values of a register of this many bits in an instruction of these types.
fn edges(case: &Case, bits: u32) -> Vec<u64> {
    if case.has(Modifier::Oob) {
        let all = edges_of(case, bits);
        let marks = if bits == 16 {
            vec![0x7ff7, 0xfff7]
        } else {
            vec![0x7ff7_3c00, 0x3c00_fff7, 0xfff7_7ff7]
        };
        // One in four is the mark of what is out of bounds.
        let marked = all
            .chunks(3)
            .enumerate()
            .map(|(i, _)| marks[i % marks.len()]);
        return all.iter().copied().chain(marked).collect();
    }
    edges_of(case, bits)
}

fn edges_of(case: &Case, bits: u32) -> Vec<u64> {
    let has = |types: &[Type]| types.iter().any(|ty| case.types.contains(ty));
    let pairs = |halves: &[u64], width: u32| -> Vec<u64> {
        let other = halves.iter().cycle().skip(halves.len() / 3);
        halves
            .iter()
            .zip(other)
            .map(|(low, high)| high << width | low)
            .collect()
    };
    let (half, brain, single) = (float_edges(5, 10), float_edges(8, 7), float_edges(8, 23));
    let mut edges = Vec::new();
    match bits {
        8 => edges = (0..256).collect(),
        16 => {
            if has(&[Type::F16]) {
                edges.extend(&half);
            }
            if has(&[Type::Bf16]) {
                edges.extend(&brain);
            }
        }
        32 => {
            if has(&[Type::F32, Type::Tf32]) {
                edges.extend(&single);
            }
            if has(&[Type::F16x2]) {
                edges.extend(pairs(&half, 16));
            }
            if has(&[Type::Bf16x2]) {
                edges.extend(pairs(&brain, 16));
            }
        }
        64 => {
            if has(&[Type::F64]) {
                edges.extend(float_edges(11, 52));
            }
            if has(&[Type::F32x2]) {
                edges.extend(pairs(&single, 32));
            }
        }
        _ => {}
    }
    if edges.is_empty() {
        edges = integer_edges(bits.clamp(8, 64));
    }
    edges
}

/// The operands of many runs of an instruction, one record per run. They are in one list, because a
/// list for each record would take longer to make and to drop than the instruction takes.
pub struct Records {
    count: usize,
    width: usize,
    pub values: Vec<u128>,
}

impl Records {
    fn push(&mut self, record: impl IntoIterator<Item = u128>) {
        self.count += 1;
        self.values.extend(record);
        assert_eq!(self.values.len(), self.count * self.width);
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the first record of each group of this many.
    pub fn each(&self, step: usize) -> Records {
        Records {
            count: self.count.div_ceil(step),
            width: self.width,
            values: self.iter().step_by(step).flatten().copied().collect(),
        }
    }

    /// The records, one after another.
    pub fn iter(&self) -> impl Iterator<Item = &[u128]> {
        (0..self.count).map(|index| &self.values[index * self.width..][..self.width])
    }
}

/// Records of operands for an instruction.
pub fn records(case: &Case) -> Records {
    let bits = case.inputs();
    let mut records = Records {
        count: 0,
        width: bits.len(),
        values: Vec::with_capacity(2 * case.records * bits.len()),
    };
    let all = match bits[..] {
        [8] => 1 << 8,
        [16] if case.records >= 1000 => 1 << 16,
        _ => 0,
    };
    if all > 0 {
        (0..all).for_each(|x| records.push([x]));
        return records;
    }
    let seed = case.text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    });
    let mut random = Random(seed | 1);
    let edges: Vec<Vec<u64>> = bits.iter().map(|&bits| edges(case, bits)).collect();
    // Pairs of 16-bit operands: all edges with all edges.
    let many = case.records >= 1000;
    if let ([16, 16, rest @ ..], true) = (&bits[..], many) {
        for (i, &a) in edges[0].iter().enumerate() {
            for &b in edges[1].iter().skip(i % 3).step_by(3) {
                let others = rest.iter().map(|&bits| low(random.next().into(), bits));
                records.push([a, b].map(u128::from).into_iter().chain(others));
            }
        }
    }
    // One operand: every edge.
    if let ([_], true) = (&bits[..], many) {
        edges[0]
            .iter()
            .for_each(|&edge| records.push([edge.into()]));
    }
    for _ in 0..case.records {
        let mut last = None;
        let values = bits.iter().enumerate().map(|(index, &bits)| {
            let wide = u128::from(random.next()) << 64 | u128::from(random.next());
            let edge = u128::from(edges[index][random.below(edges[index].len())]);
            let before = last.unwrap_or(wide);
            let value = match random.below(16) {
                0..6 => edge,
                // Bits of a few exponents only, so that sums cancel and shifts matter.
                6 | 7 if bits >= 16 => {
                    wide & low(u128::MAX, bits - 5) | low(0b111 << (bits - 6), bits)
                }
                8 => before ^ 1 << (bits - 1),
                9 => before.wrapping_add(wide % 3),
                10 => wide % 64,
                _ => wide,
            };
            let value = low(value, bits);
            last = Some(value);
            value
        });
        records.push(values);
    }
    // Products that a third operand cancels, all but the last digits.
    if matches!(case.opcode, Opcode::Fma | Opcode::Mad) && case.types == [Type::F32] && many {
        for _ in 0..500 {
            let mut operand = || f32::from_bits((random.next() >> 40) as u32 | 0x3f00_0000);
            let (a, b) = (operand(), operand());
            let c = -(a * b);
            records.push([a, b, c].map(|x| u128::from(x.to_bits())));
        }
    }
    if matches!(case.opcode, Opcode::Fma | Opcode::Mad) && case.types == [Type::F64] && many {
        for _ in 0..500 {
            let mut operand = || f64::from_bits(random.next() >> 8 | 0x3fe0_0000_0000_0000);
            let (a, b) = (operand(), operand());
            let c = -(a * b);
            records.push([a, b, c].map(|x| u128::from(x.to_bits())));
        }
    }
    for record in near_least_normal(case, &mut random) {
        records.push(record);
    }
    for (value, &bits) in records.values.iter_mut().zip(bits.iter().cycle()) {
        *value = low(*value, bits);
    }
    records
}

/// Products and quotients next to the smallest normal number, where `.ftz` decides.
fn near_least_normal(case: &Case, random: &mut Random) -> Vec<Vec<u128>> {
    let (fraction_bits, bias) = match case.types[..] {
        [Type::F32] => (23, 127),
        [Type::F16] => (10, 15),
        _ => return Vec::new(),
    };
    let float = |exponent: i64, random: &mut Random| {
        // A power of two, a few digits up or down.
        let bits = ((exponent + bias) << fraction_bits) + random.below(9) as i64 - 4;
        bits.max(0) as u128 | u128::from(random.next() & 1) << (case.inputs()[0] - 1)
    };
    let least = 1 - bias;
    let record = |_| {
        let exponent = random.below(bias as usize / 2) as i64;
        Some(match case.opcode {
            Opcode::Mul => vec![float(exponent, random), float(least - exponent, random)],
            Opcode::Div => vec![float(exponent + least, random), float(exponent, random)],
            Opcode::Rcp => vec![float(-least, random)],
            Opcode::Fma | Opcode::Mad => {
                let addend = [0, 1 << fraction_bits][random.below(2)];
                vec![
                    float(exponent, random),
                    float(least - exponent, random),
                    addend,
                ]
            }
            _ => return None,
        })
    };
    (0..case.records / 8).map_while(record).collect()
}
