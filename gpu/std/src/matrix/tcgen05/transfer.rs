//! Transfers between tensor memory and registers: `tcgen05.ld`, `tcgen05.st`, each with its wait.

use super::{TensorAddress, names, sealed};
use crate::state_space::ptx;

/// The lanes and columns that a warp's registers correspond to, with `REGISTERS` registers
/// in each thread.
pub trait Shape<const REGISTERS: usize>: sealed::Sealed {
    /// Loads the registers, and waits. With `PACKED`, a register has two columns of 16 bits.
    #[doc(hidden)]
    unsafe fn load<const PACKED: bool>(from: u32) -> [u32; REGISTERS];
    /// Stores the registers, and waits. With `PACKED`, a register goes to two columns of 16 bits.
    #[doc(hidden)]
    unsafe fn store<const PACKED: bool>(to: u32, values: &[u32; REGISTERS]);
}

/// The shapes. PTX ISA, "Data Movement Shape" of `tcgen05`.
pub mod shape {
    super::names! {
        /// Each thread has a lane, and each of its registers has the lane's 32 bits of one column.
        /// This is the usual shape.
        Lanes32;
        /// 16 lanes, 64 bits of each at a time.
        Lanes16Bits64;
        /// 16 lanes, 128 bits of each at a time: two registers.
        Lanes16Bits128;
        /// 16 lanes, 256 bits of each at a time: four registers.
        Lanes16Bits256;
    }

    /// 16 lanes, 32 bits of each at a time, and as much `COLUMNS` columns to the right.
    #[derive(Clone, Copy, Debug)]
    pub enum Lanes16Split<const COLUMNS: u32> {}
    impl<const COLUMNS: u32> super::sealed::Sealed for Lanes16Split<COLUMNS> {}
}

/// Implements a shape's transfers of this many registers. The arguments contain the instruction's
/// text and the operands after the address.
macro_rules! transfer {
    ([$($generics:tt)*] $shape:ty, $words:literal, $registers:literal, [$($i:literal)*], $split:literal, [$($operand:tt)*]) => {
        impl $($generics)* Shape<$registers> for $shape {
            #[inline(always)]
            unsafe fn load<const PACKED: bool>(from: u32) -> [u32; $registers] {
                macro_rules! load {
                    ($packing:literal, $values:ident) => {
                        ptx!("tcgen05.ld":
                            concat!(
                                "tcgen05.ld.sync.aligned.", $words, $packing, ".b32 {{ {0}", $(", {", $i, "}",)* " }}, [{address}]", $split, ";",
                                "tcgen05.wait::ld.sync.aligned;"
                            ),
                            out(reg32) $values[0],
                            $(out(reg32) $values[$i],)*
                            address = in(reg32) from,
                            $($operand)*
                            options(nostack, preserves_flags),
                        )
                    };
                }
                let mut values = [0; $registers];
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    if PACKED {
                        load!(".pack::16b", values);
                    } else {
                        load!("", values);
                    }
                }
                values
            }

            #[inline(always)]
            unsafe fn store<const PACKED: bool>(to: u32, values: &[u32; $registers]) {
                macro_rules! store {
                    ($packing:literal) => {
                        ptx!("tcgen05.st":
                            concat!(
                                "tcgen05.st.sync.aligned.", $words, $packing, ".b32 [{address}]", $split, ", {{ {0}", $(", {", $i, "}",)* " }};",
                                "tcgen05.wait::st.sync.aligned;"
                            ),
                            in(reg32) values[0],
                            $(in(reg32) values[$i],)*
                            address = in(reg32) to,
                            $($operand)*
                            options(nostack, preserves_flags),
                        )
                    };
                }
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    if PACKED {
                        store!(".unpack::16b");
                    } else {
                        store!("");
                    }
                }
            }
        }
    };
}

