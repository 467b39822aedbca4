//! Types of a tensor's elements.
//!
//! CUDA driver API reference, `CUtensorMapDataType`. PTX ISA 9.7.9 "tensormap.replace", table of
//! `new_val`, numbers the types in another order.

use crate::semantics::half::OUT_OF_BOUNDS;

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_UINT8`.
    U8,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_UINT16`.
    U16,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_UINT32`.
    U32,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_INT32`.
    S32,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_UINT64`.
    U64,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_INT64`.
    S64,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_FLOAT16`.
    F16,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_FLOAT32`.
    F32,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_FLOAT64`.
    F64,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_BFLOAT16`.
    Bf16,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ`.
    F32Ftz,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_TFLOAT32`.
    Tf32,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ`.
    Tf32Ftz,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B`, from `sm_100` on.
    U4x16,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B`, from `sm_100` on.
    U4x16Padded,
    /// Elements of `CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B`, from `sm_100` on.
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
    /// Returns the type with this number in `CUtensorMapDataType`.
    pub fn of_driver(number: u32) -> Option<Self> {
        DRIVER.get(number as usize).copied()
    }

    /// Returns the type with this number in `tensormap.replace`.
    pub fn of_ptx(number: u32) -> Option<Self> {
        PTX.get(number as usize).copied()
    }

    /// Returns the type's number in `CUtensorMapDataType`.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Returns the bits of one element in global memory. Except for packed types, it is a
    /// multiple of 8.
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

    /// Returns the bytes of one element. Returns `None` for packed types, whose elements are copied
    /// 16 at a time.
    pub fn size(self) -> Option<u32> {
        (!self.packed()).then(|| self.bits() / 8)
    }

    /// Returns whether several elements share a byte.
    pub fn packed(self) -> bool {
        matches!(self, U4x16 | U4x16Padded | U6x16Padded)
    }

    /// Returns whether the elements are packed in global memory, with padding between them
    /// in shared memory.
    pub fn padded(self) -> bool {
        matches!(self, U4x16Padded | U6x16Padded)
    }

    /// Returns whether a NaN of this type can stand for elements outside the tensor.
    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64 | Bf16 | F32Ftz | Tf32 | Tf32Ftz)
    }

    /// Returns the bits of `OOB-NaN`. An element takes the low ones. The ISA does not define them.
    /// Here each 16 bits are the NaN that `fma.oob` of an H200 recognises for halves.
    pub fn outside(self) -> u64 {
        u64::from(OUT_OF_BOUNDS) * 0x0001_0001_0001_0001
    }
}
