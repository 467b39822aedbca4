//! Video instructions: arithmetic on bytes and halves of registers, followed by a second operation.
//!
//! PTX ISA 9.7.18 "Video Instructions". Scalar instructions ([`Scalar`], [`Mad`]) use a byte, a
//! half or the whole of each operand. SIMD instructions ([`Simd`]) use two halves or four bytes of
//! two adjacent registers. Elements are extended according to the sign of their type. The operation
//! on them is exact, and with `.sat` its result is clamped to the destination's type and size. The
//! result is then merged into the third operand, added to it, or compared with it for the smaller
//! or the larger.
//!
//! Open in the ISA: the width of a shift's result before it is clamped. Here it has 34 bits, as the
//! ISA states for all scalar video instructions.
//!
//! GPUs since sm_70 have no scalar video instructions. ptxas writes other code, which in some forms
//! (`.h1` of a destination, `.sat` to a part of one or to `.u32`, `.min` and `.max`, scaled `vmad`
//! of unsigned factors) differs from the ISA. This was measured on an H200, 2026-11-21, and is
//! listed at `departs` in `host/diff/src/results/allowance.rs`. Here the ISA is followed. The other
//! forms, and all of the SIMD instructions, agree with that H200 bit by bit over 2500 forms.

/// The operation on two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primary {
    /// The operation of `vadd`.
    Add,
    /// The operation of `vsub`.
    Sub,
    /// The operation of `vabsdiff`.
    AbsDiff,
    /// The operation of `vmin`.
    Min,
    /// The operation of `vmax`.
    Max,
    /// `vavrg2`, `vavrg4`: the mean. It is rounded away from negative infinity if it
    /// is not negative.
    Average,
    /// The operation of `vshl`.
    ShiftLeft(Amount),
    /// The operation of `vshr`.
    ShiftRight(Amount),
    /// `vset`: 1 if the comparison is true, else 0.
    Set(Comparison),
}

/// The limit of a shift amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    /// `.clamp`: at most 32.
    Clamp,
    /// `.wrap`: its lowest five bits.
    Wrap,
}

impl Amount {
    fn of(self, amount: i64) -> u32 {
        match self {
            Amount::Clamp => amount.clamp(0, 32) as u32,
            Amount::Wrap => amount as u32 & 31,
        }
    }
}

/// The comparison of `vset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// The comparison `.eq`.
    Equal,
    /// The comparison `.ne`.
    NotEqual,
    /// The comparison `.lt`.
    Less,
    /// The comparison `.le`.
    LessOrEqual,
    /// The comparison `.gt`.
    Greater,
    /// The comparison `.ge`.
    GreaterOrEqual,
}

impl Primary {
    /// Applies the operation to values of at most 33 bits.
    fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Primary::Add => a + b,
            Primary::Sub => a - b,
            Primary::AbsDiff => (a - b).abs(),
            Primary::Min => a.min(b),
            Primary::Max => a.max(b),
            Primary::Average if a + b >= 0 => (a + b + 1) >> 1,
            Primary::Average => (a + b) >> 1,
            // The result has 34 bits.
            Primary::ShiftLeft(amount) => (a << amount.of(b)) << 30 >> 30,
            Primary::ShiftRight(amount) => a >> amount.of(b),
            Primary::Set(comparison) => i64::from(match comparison {
                Comparison::Equal => a == b,
                Comparison::NotEqual => a != b,
                Comparison::Less => a < b,
                Comparison::LessOrEqual => a <= b,
                Comparison::Greater => a > b,
                Comparison::GreaterOrEqual => a >= b,
            }),
        }
    }
}

/// The part of a register that an operand uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegisterPart {
    /// The whole register.
    Word,
    /// `.b0` to `.b3`.
    Byte(u8),
    /// One of the halves, `.h0` or `.h1`.
    Half(u8),
}

impl RegisterPart {
    /// Returns the part's lowest bit, and its number of bits.
    fn bits(self) -> (u32, u32) {
        match self {
            RegisterPart::Word => (0, 32),
            RegisterPart::Byte(index) => (u32::from(index & 3) * 8, 8),
            RegisterPart::Half(index) => (u32::from(index & 1) * 16, 16),
        }
    }

    /// Returns the element that the part selects, extended to 64 bits.
    fn select(self, register: u32, signed: bool) -> i64 {
        let (low, bits) = self.bits();
        extend(register >> low, bits, signed)
    }

    /// Returns `register` with the element in place of the part.
    fn merge(self, element: u32, register: u32) -> u32 {
        let (low, bits) = self.bits();
        let mask = (u32::MAX >> (32 - bits)) << low;
        element << low & mask | register & !mask
    }
}

/// Extends the low bits of a register, 8, 16 or 32, according to the sign of their type.
fn extend(register: u32, bits: u32, signed: bool) -> i64 {
    let up = 64 - bits;
    if signed {
        (i64::from(register) << up) >> up
    } else {
        ((u64::from(register) << up) >> up) as i64
    }
}

/// Returns the nearest value of a type of this many bits, 8, 16 or 32.
fn saturate(value: i64, bits: u32, signed: bool) -> i64 {
    let (least, most) = if signed {
        (-1 << (bits - 1), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    };
    value.clamp(least, most)
}

/// The second operation, on the result and the third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecondaryOp {
    /// The result replaces the destination's part of the third operand.
    Merge,
    /// The second operation `.add`.
    Add,
    /// The second operation `.min`.
    Min,
    /// The second operation `.max`.
    Max,
}

