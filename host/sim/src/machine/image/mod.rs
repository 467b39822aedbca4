//! The common parts of texture and surface instructions: their operands, and the lookup of the
//! object that a handle names.
//!
//! PTX ISA 9.7.10 and 9.7.11. Lanes go one after another: a fetch costs so much more than its
//! dispatch that vectors of lanes would gain nothing. A handle that names no object, an object of
//! another kind or shape, and memory that was freed are faults.

pub(crate) mod query;
pub(in crate::machine) mod sampling;
pub(crate) mod surface;
pub(crate) mod texture;

use super::core::Core;
use super::event::{FaultKind, ImageFault};
use super::launch::run::Run;
use super::op::Op;
use crate::image::{Image, Object, Shape, Texture};
use crate::semantics::texture::SurfaceClamp;

/// The operands of a texture or surface instruction.
#[derive(Debug, Clone)]
pub(crate) struct ImageSite {
    /// The meaning of the coordinates.
    pub(crate) geometry: Geometry,
    /// The row of handles: 64-bit values.
    pub(crate) handle: u32,
    /// Rows of coordinates, 32-bit values. A layer's number is the first.
    pub(crate) coordinates: Vec<u32>,
    /// Rows of offsets, in texels, that are added to the coordinates except the layer's. Empty if
    /// there are none.
    pub(crate) offsets: Vec<u32>,
    /// The predicate for whether the texels are in memory, which they always are here.
    pub(crate) resident: Option<u32>,
    /// Rows of results, or of stored values; `NOWHERE` for `_`.
    pub(crate) values: Vec<u32>,
    /// Whether values have 64 bits.
    pub(crate) wide: bool,
    /// The operation on the object.
    pub(crate) action: Action,
}

/// The operation of an instruction on its object.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// A read by `tex`.
    Fetch {
        /// Whether coordinates are integers.
        integers: bool,
        level: LevelOf,
        result: ResultAs,
    },
    /// `tld4` of this component.
    Gather { component: usize, result: ResultAs },
    /// `suld.b`, `sust.b`: elements of this many bytes, unformatted.
    Raw { bytes: u32, clamp: SurfaceClamp },
    /// A formatted store by `sust.p`.
    Formatted { clamp: SurfaceClamp },
    /// A reduction by `sured`.
    Reduce {
        update: Update,
        clamp: SurfaceClamp,
        /// The number of bytes of the value, and whether it is signed. If the instruction does not
        /// have a type, the format determines them.
        value: Option<(u32, bool)>,
    },
    /// `txq`, `suq`; of the level in this row, if there is one.
    Query(Query, Option<u32>),
    /// `istypep`: whether the handle is of a texture reference, or of a surface reference, or of a
    /// sampler. There are no samplers.
    Is { texture: Option<bool> },
}

/// The level that a fetch reads.
#[derive(Debug, Clone)]
pub(crate) enum LevelOf {
    /// The first level, whatever the sampler's settings are.
    Base,
    /// The level in this row, an f32.
    Row(u32),
    /// By the gradients of the coordinates in x and y: rows of f32.
    Gradient(Vec<u32>, Vec<u32>),
}

/// The format in which results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultAs {
    /// 32 bits each.
    Words,
    /// Rounded to f16.
    Halves,
    /// Pairs of f16.
    PackedHalves,
}

/// The operation of `sured` on an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Update {
    Add,
    Min,
    Max,
    And,
    Or,
}

/// The property that a query returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Query {
    Width,
    Height,
    Depth,
    DataType,
    Order,
    Layers,
    Normalized,
    Levels,
    /// A constant: one sample, linear memory layout, and so on.
    Fixed(u32),
    Filter,
    /// The addressing mode of an axis.
    Address(usize),
}

/// `.1d` to `.acube`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Geometry {
    D1,
    D2,
    D3,
    A1d,
    A2d,
    Cube,
    Acube,
    /// An instruction without a geometry: queries.
    Any,
}

impl Geometry {
    /// Returns the number of coordinates that are read, with the layer's number. Coordinates after
    /// them are padding.
    pub(crate) fn coordinates(self) -> usize {
        match self {
            Geometry::D1 => 1,
            Geometry::D2 | Geometry::A1d => 2,
            Geometry::D3 | Geometry::A2d | Geometry::Cube => 3,
            Geometry::Acube => 4,
            Geometry::Any => 0,
        }
    }

    /// Returns whether the first coordinate is a layer's number.
    pub(crate) fn layered(self) -> bool {
        matches!(self, Geometry::A1d | Geometry::A2d | Geometry::Acube)
    }

