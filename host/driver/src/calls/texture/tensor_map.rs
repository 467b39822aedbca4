//! The calls of "Tensor Map Object Management".
//!
//! The simulator defines the valid maps (`lanewise_sim::tensor`) and the format of the 128 bytes.
//! NVIDIA's format is not published, and a program may not read the bytes. An error names the
//! requirement that was not met.

use crate::abi::{CUtensorMap, c_int, c_uint, c_void};
use crate::calls::{present, put};
use crate::error::{Error, Result, ensure, fail};
use crate::objects::context;
use lanewise_sim::tensor::{
    Access, Element, Fill, Im2col, Interleave, Promotion, Swizzle, TensorMap,
};

/// The arguments that all three encodings have.
struct Tensor {
    data_type: c_uint,
    rank: u32,
    address: *mut c_void,
    size: *const u64,
    strides: *const u64,
    steps: *const u32,
    interleave: c_uint,
    swizzle: c_uint,
    promotion: c_uint,
    fill: c_uint,
}

/// Returns the value of an enumeration, or an error that names it.
fn named<T>(value: Option<T>, number: c_uint, what: &str) -> Result<T> {
    match value {
        Some(value) => Ok(value),
        None => fail!(ERROR_INVALID_VALUE, "{number} is no {what}"),
    }
}

/// Returns the first `count` elements, filled up with zeros.
///
/// # Safety
/// `from` is null or valid for reads of `count` elements.
unsafe fn array<T: Copy + Default, const N: usize>(
    from: *const T,
    count: usize,
    name: &str,
) -> Result<[T; N]> {
    let mut array = [T::default(); N];
    if count > 0 {
        present(from, name)?;
    }
    for (i, to) in array.iter_mut().take(count).enumerate() {
        // SAFETY: the pointer is not null if there is an element, so it is valid by
        // the caller's contract.
        *to = unsafe { from.add(i).read_unaligned() };
    }
    Ok(array)
}

impl Tensor {
    /// Makes the map of this tensor, checks it and writes it to `to`.
    ///
    /// # Safety
    /// `to` is null or valid for a write. The arrays are null or as long as the rank specifies.
    unsafe fn encode(self, to: *mut CUtensorMap, access: Access) -> Result {
        let context = context::current()?;
        placed(to)?;
        let sm = context.device.sim.model().sm();
        ensure!(
            sm >= 90,
            ERROR_INVALID_VALUE,
            "tensor maps need compute capability 9.0, and this device has {}.{}",
            sm / 10,
            sm % 10
        );
        let rank = self.rank;
        ensure!(
            (1..=5).contains(&rank),
            ERROR_INVALID_VALUE,
            "a tensor of {rank} dimensions; there can be 1 to 5"
        );
        let dimensions = rank as usize;
        // An H200's driver (580.159) requires the strides for one dimension too, where
        // there are none.
        present(self.strides, "globalStrides")?;
        // SAFETY: the caller keeps the contract.
        let map = unsafe {
            TensorMap {
                element: named(
                    Element::of_driver(self.data_type),
                    self.data_type,
                    "CUtensorMapDataType",
                )?,
                rank,
                address: self.address as u64,
                size: array(self.size, dimensions, "globalDim")?,
                strides: array(self.strides, dimensions - 1, "globalStrides")?,
                steps: array(self.steps, dimensions, "elementStrides")?,
                access,
                interleave: named(
                    Interleave::of(self.interleave),
                    self.interleave,
                    "CUtensorMapInterleave",
                )?,
                swizzle: named(
                    Swizzle::of(self.swizzle),
                    self.swizzle,
                    "CUtensorMapSwizzle",
                )?,
                promotion: named(
                    Promotion::of(self.promotion),
                    self.promotion,
                    "CUtensorMapL2promotion",
                )?,
                fill: named(Fill::of(self.fill), self.fill, "CUtensorMapFloatOOBfill")?,
            }
        };
        check(&map, sm)?;
        // SAFETY: the caller keeps the contract. The pointer was checked above.
        unsafe { put(to, CUtensorMap::from_bytes(map.encode()), "tensorMap") }
    }
}