/// `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`, `vshl`, `vshr`, `vset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    /// The operation on `a` and `b`.
    pub(crate) primary: Primary,
    /// Whether the types of d, a and b are signed.
    pub(crate) signed: [bool; 3],
    /// Parts of d, a and b.
    pub(crate) parts: [RegisterPart; 3],
    /// Whether `.sat` clamps the result to its type.
    pub(crate) saturate: bool,
    /// The second operation on the result.
    pub(crate) then: SecondaryOp,
}

impl Scalar {
    /// Returns the result for three registers. The third is ignored if [`SecondaryOp::Merge`]
    /// writes a whole word.
    pub(crate) fn apply(&self, a: u32, b: u32, c: u32) -> u32 {
        let [signed, a_signed, b_signed] = self.signed;
        let [to, a_part, b_part] = self.parts;
        let mut value = self
            .primary
            .apply(a_part.select(a, a_signed), b_part.select(b, b_signed));
        if self.saturate {
            value = saturate(value, to.bits().1, signed);
        }
        let third = extend(c, 32, signed);
        match self.then {
            SecondaryOp::Merge => to.merge(value as u32, c),
            SecondaryOp::Add => (value + third) as u32,
            SecondaryOp::Min => value.min(third) as u32,
            SecondaryOp::Max => value.max(third) as u32,
        }
    }
}

/// The operand of `vmad` that is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Negated {
    /// No operand is negated.
    Nothing,
    /// Either a or b is negated, and so is their product.
    Product,
    /// The operand `c` is negated.
    Addend,
}

/// `vmad`: a product and a sum, scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mad {
    /// Whether the types of a and b are signed.
    pub(crate) signed: [bool; 2],
    /// Parts of a and b.
    pub(crate) parts: [RegisterPart; 2],
    /// The operand that is negated.
    pub(crate) negated: Negated,
    /// `.po`: whether one is added to the result.
    pub(crate) plus_one: bool,
    /// `.shr7`, `.shr15`: the number of bits of a right shift.
    pub(crate) scale: u32,
    /// Whether `.sat` clamps the result to its type.
    pub(crate) saturate: bool,
}

impl Mad {
    /// Returns the result for three registers.
    pub(crate) fn apply(&self, a: u32, b: u32, c: u32) -> u32 {
        let [a_part, b_part] = self.parts;
        let signed = self.signed != [false; 2] || self.negated != Negated::Nothing;
        let product = i128::from(a_part.select(a, self.signed[0]))
            * i128::from(b_part.select(b, self.signed[1]));
        // A negation is the complement plus one. For c, the complement is taken before
        // c is extended.
        let (product, c) = match self.negated {
            Negated::Nothing => (product, c),
            Negated::Product => (!product, c),
            Negated::Addend => (product, !c),
        };
        let one = self.plus_one || self.negated != Negated::Nothing;
        let sum = product + i128::from(extend(c, 32, signed)) + i128::from(one);
        let scaled = sum >> (self.scale & 31);
        if !self.saturate {
            return scaled as u32;
        }
        match signed {
            true => scaled.clamp(i32::MIN.into(), i32::MAX.into()) as u32,
            false => scaled.clamp(0, u32::MAX.into()) as u32,
        }
    }
}

/// `vadd2` to `vset4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Simd {
    /// The operation on elements of `a` and `b`.
    pub(crate) primary: Primary,
    /// Whether the elements are two halves; otherwise they are four bytes.
    pub(crate) halves: bool,
    /// Whether the types of d, a and b are signed.
    pub(crate) signed: [bool; 3],
    /// For each element of the first and of the second operand, its index among the elements of a
    /// followed by those of b.
    pub(crate) selected: [[u8; 4]; 2],
    /// A mask of the result's elements: bit i stands for element i.
    pub(crate) mask: u8,
    /// Whether `.sat` clamps the result to its type.
    pub(crate) saturate: bool,
    /// `.add`: whether the elements are added to the third operand; otherwise they
    /// replace its elements.
    pub(crate) accumulate: bool,
}

impl Simd {
    /// Returns the result for three registers.
    pub(crate) fn apply(&self, a: u32, b: u32, c: u32) -> u32 {
        let (count, bits) = if self.halves { (2, 16) } else { (4, 8) };
        let [signed, a_signed, b_signed] = self.signed;
        let both = u64::from(b) << 32 | u64::from(a);
        let element = |which: u8, signed| {
            let low = (u32::from(which) * bits) & 63;
            extend((both >> low) as u32, bits, signed)
        };
        let mut d = c;
        for i in (0..count).filter(|i| self.mask >> i & 1 != 0) {
            let mut value = self.primary.apply(
                element(self.selected[0][i], a_signed),
                element(self.selected[1][i], b_signed),
            );
            if self.saturate {
                value = saturate(value, bits, signed);
            }
            d = if self.accumulate {
                d.wrapping_add(value as u32)
            } else {
                let part = if self.halves {
                    RegisterPart::Half
                } else {
                    RegisterPart::Byte
                };
                part(i as u8).merge(value as u32, d)
            };
        }
        d
    }
}

/// A video instruction of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Video {
    /// An operation on one element of each operand.
    Scalar(Scalar),
    /// The multiplication `vmad`.
    Mad(Mad),
    /// An operation on two or four parts of a register.
    Simd(Simd),
}

impl Video {
    /// Returns the result for three registers.
    pub(crate) fn apply(&self, a: u32, b: u32, c: u32) -> u32 {
        match self {
            Video::Scalar(scalar) => scalar.apply(a, b, c),
            Video::Mad(mad) => mad.apply(a, b, c),
            Video::Simd(simd) => simd.apply(a, b, c),
        }
    }
}