    /// Returns the name for reports.
    fn name(self) -> &'static str {
        match self {
            Geometry::D1 => "1d",
            Geometry::D2 => "2d",
            Geometry::D3 => "3d",
            Geometry::A1d => "a1d",
            Geometry::A2d => "a2d",
            Geometry::Cube => "cube",
            Geometry::Acube => "acube",
            Geometry::Any => "any",
        }
    }

    /// Returns whether a texture of this shape is read with this geometry.
    fn reads(self, shape: Shape) -> bool {
        match self {
            Geometry::D1 => matches!(shape, Shape::D1 | Shape::Linear),
            Geometry::D2 => shape == Shape::D2,
            Geometry::D3 => shape == Shape::D3,
            Geometry::A1d => shape == Shape::Layered1,
            Geometry::A2d => shape == Shape::Layered2,
            Geometry::Cube => shape == Shape::Cube,
            Geometry::Acube => shape == Shape::LayeredCube,
            Geometry::Any => true,
        }
    }

    /// Returns whether a surface of this shape is accessed with this geometry. The faces of
    /// cubes are layers.
    fn accesses(self, shape: Shape) -> bool {
        let faces = matches!(shape, Shape::Cube | Shape::LayeredCube);
        self.reads(shape) || (self == Geometry::A2d && faces)
    }
}

/// The fault of a wrong object.
pub(super) type Wrong = Box<FaultKind>;

/// Makes the fault of an image instruction whose object is wrong.
pub(super) fn wrong(message: String, notes: Vec<String>, help: &'static str) -> Wrong {
    wrong_as(ImageFault::Object, message, notes, help)
}

/// Makes a fault of an image instruction.
pub(super) fn wrong_as(
    kind: ImageFault,
    message: String,
    notes: Vec<String>,
    help: &'static str,
) -> Wrong {
    Box::new(FaultKind::Image {
        kind,
        message,
        notes,
        help,
    })
}

impl<'l> Run<'l> {
    fn object(&self, handle: u64, meant: &str) -> Result<&Object, Wrong> {
        self.images.get(handle).ok_or_else(|| {
            let message = format!("{handle:#x} is no {meant}");
            let help = "pass the object that the host created, as 64 bits, and destroy it after the launches that use it";
            let note = format!("{} handles were live when the launch began", self.images.live());
            wrong(message, vec![note], help)
        })
    }

    /// Returns the texture that `handle` names, if all of its memory is live.
    pub(super) fn texture(&self, handle: u64, geometry: Geometry) -> Result<&Texture, Wrong> {
        match self.object(handle, "texture object")? {
            Object::Texture(texture) => {
                for level in &texture.levels {
                    self.live(level)?;
                }
                let shape = texture.levels.first().map(|level| level.shape);
                if shape.is_some_and(|shape| geometry.reads(shape)) {
                    return Ok(texture);
                }
                let message = format!(
                    "a `.{}` fetch of a texture that is {}",
                    geometry.name(),
                    shape.map_or("empty", shape_name)
                );
                Err(wrong(
                    message,
                    vec![],
                    "create the array with the shape that the kernel reads",
                ))
            }
            Object::UnboundTexture => {
                let help = "bind an array or memory to it (cuTexRefSetArray, cuTexRefSetAddress) before the launch";
                Err(wrong(
                    "a texture reference that nothing is bound to".into(),
                    vec![],
                    help,
                ))
            }
            _ => {
                let help = "a kernel's textures and surfaces are different objects: create a texture object";
                Err(wrong(
                    format!("{handle:#x} is a surface, where a texture is read"),
                    vec![],
                    help,
                ))
            }
        }
    }

    /// Returns the surface that `handle` names, if its memory is live.
    pub(super) fn surface(&self, handle: u64, geometry: Geometry) -> Result<&Image, Wrong> {
        match self.object(handle, "surface object")? {
            Object::Surface(image) => {
                self.live(image)?;
                if geometry.accesses(image.shape) {
                    return Ok(image);
                }
                let message = format!(
                    "a `.{}` access to a surface that is {}",
                    geometry.name(),
                    shape_name(image.shape)
                );
                Err(wrong(
                    message,
                    vec![],
                    "create the array with the shape that the kernel accesses",
                ))
            }
            Object::UnboundSurface => {
                let help = "bind an array to it (cuSurfRefSetArray) before the launch";
                Err(wrong(
                    "a surface reference that nothing is bound to".into(),
                    vec![],
                    help,
                ))
            }
            _ => {
                let help = "a kernel's textures and surfaces are different objects: create a surface object";
                Err(wrong(
                    format!("{handle:#x} is a texture, where a surface is accessed"),
                    vec![],
                    help,
                ))
            }
        }
    }

