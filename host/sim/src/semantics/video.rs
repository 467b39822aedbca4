//! Video instructions: arithmetic on bytes and halves of registers, with a second step behind it.
//!
//! PTX ISA 9.7.18 "Video Instructions". Scalar instructions ([`Scalar`], [`Mad`]) take a byte, a
//! half or the whole of each operand; SIMD instructions ([`Simd`]) take two halves or four bytes of
//! two registers side by side. Elements are extended by the sign of their type, the operation is
//! exact on them, then clamped to the destination's type and size with `.sat`; then the result is
//! put into the third operand, added to it, or the less or greater of both.
//!
//! Open in the ISA: how wide the result of a shift is before it is clamped; here 34 bits, as the
//! ISA says of all scalar video instructions.
//!
//! GPUs since sm_70 have no scalar video instructions: ptxas writes other code, which in some forms
//! (`.h1` of a destination, `.sat` to a part of one or to `.u32`, `.min` and `.max`, scaled `vmad`
//! of unsigned factors) does otherwise than the ISA says. Seen on an H200, 2026-11-21, and listed
//! at `departs` in `host/diff/src/results/allowance.rs`. Here the ISA is followed. The rest, and
//! all of the SIMD instructions, agree with that H200 bit by bit over 2500 forms.

/// What is done with two elements.
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
    /// `vavrg2`, `vavrg4`: the mean, rounded away from negative infinity where it is not negative.
    Average,
    /// The operation of `vshl`.
    ShiftLeft(Amount),
    /// The operation of `vshr`.
    ShiftRight(Amount),
    /// `vset`: 1 where it holds, else 0.
    Set(Comparison),
}

/// What becomes of an amount to shift by.
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

/// What `vset` asks.
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
    /// On values of at most 33 bits.
    fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Primary::Add => a + b,
            Primary::Sub => a - b,
            Primary::AbsDiff => (a - b).abs(),
            Primary::Min => a.min(b),
            Primary::Max => a.max(b),
            Primary::Average if a + b >= 0 => (a + b + 1) >> 1,
            Primary::Average => (a + b) >> 1,
            // 34 bits of it.
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

/// The part of a register that an operand is.
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
    /// Its lowest bit, and how many it has.
    fn bits(self) -> (u32, u32) {
        match self {
            RegisterPart::Word => (0, 32),
            RegisterPart::Byte(index) => (u32::from(index & 3) * 8, 8),
            RegisterPart::Half(index) => (u32::from(index & 1) * 16, 16),
        }
    }

    /// The element that is selected, extended to 64 bits.
    fn select(self, register: u32, signed: bool) -> i64 {
        let (low, bits) = self.bits();
        extend(register >> low, bits, signed)
    }

    /// `register` with the element in its place.
    fn merge(self, element: u32, register: u32) -> u32 {
        let (low, bits) = self.bits();
        let mask = (u32::MAX >> (32 - bits)) << low;
        element << low & mask | register & !mask
    }
}

/// The low bits of a register, 8, 16 or 32, by the sign of their type.
fn extend(register: u32, bits: u32, signed: bool) -> i64 {
    let up = 64 - bits;
    if signed {
        (i64::from(register) << up) >> up
    } else {
        ((u64::from(register) << up) >> up) as i64
    }
}

/// The nearest value of a type of this many bits, 8, 16 or 32.
fn saturate(value: i64, bits: u32, signed: bool) -> i64 {
    let (least, most) = if signed {
        (-1 << (bits - 1), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    };
    value.clamp(least, most)
}

/// What follows the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecondaryOp {
    /// The result goes into the destination's part of the third operand.
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
    /// What is done with the result afterwards.
    pub(crate) then: SecondaryOp,
}

impl Scalar {
    /// The result on three registers; the third does not count where [`SecondaryOp::Merge`] writes
    /// a whole word.
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

/// Which operand of `vmad` is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Negated {
    /// No second operation follows.
    Nothing,
    /// One of a and b, and so their product.
    Product,
    /// The operand `c` is added.
    Addend,
}

/// `vmad`: a product and a sum, scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mad {
    /// Whether the types of a and b are signed.
    pub(crate) signed: [bool; 2],
    /// Parts of a and b.
    pub(crate) parts: [RegisterPart; 2],
    /// What is negated.
    pub(crate) negated: Negated,
    /// `.po`: one more.
    pub(crate) plus_one: bool,
    /// `.shr7`, `.shr15`: shifted right by this many.
    pub(crate) scale: u32,
    /// Whether `.sat` clamps the result to its type.
    pub(crate) saturate: bool,
}

impl Mad {
    /// The result on three registers.
    pub(crate) fn apply(&self, a: u32, b: u32, c: u32) -> u32 {
        let [a_part, b_part] = self.parts;
        let signed = self.signed != [false; 2] || self.negated != Negated::Nothing;
        let product = i128::from(a_part.select(a, self.signed[0]))
            * i128::from(b_part.select(b, self.signed[1]));
        // A negation is the complement and one more; of c it is taken before c gets its sign.
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
    /// The operation on `a` and `b`.
    pub(crate) primary: Primary,
    /// Whether elements are halves, two of them; otherwise they are bytes, four.
    pub(crate) halves: bool,
    /// Whether the types of d, a and b are signed.
    pub(crate) signed: [bool; 3],
    /// For each element, which of those of a and then b it is, of the first operand and of the
    /// second.
    pub(crate) selected: [[u8; 4]; 2],
    /// Bit i: element i of the result counts.
    pub(crate) mask: u8,
    /// Whether `.sat` clamps the result to its type.
    pub(crate) saturate: bool,
    /// `.add`: the elements are added to the third operand; otherwise they replace its elements.
    pub(crate) accumulate: bool,
}

impl Simd {
    /// The result on three registers.
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

/// Any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Video {
    /// On one element of each operand.
    Scalar(Scalar),
    /// The multiplication `vmad`.
    Mad(Mad),
    /// An operation on two or four parts of a register.
    Simd(Simd),
}

impl Video {
    /// The result on three registers.
    pub(crate) fn apply(&self, a: u32, b: u32, c: u32) -> u32 {
        match self {
            Video::Scalar(scalar) => scalar.apply(a, b, c),
            Video::Mad(mad) => mad.apply(a, b, c),
            Video::Simd(simd) => simd.apply(a, b, c),
        }
    }
}