/// For each number of registers the numbers of all but the first, and the shapes with their words.
macro_rules! transfers {
    ($($registers:literal $rest:tt: $($shape:ident $words:literal),*; $split:literal;)*) => {$(
        $(transfer! { [] shape::$shape, $words, $registers, $rest, "", [] })*
        transfer! {
            [<const COLUMNS: u32>] shape::Lanes16Split<COLUMNS>, $split, $registers, $rest, ", {split}", [split = const COLUMNS,]
        }
    )*};
}
transfers! {
    1 []: Lanes32 "32x32b.x1", Lanes16Bits64 "16x64b.x1"; "16x32bx2.x1";
    2 [1]: Lanes32 "32x32b.x2", Lanes16Bits64 "16x64b.x2", Lanes16Bits128 "16x128b.x1"; "16x32bx2.x2";
    4 [1 2 3]: Lanes32 "32x32b.x4", Lanes16Bits64 "16x64b.x4", Lanes16Bits128 "16x128b.x2", Lanes16Bits256 "16x256b.x1"; "16x32bx2.x4";
    8 [1 2 3 4 5 6 7]: Lanes32 "32x32b.x8", Lanes16Bits64 "16x64b.x8", Lanes16Bits128 "16x128b.x4", Lanes16Bits256 "16x256b.x2"; "16x32bx2.x8";
    16 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]: Lanes32 "32x32b.x16", Lanes16Bits64 "16x64b.x16", Lanes16Bits128 "16x128b.x8", Lanes16Bits256 "16x256b.x4"; "16x32bx2.x16";
    32 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31]: Lanes32 "32x32b.x32", Lanes16Bits64 "16x64b.x32", Lanes16Bits128 "16x128b.x16", Lanes16Bits256 "16x256b.x8"; "16x32bx2.x32";
    64 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44
        45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63]: Lanes32 "32x32b.x64", Lanes16Bits64 "16x64b.x64", Lanes16Bits128 "16x128b.x32", Lanes16Bits256 "16x256b.x16"; "16x32bx2.x64";
    128 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44
        45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85
        86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119
        120 121 122 123 124 125 126 127]: Lanes32 "32x32b.x128", Lanes16Bits64 "16x64b.x128", Lanes16Bits128 "16x128b.x64", Lanes16Bits256 "16x256b.x32"; "16x32bx2.x128";
}

impl TensorAddress {
    /// Loads `REGISTERS` registers of each thread from this address on, and waits for the load. All
    /// lanes of the warp call it with the same address, in the warp's 32 lanes of tensor memory.
    ///
    /// # Safety
    /// This block has allocated the columns, and nothing writes them: the thread has waited for
    /// products with [`wait_for_products`](super::wait_for_products).
    #[doc(alias = "tcgen05.ld")]
    #[inline(always)]
    #[must_use]
    pub unsafe fn load<S: Shape<REGISTERS>, const REGISTERS: usize>(self) -> [u32; REGISTERS] {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { S::load::<false>(self.bits()) }
    }

    /// Like [`load`](Self::load), for columns of 16 bits. Each register has two of them.
    ///
    /// # Safety
    /// As for [`load`](Self::load).
    #[doc(alias = "tcgen05.ld.pack::16b")]
    #[inline(always)]
    #[must_use]
    pub unsafe fn load_packed<S: Shape<REGISTERS>, const REGISTERS: usize>(
        self,
    ) -> [u32; REGISTERS] {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { S::load::<true>(self.bits()) }
    }

    /// Stores `REGISTERS` registers of each thread from this address on, and waits for the
    /// store. All lanes of the warp call it with the same address, in the warp's 32 lanes
    /// of tensor memory.
    ///
    /// # Safety
    /// This block has allocated the columns, and nothing else uses them.
    #[doc(alias = "tcgen05.st")]
    #[inline(always)]
    pub unsafe fn store<S: Shape<REGISTERS>, const REGISTERS: usize>(
        self,
        values: &[u32; REGISTERS],
    ) {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { S::store::<false>(self.bits(), values) }
    }

    /// Like [`store`](Self::store), for registers with two elements of 16 bits. Each element goes
    /// to its own column.
    ///
    /// # Safety
    /// As for [`store`](Self::store).
    #[doc(alias = "tcgen05.st.unpack::16b")]
    #[inline(always)]
    pub unsafe fn store_unpacked<S: Shape<REGISTERS>, const REGISTERS: usize>(
        self,
        values: &[u32; REGISTERS],
    ) {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { S::store::<true>(self.bits(), values) }
    }
}
