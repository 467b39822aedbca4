//! Types of a tensor's elements.
//!
//! CUDA driver API reference, `CUtensorMapDataType`; PTX ISA 9.7.9 "tensormap.replace", table of `new_val`, numbers them in
//! another order.

use crate::semantics::half::OUT_OF_BOUNDS;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// `CU_TENSOR_MAP_DATA_TYPE_UINT8`.
    U8,
    /// `..._UINT16`.
    U16,
    /// `..._UINT32`.
    U32,
    /// `..._INT32`.
    S32,
    /// `..._UINT64`.
    U64,
    /// `..._INT64`.
    S64,
    /// `..._FLOAT16`.
    F16,
    /// `..._FLOAT32`.
    F32,
    /// `..._FLOAT64`.
    F64,
    /// `..._BFLOAT16`.
    Bf16,
    /// `..._FLOAT32_FTZ`.
    F32Ftz,
    /// `..._TFLOAT32`.
    Tf32,
    /// `..._TFLOAT32_FTZ`.
    Tf32Ftz,
    /// `..._16U4_ALIGN8B` (`sm_100`).
    U4x16,
    /// `..._16U4_ALIGN16B` (`sm_100`).
    U4x16Padded,
    /// `..._16U6_ALIGN16B` (`sm_100`).
    U6x16Padded,
}

use Element::*;

/// The driver's order.
const DRIVER: [Element; 16] = [
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    Bf16,
    F32Ftz,
    Tf32,
    Tf32Ftz,
    U4x16,
    U4x16Padded,
    U6x16Padded,
];

/// The order of `tensormap.replace.tile.elemtype`.
const PTX: [Element; 16] = [
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F32Ftz,
    F64,
    Bf16,
    Tf32,
    Tf32Ftz,
    U4x16,
    U4x16Padded,
    U6x16Padded,
];

impl Element {
    /// The type with this number in `CUtensorMapDataType`.
    pub fn of_driver(number: u32) -> Option<Self> {
        DRIVER.get(number as usize).copied()
    }

    /// The type with this number in `tensormap.replace`.
    pub fn of_ptx(number: u32) -> Option<Self> {
        PTX.get(number as usize).copied()
    }

    /// Its number in `CUtensorMapDataType`.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Bits of one element in global memory: a byte's multiple but for packed types.
    pub fn bits(self) -> u32 {
        match self {
            U8 => 8,
            U16 | F16 | Bf16 => 16,
            U32 | S32 | F32 | F32Ftz | Tf32 | Tf32Ftz => 32,
            U64 | S64 | F64 => 64,
            U4x16 | U4x16Padded => 4,
            U6x16Padded => 6,
        }
    }

    /// Bytes of one element; none of packed types, of which 16 are copied as one.
    pub fn size(self) -> Option<u32> {
        (!self.packed()).then(|| self.bits() / 8)
    }

    /// Whether several elements share a byte.
    pub fn packed(self) -> bool {
        matches!(self, U4x16 | U4x16Padded | U6x16Padded)
    }

    /// Whether elements are packed with gaps between them in shared memory.
    pub fn padded(self) -> bool {
        matches!(self, U4x16Padded | U6x16Padded)
    }

    /// Whether there is a NaN that stands for what lies outside of the tensor.
    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64 | Bf16 | F32Ftz | Tf32 | Tf32Ftz)
    }

    /// The bits of `OOB-NaN`, of which an element takes the low ones. Open in the ISA: here the mark that `fma.oob` of an H200
    /// knows of halves, in each 16 bits.
    pub fn outside(self) -> u64 {
        u64::from(OUT_OF_BOUNDS) * 0x0001_0001_0001_0001
    }
}