    /// Returns whether `handle` is of a module's reference of this kind. An object that the host
    /// made is not: an H200 (driver 580.159.04, 2026-11-21) returns false for each kind.
    pub(super) fn is_reference(&self, handle: u64, texture: bool) -> bool {
        match self.images.get(handle) {
            _ if !self.images.is_reference(handle) => false,
            Some(Object::Texture(_) | Object::UnboundTexture) => texture,
            Some(Object::Surface(_) | Object::UnboundSurface) => !texture,
            None => false,
        }
    }

    /// Checks that all bytes of an image are live.
    fn live(&self, image: &Image) -> Result<(), Wrong> {
        let bytes = image.bytes().unwrap_or(0);
        if bytes > 0 && self.snapshot.holds(image.address, bytes) {
            return Ok(());
        }
        let note = format!("its address {}", self.memory.whereabouts(image.address));
        let help = "keep the array or memory until the launches that use it have ended";
        Err(wrong(
            "a texture or surface over memory that is not live".into(),
            vec![note],
            help,
        ))
    }
}

fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Linear => "linear memory",
        Shape::D1 => "1-D",
        Shape::D2 => "2-D",
        Shape::D3 => "3-D",
        Shape::Layered1 => "1-D layered",
        Shape::Layered2 => "2-D layered",
        Shape::Cube => "a cubemap",
        Shape::LayeredCube => "a layered cubemap",
    }
}

/// Reads one lane's value from a row of 32-bit values.
///
/// # Safety
/// `offset` must name a row of 32-bit values of the running frame, and `lane` be below 32.
#[inline]
pub(super) unsafe fn word(core: &Core<'_>, offset: u32, lane: usize) -> u32 {
    // SAFETY: rows hold 32 values.
    unsafe { *core.frame.add(offset as usize).cast::<u32>().add(lane) }
}

/// Reads one lane's value from a row of 64-bit values.
///
/// # Safety
/// As for [`word`], with 64-bit values.
#[inline]
pub(super) unsafe fn double(core: &Core<'_>, offset: u32, lane: usize) -> u64 {
    // SAFETY: rows hold 32 values.
    unsafe { *core.frame.add(offset as usize).cast::<u64>().add(lane) }
}

/// Writes the value that [`word`] reads.
///
/// # Safety
/// As for [`word`].
#[inline]
pub(super) unsafe fn set_word(core: &mut Core<'_>, offset: u32, lane: usize, value: u32) {
    // SAFETY: rows hold 32 values.
    unsafe { *core.frame.add(offset as usize).cast::<u32>().add(lane) = value };
}

/// Writes the value that [`double`] reads.
///
/// # Safety
/// As for [`double`].
#[inline]
pub(super) unsafe fn set_double(core: &mut Core<'_>, offset: u32, lane: usize, value: u64) {
    // SAFETY: rows hold 32 values.
    unsafe { *core.frame.add(offset as usize).cast::<u64>().add(lane) = value };
}

/// Returns the coordinates of one lane.
///
/// # Safety
/// `site` must be of an operation of the running frame.
pub(super) unsafe fn coordinates(core: &Core<'_>, site: &ImageSite, lane: usize) -> [u32; 4] {
    let mut values = [0; 4];
    for (value, &row) in values.iter_mut().zip(&site.coordinates) {
        // SAFETY: the decoder gave rows of 32-bit values.
        *value = unsafe { word(core, row, lane) };
    }
    values
}

/// Returns the offsets of a fetch from its coordinates, in texels along each axis.
///
/// The ISA leaves open which bits of an offset count. It defines offsets from -8 to 7, so four
/// bits are used.
///
/// # Safety
/// As for [`coordinates`].
pub(super) unsafe fn offsets(core: &Core<'_>, site: &ImageSite, lane: usize) -> [i32; 3] {
    let mut values = [0; 3];
    for (value, &row) in values.iter_mut().zip(&site.offsets) {
        // SAFETY: the decoder gave rows of 32-bit values.
        *value = (unsafe { word(core, row, lane) } << 28) as i32 >> 28;
    }
    values
}

/// Returns the operands of `op`.
///
/// # Safety
/// `op` must be an image operation of the run's program.
pub(super) unsafe fn site<'l>(run: &'l Run<'_>, op: *const Op) -> &'l ImageSite {
    // SAFETY: the decoder put an index into the list in `aux`.
    unsafe { &run.program.images[(*op).aux as usize] }
}
