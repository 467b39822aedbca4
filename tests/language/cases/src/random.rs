//! Inputs: the same numbers for the same seed, on the host and on the device.
//!
//! The functions are not inlined: they are in every case, and none is about them. SplitMix64
//! (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). One number in four
//! is replaced by one at which arithmetic has an edge.

/// A thread's stream of inputs.
pub struct Random {
    state: u64,
}

/// Integers at which something happens.
const EDGES: [i128; 8] = [0, 1, -1, 2, i128::MAX, i128::MIN, 10, 7];
/// Bits of floats at which something happens: zeros, ones, halves, infinities, NaN, the
/// smallest, the largest.
const EDGES_F32: [u32; 12] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    1,
    0x7f7f_ffff,
    0x4f00_0000,
    0x3eff_ffff,
];

macro_rules! integers {
    ($($name:ident)*) => {$(
        /// Any number; one in four is an edge of its type, and one in four is small.
        #[inline(never)]
        pub fn $name(&mut self) -> $name {
            let kind = self.next();
            let wide = (self.next() as u128) << 64 | self.next() as u128;
            match kind & 7 {
                0 => $name::MAX,
                1 => EDGES[(kind >> 8) as usize % EDGES.len()] as $name,
                2 | 3 => (self.next() % 23) as $name,
                _ => wide as $name,
            }
        }
    )*};
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The next 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    integers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True or false.
    pub fn bool(&mut self) -> bool {
        self.next() & 1 == 1
    }

    /// Any float: an edge, a small one, or any bits at all.
    #[inline(never)]
    pub fn f32(&mut self) -> f32 {
        let kind = self.next();
        let bits = self.next();
        match kind & 3 {
            0 => f32::from_bits(EDGES_F32[(kind >> 8) as usize % EDGES_F32.len()]),
            1 => f32::from_bits(bits as u32),
            _ => (bits as i32 >> 8) as f32 / 1024.0,
        }
    }

    /// Any float: an edge, a small one, or any bits at all.
    #[inline(never)]
    pub fn f64(&mut self) -> f64 {
        let kind = self.next();
        let bits = self.next();
        match kind & 3 {
            0 => f64::from(f32::from_bits(
                EDGES_F32[(kind >> 8) as usize % EDGES_F32.len()],
            )),
            1 => f64::from_bits(bits),
            _ => (bits as i64 >> 20) as f64 / 1048576.0,
        }
    }

    /// A scalar value of Unicode, from every length of UTF-8.
    #[inline(never)]
    pub fn char(&mut self) -> char {
        let bits = self.next();
        let limit = [0x80, 0x800, 0x1_0000, 0x11_0000][(bits & 3) as usize];
        char::from_u32((bits >> 8) as u32 % limit).unwrap_or('?')
    }

    /// Numbers, one after another.
    pub fn array<T, const N: usize>(&mut self, mut next: impl FnMut(&mut Random) -> T) -> [T; N] {
        core::array::from_fn(|_| next(self))
    }
}
