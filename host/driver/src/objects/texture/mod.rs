//! Texture and surface objects: converts descriptors of the API to those of `lanewise_sim::image`.
//!
//! Source: CUDA driver API reference, `cuTexObjectCreate` and `cuSurfObjectCreate`. Objects belong
//! to a context's device, which assigns the handles that kernels use.

pub(crate) mod array;

use super::attributes;
use super::context::{self, Context};
use super::handle::ledger::{self, ObjectKind};
use super::{device, memory};
use crate::abi::enums::{
    address_mode, array_flags, filter_mode, resource_type, texture_flags as flag,
};
use crate::abi::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUcontext, CUdevice,
    LinearResource, PitchedResource,
};
use crate::error::{Result, ensure, fail};
use array::Array;
use lanewise_sim::image::{AddressMode, Filter, Format, Image, Object, Sampler, Shape, Texture};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// A texture or surface object with its descriptors.
#[derive(Clone, Copy)]
pub(crate) struct ImageObject {
    context: CUcontext,
    pub(crate) resource: CUDA_RESOURCE_DESC,
    /// The texture descriptor; `None` for surfaces.
    pub(crate) texture: Option<CUDA_TEXTURE_DESC>,
    pub(crate) view: Option<CUDA_RESOURCE_VIEW_DESC>,
}

/// The objects by device and handle. Each device assigns its own handles.
static OBJECTS: Mutex<BTreeMap<(CUdevice, u64), ImageObject>> = Mutex::new(BTreeMap::new());

/// Returns the mode that a `CUaddress_mode` names.
pub(crate) fn address(mode: u32) -> Result<AddressMode> {
    Ok(match mode {
        address_mode::WRAP => AddressMode::Wrap,
        address_mode::CLAMP => AddressMode::Clamp,
        address_mode::MIRROR => AddressMode::Mirror,
        address_mode::BORDER => AddressMode::Border,
        _ => fail!(ERROR_INVALID_VALUE, "{mode} is no CUaddress_mode"),
    })
}

/// Returns the filter that a `CUfilter_mode` names.
pub(crate) fn filter(mode: u32) -> Result<Filter> {
    Ok(match mode {
        filter_mode::POINT => Filter::Point,
        filter_mode::LINEAR => Filter::Linear,
        _ => fail!(ERROR_INVALID_VALUE, "{mode} is no CUfilter_mode"),
    })
}

/// Returns the sampler for a descriptor.
pub(crate) fn sampler(asked: &CUDA_TEXTURE_DESC) -> Result<Sampler> {
    let flags = asked.flags;
    ensure!(
        flags & !flag::ALL == 0,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CU_TRSF_ flags"
    );
    ensure!(
        flags & flag::SRGB == 0,
        ERROR_NOT_SUPPORTED,
        "CU_TRSF_SRGB: the simulator reads texels as they are, without sRGB's curve"
    );
    let [x, y, z] = asked.address_mode;
    Ok(Sampler {
        address: [address(x)?, address(y)?, address(z)?],
        filter: filter(asked.filter_mode)?,
        normalized: flags & flag::NORMALIZED_COORDINATES != 0,
        as_float: flags & flag::READ_AS_INTEGER == 0,
        border: asked.border_color,
        level_filter: filter(asked.mipmap_filter_mode)?,
        level_bias: asked.mipmap_level_bias,
        levels: [asked.min_mipmap_level_clamp, asked.max_mipmap_level_clamp],
    })
}

/// Returns the image of linear memory.
pub(crate) fn linear(context: &Context, asked: &LinearResource) -> Result<Image> {
    let format = array::format(asked.format)?;
    array::channels(asked.channels)?;
    let texel = (asked.channels * format.bytes()) as usize;
    let width = asked.bytes / texel;
    const MAXIMUM_TEXTURE1D_LINEAR_WIDTH: u32 = 69;
    let limit = attributes::value(context.device, MAXIMUM_TEXTURE1D_LINEAR_WIDTH).unwrap_or(0);
    ensure!(
        width > 0 && width <= limit as usize,
        ERROR_INVALID_VALUE,
        "{} bytes are {width} texels; a texture of linear memory has 1 to {limit}",
        asked.bytes
    );
    aligned(context, asked.device)?;
    memory::range("devPtr", asked.device, asked.bytes as u64)?;
    Ok(Image {
        address: asked.device,
        format,
        channels: asked.channels,
        shape: Shape::Linear,
        width: width as u32,
        height: 1,
        depth: 1,
        row: 0,
        slice: 0,
    })
}

