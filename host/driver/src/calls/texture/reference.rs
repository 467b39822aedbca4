//! The calls of "Texture Reference Management (deprecated)" and "Surface
//! Reference Management (deprecated)".

use crate::abi::enums::reference_flags;
use crate::abi::{
    CUDA_ARRAY_DESCRIPTOR, CUarray, CUdeviceptr, CUfunction, CUmipmappedArray, CUmodule, CUsurfref,
    CUtexref, c_char, c_int, c_uint,
};
use crate::calls::{present, put, text};
use crate::error::{Result, ensure, fail};
use crate::objects::code::texture_reference as references;
use crate::objects::code::texture_reference::{Bound, Settings};
use crate::objects::code::{library, module};
use crate::objects::context;
use crate::objects::texture::{self, array};

pub(crate) unsafe fn of_module(
    reference: *mut CUtexref,
    module: CUmodule,
    name: *const c_char,
) -> Result {
    context::current()?;
    let module = module::get(module)?;
    present(reference, "pTexRef")?;
    // SAFETY: the caller keeps the contract.
    let found = references::texture_of(&module, unsafe { text(name, "name")? })?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(reference, found.handle, "pTexRef") }
}

pub(crate) unsafe fn surface_of_module(
    reference: *mut CUsurfref,
    module: CUmodule,
    name: *const c_char,
) -> Result {
    context::current()?;
    let module = module::get(module)?;
    present(reference, "pSurfRef")?;
    // SAFETY: the caller keeps the contract.
    let found = references::surface_of(&module, unsafe { text(name, "name")? })?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(reference, found.handle, "pSurfRef") }
}

pub(crate) unsafe fn create(reference: *mut CUtexref) -> Result {
    let context = context::current()?;
    present(reference, "pTexRef")?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(reference, references::create(&context).handle, "pTexRef") }
}

pub(crate) unsafe fn destroy(reference: CUtexref) -> Result {
    context::current()?;
    references::destroy(reference)
}

/// Changes a reference's settings.
fn change(reference: CUtexref, change: impl FnOnce(&mut Settings) -> Result) -> Result {
    context::current()?;
    references::texture(reference)?.change(change)
}

/// Returns a copy of a reference's settings.
fn settings(reference: CUtexref) -> Result<Settings> {
    context::current()?;
    let settings = references::texture(reference)?.settings.lock().clone();
    Ok(settings)
}

fn check_override(flags: c_uint) -> Result {
    ensure!(
        flags == reference_flags::OVERRIDE_FORMAT,
        ERROR_INVALID_VALUE,
        "flags are {flags:#x}; they must be CU_TRSA_OVERRIDE_FORMAT (1)"
    );
    Ok(())
}

pub(crate) unsafe fn set_array(reference: CUtexref, handle: CUarray, flags: c_uint) -> Result {
    change(reference, |settings| {
        check_override(flags)?;
        let array = array::get(handle)?;
        settings.format = array.descriptor.format;
        settings.channels = array.descriptor.channels;
        settings.bound = Bound::Array(array);
        Ok(())
    })
}

pub(crate) unsafe fn set_mipmap(
    reference: CUtexref,
    handle: CUmipmappedArray,
    flags: c_uint,
) -> Result {
    change(reference, |settings| {
        check_override(flags)?;
        let mipmap = array::mipmap(handle)?;
        let descriptor = mipmap.levels[0].descriptor;
        settings.format = descriptor.format;
        settings.channels = descriptor.channels;
        settings.how.max_mipmap_level_clamp = (mipmap.levels.len() - 1) as f32;
        settings.bound = Bound::Mipmap(mipmap);
        Ok(())
    })
}

pub(crate) unsafe fn set_address(
    offset: *mut usize,
    reference: CUtexref,
    address: CUdeviceptr,
    bytes: usize,
) -> Result {
    let alignment = context::current()?.device.sim.model().alignment.texture;
    // Textures begin at a multiple of the alignment. The kernel has to add the remaining offset.
    let rest = address % u64::from(alignment);
    change(reference, |settings| {
        ensure!(
            rest == 0 || !offset.is_null(),
            ERROR_INVALID_VALUE,
            "{address:#x} is {rest} bytes past a multiple of {alignment}; pass ByteOffset, and let the kernel add it"
        );
        settings.bound = Bound::Linear(address - rest, bytes.saturating_add(rest as usize));
        Ok(())
    })?;
    if !offset.is_null() {
        // SAFETY: the pointer is not null, so it is valid by the caller's contract.
        unsafe { offset.write(rest as usize) };
    }
    Ok(())
}