/// Checks that the program's address is valid for a tensor map.
fn placed(map: *mut CUtensorMap) -> Result {
    present(map, "tensorMap")?;
    ensure!(
        map.is_aligned(),
        ERROR_INVALID_VALUE,
        "the tensor map is at {map:p}, no multiple of 64 bytes"
    );
    Ok(())
}

fn check(map: &TensorMap, sm: u32) -> Result {
    map.check(sm).map_err(|error| {
        Error::new(
            crate::abi::CUresult::ERROR_INVALID_VALUE,
            format_args!("the tensor map cannot be: {error}"),
        )
    })
}

pub(crate) unsafe fn tiled(
    to: *mut CUtensorMap,
    data_type: c_uint,
    rank: u32,
    address: *mut c_void,
    size: *const u64,
    strides: *const u64,
    box_size: *const u32,
    steps: *const u32,
    interleave: c_uint,
    swizzle: c_uint,
    promotion: c_uint,
    fill: c_uint,
) -> Result {
    let tensor = Tensor {
        data_type,
        rank,
        address,
        size,
        strides,
        steps,
        interleave,
        swizzle,
        promotion,
        fill,
    };
    // SAFETY: the caller keeps the contract.
    unsafe {
        let sizes = array(box_size, rank.min(5) as usize, "boxDim")?;
        tensor.encode(to, Access::Tiled(sizes))
    }
}

pub(crate) unsafe fn im2col(
    to: *mut CUtensorMap,
    data_type: c_uint,
    rank: u32,
    address: *mut c_void,
    size: *const u64,
    strides: *const u64,
    lower: *const c_int,
    upper: *const c_int,
    channels: u32,
    pixels: u32,
    steps: *const u32,
    interleave: c_uint,
    swizzle: c_uint,
    promotion: c_uint,
    fill: c_uint,
) -> Result {
    ensure!(
        (3..=5).contains(&rank),
        ERROR_INVALID_VALUE,
        "images of {rank} dimensions; they have 3 to 5, with channels and images"
    );
    let tensor = Tensor {
        data_type,
        rank,
        address,
        size,
        strides,
        steps,
        interleave,
        swizzle,
        promotion,
        fill,
    };
    // SAFETY: the caller keeps the contract.
    unsafe {
        let spatial = rank as usize - 2;
        let lower = array(lower, spatial, "pixelBoxLowerCorner")?;
        let upper = array(upper, spatial, "pixelBoxUpperCorner")?;
        let (lower, upper) = (corner(lower)?, corner(upper)?);
        let images = Im2col {
            lower,
            upper,
            channels,
            pixels,
        };
        tensor.encode(to, Access::Im2col(images))
    }
}

/// Converts a corner to the largest width that any map has for it.
fn corner(of: [c_int; 3]) -> Result<[i16; 3]> {
    let mut corner = [0; 3];
    for (to, coordinate) in corner.iter_mut().zip(of) {
        match i16::try_from(coordinate) {
            Ok(fits) => *to = fits,
            Err(_) => fail!(
                ERROR_INVALID_VALUE,
                "a corner of the bounding box at {coordinate}, which needs more than 16 bits"
            ),
        }
    }
    Ok(corner)
}

pub(crate) unsafe fn replace_address(map: *mut CUtensorMap, address: *mut c_void) -> Result {
    let context = context::current()?;
    placed(map)?;
    // SAFETY: the pointer is not null, so by the caller's contract it points to an object.
    let bytes = unsafe { map.read() }.into_bytes();
    let Some(mut decoded) = TensorMap::decode(&bytes) else {
        fail!(
            ERROR_INVALID_VALUE,
            "no tensor map is at {map:p}; encode one first"
        )
    };
    decoded.address = address as u64;
    check(&decoded, context.device.sim.model().sm())?;
    // SAFETY: as above, and the caller lets it be changed.
    unsafe { put(map, CUtensorMap::from_bytes(decoded.encode()), "tensorMap") }
}
