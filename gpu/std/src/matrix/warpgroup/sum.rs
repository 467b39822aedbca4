//! Sums in the registers of a warpgroup.

use core::marker::PhantomData;

use super::sizes::{sizes, with_numbers};
use super::{ROWS, THREADS};
use crate::matrix::Register;
use crate::state_space::ptx;
use crate::thread;

/// The sum of a warpgroup: 64 rows, and twice as many columns as each thread has `REGISTERS` (of
/// half floats four times as many).
///
/// There are sums of 8, 16, 24, .. 256 columns. Products of integers exist for sums of 8, 16, 24,
/// 32, 48, 64, .. 256 columns.
#[derive(Clone, Copy, Debug)]
pub struct Accumulator<T, const REGISTERS: usize>(pub(super) [u32; REGISTERS], PhantomData<T>);

/// 64 rows and 64 columns.
pub type Accumulator64<T> = Accumulator<T, 32>;
/// 64 rows and 128 columns.
pub type Accumulator128<T> = Accumulator<T, 64>;
/// 64 rows and 256 columns.
pub type Accumulator256<T> = Accumulator<T, 128>;

pub(super) mod sealed {
    /// The registers of a sum.
    pub trait Registers {
        /// Sets each register to the result of `f` for its number and its bits.
        fn update(&mut self, f: impl FnMut(usize, u32) -> u32);
        /// Waits for all groups but the last `LATER`. The thread may then use the registers again.
        unsafe fn wait<const LATER: u32>(&mut self);
    }
}

/// A number of registers that a sum may have. A function that is generic over it needs
/// `where [u32; REGISTERS]: SumRegisters`.
pub trait SumRegisters: sealed::Registers {}
impl<T: sealed::Registers> SumRegisters for T {}

impl<T: Register, const REGISTERS: usize> Accumulator<T, REGISTERS> {
    /// The number of columns of the sum.
    pub const COLUMNS: usize = 2 * T::ELEMENTS * REGISTERS;

    /// Makes an accumulator of zeros.
    #[inline]
    #[must_use]
    pub fn zero() -> Self {
        Accumulator([0; REGISTERS], PhantomData)
    }

    /// Returns the row and the column of the first element in register `i` of a thread
    /// of the warpgroup.
    #[inline]
    #[must_use]
    pub const fn position(thread: u32, i: usize) -> (usize, usize) {
        let (warp, lane, i) = (thread as usize / 32, thread as usize % 32, T::ELEMENTS * i);
        (
            ROWS / 4 * warp + lane / 4 + 8 * (i / 2 % 2),
            8 * (i / 4) + 2 * (lane % 4) + i % 2,
        )
    }
}

impl<T: Register, const REGISTERS: usize> Accumulator<T, REGISTERS>
where
    [u32; REGISTERS]: sealed::Registers,
{
    /// Calls `f` with row, column and value of each of this thread's registers.
    #[inline(always)]
    pub fn for_each(&self, mut f: impl FnMut(usize, usize, T)) {
        let mut copy = *self;
        copy.map(|row, column, value| {
            f(row, column, value);
            value
        });
    }

    /// Sets each of this thread's registers to the result of `f` for its row, column and value, for
    /// example to initialise or to scale a sum.
    #[inline(always)]
    pub fn map(&mut self, mut f: impl FnMut(usize, usize, T) -> T) {
        let thread = thread::thread_rank() % THREADS;
        sealed::Registers::update(&mut self.0, |i, bits| {
            let (row, column) = Self::position(thread, i);
            f(row, column, T::from_bits(bits)).to_bits()
        });
    }
}

macro_rules! registers {
    ($registers:literal [$($i:literal)*]) => {
        impl sealed::Registers for [u32; $registers] {
            #[inline(always)]
            fn update(&mut self, mut f: impl FnMut(usize, u32) -> u32) {
                $(self[$i] = f($i, self[$i]);)*
            }

            #[inline(always)]
            unsafe fn wait<const LATER: u32>(&mut self) {
                // SAFETY: it waits; the registers go through it, so that nothing reads them before.
                unsafe {
                    ptx!("wgmma.wait_group":
                        concat!("wgmma.wait_group.sync.aligned {later}; /*", $(" {", $i, "}",)* " */"),
                        $(inout(reg32) self[$i] => self[$i],)*
                        later = const LATER,
                        options(nostack, preserves_flags),
                    );
                }
            }
        }
    };
}
sizes! {
    registers! by 2:
    2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64
}
sizes! { registers! by 4 after 64: 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124 128 }