pub(crate) unsafe fn set_address_2d(
    reference: CUtexref,
    descriptor: *const CUDA_ARRAY_DESCRIPTOR,
    address: CUdeviceptr,
    pitch: usize,
) -> Result {
    change(reference, |settings| {
        present(descriptor, "desc")?;
        // SAFETY: the pointer is not null, so by the caller's contract it points to a descriptor.
        let descriptor = unsafe { descriptor.read() };
        settings.format = descriptor.format;
        settings.channels = descriptor.channels;
        settings.bound = Bound::Pitched(address, [descriptor.width, descriptor.height], pitch);
        Ok(())
    })
}

pub(crate) unsafe fn set_format(reference: CUtexref, format: c_uint, channels: c_int) -> Result {
    change(reference, |settings| {
        array::format(format)?;
        array::channels(u32::try_from(channels).unwrap_or(0))?;
        settings.format = format;
        settings.channels = channels as u32;
        Ok(())
    })
}

fn axis(dimension: c_int) -> Result<usize> {
    match dimension {
        0..=2 => Ok(dimension as usize),
        _ => fail!(
            ERROR_INVALID_VALUE,
            "dimension {dimension}; a texture has dimensions 0, 1 and 2"
        ),
    }
}

pub(crate) unsafe fn set_address_mode(
    reference: CUtexref,
    dimension: c_int,
    mode: c_uint,
) -> Result {
    change(reference, |settings| {
        texture::address(mode)?;
        settings.how.address_mode[axis(dimension)?] = mode;
        Ok(())
    })
}

pub(crate) unsafe fn set_filter_mode(reference: CUtexref, mode: c_uint) -> Result {
    change(reference, |settings| {
        texture::filter(mode)?;
        settings.how.filter_mode = mode;
        Ok(())
    })
}

pub(crate) unsafe fn set_mipmap_filter_mode(reference: CUtexref, mode: c_uint) -> Result {
    change(reference, |settings| {
        texture::filter(mode)?;
        settings.how.mipmap_filter_mode = mode;
        Ok(())
    })
}

pub(crate) unsafe fn set_mipmap_bias(reference: CUtexref, bias: f32) -> Result {
    change(reference, |settings| {
        settings.how.mipmap_level_bias = bias;
        Ok(())
    })
}

pub(crate) unsafe fn set_mipmap_clamp(reference: CUtexref, least: f32, most: f32) -> Result {
    change(reference, |settings| {
        settings.how.min_mipmap_level_clamp = least;
        settings.how.max_mipmap_level_clamp = most;
        Ok(())
    })
}

pub(crate) unsafe fn set_anisotropy(reference: CUtexref, most: c_uint) -> Result {
    change(reference, |settings| {
        settings.anisotropy = most;
        Ok(())
    })
}

pub(crate) unsafe fn set_border(reference: CUtexref, color: *mut f32) -> Result {
    change(reference, |settings| {
        present(color, "pBorderColor")?;
        // SAFETY: the pointer is not null, so by the caller's contract it points to four floats.
        settings.how.border_color = unsafe { color.cast::<[f32; 4]>().read() };
        Ok(())
    })
}

pub(crate) unsafe fn set_flags(reference: CUtexref, flags: c_uint) -> Result {
    change(reference, |settings| {
        settings.how.flags = flags;
        Ok(())
    })
}

pub(crate) unsafe fn address(address: *mut CUdeviceptr, reference: CUtexref) -> Result {
    match settings(reference)?.bound {
        Bound::Linear(found, _) | Bound::Pitched(found, ..) => {
            // SAFETY: the caller keeps the contract.
            unsafe { put(address, found, "pdptr") }
        }
        _ => fail!(ERROR_INVALID_VALUE, "the reference is not bound to memory"),
    }
}

pub(crate) unsafe fn array(handle: *mut CUarray, reference: CUtexref) -> Result {
    let found = references::array_of(&settings(reference)?.bound)?.handle;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, found, "phArray") }
}