/// Returns the image of memory with a pitch.
pub(crate) fn pitched(context: &Context, asked: &PitchedResource) -> Result<Image> {
    let format = array::format(asked.format)?;
    array::channels(asked.channels)?;
    let PitchedResource {
        device: address,
        channels,
        width,
        height,
        pitch,
        ..
    } = *asked;
    let texel = (channels * format.bytes()) as usize;
    let limit = |number| attributes::value(context.device, number).unwrap_or(0) as usize;
    // The attributes MAXIMUM_TEXTURE2D_LINEAR_WIDTH, _HEIGHT and _PITCH.
    let [most_width, most_height, most_pitch] = [limit(70), limit(71), limit(72)];
    ensure!(
        (1..=most_width).contains(&width) && (1..=most_height).contains(&height),
        ERROR_INVALID_VALUE,
        "{width} x {height} texels; a texture of pitched memory has 1 to {most_width} by 1 to {most_height}"
    );
    let step = context.device.sim.model().alignment.texture_pitch as usize;
    ensure!(
        pitch >= width * texel && pitch <= most_pitch && pitch % step == 0,
        ERROR_INVALID_VALUE,
        "a pitch of {pitch} bytes; rows have {} bytes, and a pitch is a multiple of {step} up to {most_pitch}",
        width * texel
    );
    aligned(context, address)?;
    memory::range(
        "devPtr",
        address,
        (pitch * (height - 1) + width * texel) as u64,
    )?;
    Ok(Image {
        address,
        format,
        channels,
        shape: Shape::D2,
        width: width as u32,
        height: height as u32,
        depth: 1,
        row: pitch as u64,
        slice: 0,
    })
}

fn aligned(context: &Context, address: u64) -> Result {
    let alignment = u64::from(context.device.sim.model().alignment.texture);
    ensure!(
        address.is_multiple_of(alignment),
        ERROR_INVALID_VALUE,
        "devPtr {address:#x} is no multiple of {alignment}, which textures begin at (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)"
    );
    Ok(())
}

/// Returns the images of a resource, one for each level.
fn images(context: &Context, resource: &CUDA_RESOURCE_DESC) -> Result<Vec<Image>> {
    ensure!(
        resource.flags == 0,
        ERROR_INVALID_VALUE,
        "the resource's flags are {:#x}; they must be 0",
        resource.flags
    );
    // SAFETY: every member consists of plain numbers, for which any bits are valid. The caller
    // passed a whole struct.
    unsafe {
        Ok(match resource.kind {
            resource_type::ARRAY => vec![array::get(resource.resource.array)?.image],
            resource_type::MIPMAPPED_ARRAY => {
                let mipmap = array::mipmap(resource.resource.mipmap)?;
                mipmap.levels.iter().map(|level| level.image).collect()
            }
            resource_type::LINEAR => vec![linear(context, &resource.resource.linear)?],
            resource_type::PITCH2D => vec![pitched(context, &resource.resource.pitched)?],
            other => fail!(ERROR_INVALID_VALUE, "{other} is no CUresourcetype"),
        })
    }
}

/// The uncompressed formats of `CUresourceViewFormat`. From number 1 on, each has three entries,
/// for 1, 2 and 4 channels.
const VIEWS: [Format; 8] = [
    Format::U8,
    Format::I8,
    Format::U16,
    Format::I16,
    Format::U32,
    Format::I32,
    Format::F16,
    Format::F32,
];

/// Returns the part of `levels` that a view selects.
fn view(levels: Vec<Image>, view: &CUDA_RESOURCE_VIEW_DESC) -> Result<Vec<Image>> {
    let (first, last) = (
        view.first_mipmap_level as usize,
        view.last_mipmap_level as usize,
    );
    ensure!(
        first <= last && last < levels.len(),
        ERROR_INVALID_VALUE,
        "a view of levels {first} to {last} of {}",
        levels.len()
    );
    let base = levels[first];
    let (format, channels) = match view.format {
        0 => (base.format, base.channels),
        number @ 1..=24 => {
            let at = number - 1;
            (VIEWS[at as usize / 3], 1 << (at % 3))
        }
        25..=34 => fail!(
            ERROR_NOT_SUPPORTED,
            "a view as a block-compressed format ({})",
            view.format
        ),
        other => fail!(ERROR_INVALID_VALUE, "{other} is no CUresourceViewFormat"),
    };
    ensure!(
        channels * format.bytes() == base.texel_bytes(),
        ERROR_INVALID_VALUE,
        "a view of texels of {} bytes as texels of {}",
        base.texel_bytes(),
        channels * format.bytes()
    );
    let layers = matches!(
        base.shape,
        Shape::Layered1 | Shape::Layered2 | Shape::Cube | Shape::LayeredCube
    );
    let cubes = matches!(base.shape, Shape::Cube | Shape::LayeredCube);
    ensure!(
        view.width == base.width as usize
            && [0, base.height as usize].contains(&view.height)
            && [0, base.depth as usize].contains(&view.depth),
        ERROR_INVALID_VALUE,
        "a view of {} x {} x {} of an array of {} x {} x {}; they are the same unless the view is block-compressed",
        view.width,
        view.height,
        view.depth,
        base.width,
        base.height,
        base.depth
    );
    let (from, to) = (view.first_layer, view.last_layer);
    ensure!(
        if layers {
            from <= to && to < base.depth
        } else {
            from == 0 && to == 0
        },
        ERROR_INVALID_VALUE,
        "a view of layers {from} to {to} of {}",
        if layers { base.depth } else { 1 }
    );
    ensure!(
        !cubes || (to - from + 1) % 6 == 0,
        ERROR_INVALID_VALUE,
        "a view of faces {from} to {to}; a cube has six"
    );
    let shown = levels[first..=last].iter().map(|level| Image {
        address: level.address + u64::from(from) * level.slice,
        format,
        channels,
        depth: if layers { to - from + 1 } else { level.depth },
        ..*level
    });
    Ok(shown.collect())
}