pub(crate) unsafe fn mipmap(handle: *mut CUmipmappedArray, reference: CUtexref) -> Result {
    match settings(reference)?.bound {
        // SAFETY: the caller keeps the contract.
        Bound::Mipmap(found) => unsafe { put(handle, found.handle, "phMipmappedArray") },
        _ => fail!(
            ERROR_INVALID_VALUE,
            "the reference is not bound to a mipmapped array"
        ),
    }
}

pub(crate) unsafe fn address_mode(
    mode: *mut c_uint,
    reference: CUtexref,
    dimension: c_int,
) -> Result {
    let found = settings(reference)?.how.address_mode[axis(dimension)?];
    // SAFETY: the caller keeps the contract.
    unsafe { put(mode, found, "pam") }
}

pub(crate) unsafe fn filter_mode(mode: *mut c_uint, reference: CUtexref) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { put(mode, settings(reference)?.how.filter_mode, "pfm") }
}

pub(crate) unsafe fn format(
    format: *mut c_uint,
    channels: *mut c_int,
    reference: CUtexref,
) -> Result {
    let found = settings(reference)?;
    // SAFETY: the caller keeps the contract. An H200 permits both pointers to be null.
    unsafe {
        if !channels.is_null() {
            channels.write(found.channels as c_int);
        }
        if !format.is_null() {
            format.write(found.format);
        }
    }
    Ok(())
}

pub(crate) unsafe fn mipmap_filter_mode(mode: *mut c_uint, reference: CUtexref) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { put(mode, settings(reference)?.how.mipmap_filter_mode, "pfm") }
}

pub(crate) unsafe fn mipmap_bias(bias: *mut f32, reference: CUtexref) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { put(bias, settings(reference)?.how.mipmap_level_bias, "pbias") }
}

pub(crate) unsafe fn mipmap_clamp(least: *mut f32, most: *mut f32, reference: CUtexref) -> Result {
    let how = settings(reference)?.how;
    // SAFETY: the caller keeps the contract.
    unsafe {
        put(least, how.min_mipmap_level_clamp, "pminMipmapLevelClamp")?;
        put(most, how.max_mipmap_level_clamp, "pmaxMipmapLevelClamp")
    }
}

pub(crate) unsafe fn anisotropy(most: *mut c_int, reference: CUtexref) -> Result {
    let found = settings(reference)?.anisotropy;
    // SAFETY: the caller keeps the contract.
    unsafe { put(most, found as c_int, "pmaxAniso") }
}

pub(crate) unsafe fn border(color: *mut f32, reference: CUtexref) -> Result {
    let found = settings(reference)?.how.border_color;
    // SAFETY: by the caller's contract there are four floats.
    unsafe { put(color.cast::<[f32; 4]>(), found, "pBorderColor") }
}

pub(crate) unsafe fn flags(flags: *mut c_uint, reference: CUtexref) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { put(flags, settings(reference)?.how.flags, "pFlags") }
}

pub(crate) unsafe fn set_surface_array(
    reference: CUsurfref,
    handle: CUarray,
    flags: c_uint,
) -> Result {
    context::current()?;
    let reference = references::surface(reference)?;
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {flags:#x}"
    );
    reference.bind(array::get(handle)?)
}

pub(crate) unsafe fn surface_array(handle: *mut CUarray, reference: CUsurfref) -> Result {
    context::current()?;
    let bound = references::surface(reference)?.bound.lock().clone();
    match bound {
        // SAFETY: the caller keeps the contract.
        Some(array) => unsafe { put(handle, array.handle, "phArray") },
        None => fail!(
            ERROR_INVALID_VALUE,
            "the reference is not bound to an array"
        ),
    }
}

/// The constant `CU_PARAM_TR_DEFAULT` of cuda.h.
const DEFAULT_UNIT: c_int = -1;

pub(crate) unsafe fn set_parameter(
    function: CUfunction,
    unit: c_int,
    reference: CUtexref,
) -> Result {
    library::function(function)?.context()?;
    references::texture(reference)?;
    // The kernel itself names its texture.
    ensure!(
        unit == DEFAULT_UNIT,
        ERROR_INVALID_VALUE,
        "texture unit {unit}; it must be CU_PARAM_TR_DEFAULT (-1)"
    );
    Ok(())
}