/// Makes a texture object.
pub(crate) fn create_texture(
    context: &Context,
    resource: CUDA_RESOURCE_DESC,
    texture: CUDA_TEXTURE_DESC,
    shown: Option<CUDA_RESOURCE_VIEW_DESC>,
) -> Result<u64> {
    let mut levels = images(context, &resource)?;
    let sampler = sampler(&texture)?;
    let over_array = resource.kind <= resource_type::MIPMAPPED_ARRAY;
    if let Some(part) = &shown {
        ensure!(
            over_array,
            ERROR_INVALID_VALUE,
            "a view is for arrays, not for linear or pitched memory; pass null"
        );
        levels = view(levels, part)?;
    }
    ensure!(
        resource.kind != resource_type::MIPMAPPED_ARRAY || sampler.normalized,
        ERROR_INVALID_VALUE,
        "a mipmapped array is read with normalised coordinates; set CU_TRSF_NORMALIZED_COORDINATES"
    );
    let floats = levels[0].format.is_float() || (sampler.as_float && levels[0].format.bytes() < 4);
    ensure!(
        sampler.filter == Filter::Point || floats || resource.kind == resource_type::LINEAR,
        ERROR_INVALID_VALUE,
        "linear filtering of integers; read 8- and 16-bit ones as floats (without CU_TRSF_READ_AS_INTEGER)"
    );
    let object = Object::Texture(Texture { levels, sampler });
    let made = ImageObject {
        context: context.handle,
        resource,
        texture: Some(texture),
        view: shown,
    };
    Ok(add(context, object, made))
}

/// Returns the image of an array, if surfaces may use the array.
pub(crate) fn surface_image(array: &Array) -> Result<Image> {
    ensure!(
        array.descriptor.flags & array_flags::SURFACE_LDST != 0,
        ERROR_INVALID_VALUE,
        "the array {:#x} was made without CUDA_ARRAY3D_SURFACE_LDST (2), which surfaces need",
        array.handle.0
    );
    Ok(array.image)
}

/// Makes a surface object.
pub(crate) fn create_surface(context: &Context, resource: CUDA_RESOURCE_DESC) -> Result<u64> {
    ensure!(
        resource.kind == resource_type::ARRAY && resource.flags == 0,
        ERROR_INVALID_VALUE,
        "a surface is over an array (CU_RESOURCE_TYPE_ARRAY, 0) without flags, not over type {} with flags {:#x}",
        resource.kind,
        resource.flags
    );
    // SAFETY: the member is a plain number.
    let array = array::get(unsafe { resource.resource.array })?;
    let object = Object::Surface(surface_image(&array)?);
    let made = ImageObject {
        context: context.handle,
        resource,
        texture: None,
        view: None,
    };
    Ok(add(context, object, made))
}

fn add(context: &Context, object: Object, made: ImageObject) -> u64 {
    let handle = context.device.sim.images().add(object);
    OBJECTS
        .lock()
        .insert((context.device.ordinal, handle), made);
    ledger::made(what(&made), handle, 0);
    handle
}

/// Returns the kind of an object for the check of leaks.
fn what(made: &ImageObject) -> ObjectKind {
    match made.texture {
        Some(_) => ObjectKind::Texture,
        None => ObjectKind::Surface,
    }
}

/// Returns the object that `handle` names on the context's device, if it is of this kind.
pub(crate) fn get(context: &Context, handle: u64, texture: bool) -> Result<ImageObject> {
    let found = OBJECTS
        .lock()
        .get(&(context.device.ordinal, handle))
        .copied();
    match found.filter(|made| made.texture.is_some() == texture) {
        Some(made) => Ok(made),
        None => fail!(
            ERROR_INVALID_VALUE,
            "{handle:#x} is no {} object of device {}; it was destroyed, or never was one",
            if texture { "texture" } else { "surface" },
            context.device.ordinal
        ),
    }
}

/// Removes an object after the work that may use it has ended.
pub(crate) fn destroy(context: &Context, handle: u64, texture: bool) -> Result {
    let made = get(context, handle, texture)?;
    if let Ok(owner) = context::get(made.context) {
        owner.wait();
    }
    OBJECTS.lock().remove(&(context.device.ordinal, handle));
    context.device.sim.images().remove(handle);
    ledger::gone(what(&made), handle);
    Ok(())
}

/// Removes the objects of a context.
pub(crate) fn forget_all(context: CUcontext) {
    OBJECTS.lock().retain(|&(ordinal, handle), made| {
        if made.context == context
            && let Ok(device) = device::get(ordinal)
        {
            device.sim.images().remove(handle);
            ledger::gone(what(made), handle);
        }
        made.context != context
    });
}
