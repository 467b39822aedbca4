//! Texture and surface references: `.texref` and `.surfref` variables of modules. The host binds
//! memory to them by name.
//!
//! Source: CUDA driver API reference, "Texture Reference Management" and "Surface Reference
//! Management", both deprecated: objects do the same without names. A reference stores its
//! settings. When one of them changes, the bound memory and all settings are sent to the device
//! together. This happens after the work that may use the reference has ended.

use super::module::Module;
use crate::abi::enums::{address_mode, array_format};
use crate::abi::{
    CUDA_TEXTURE_DESC, CUcontext, CUmodule, CUsurfref, CUtexref, LinearResource, PitchedResource,
};
use crate::error::{Result, ensure, fail};
use crate::objects::context::{self, Context};
use crate::objects::handle::registry::Registry;
use crate::objects::texture;
use crate::objects::texture::array::{self, Array, Mipmap};
use lanewise_sim::image::{Object, Texture};
use parking_lot::Mutex;
use std::sync::Arc;

static TEXTURES: Registry<CUtexref, TextureReference> = Registry::new();
static SURFACES: Registry<CUsurfref, SurfaceReference> = Registry::new();

/// A texture reference.
#[derive(Debug)]
pub(crate) struct TextureReference {
    pub(crate) handle: CUtexref,
    context: CUcontext,
    /// The module and the variable; `None` for a reference made with `cuTexRefCreate`, which
    /// no kernel reads.
    variable: Option<(CUmodule, String)>,
    /// The handle that kernels use.
    device_handle: Option<u64>,
    pub(crate) settings: Mutex<Settings>,
}

/// The bound memory, and how it is read.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) bound: Bound,
    pub(crate) format: u32,
    pub(crate) channels: u32,
    pub(crate) anisotropy: u32,
    pub(crate) how: CUDA_TEXTURE_DESC,
}

/// The memory that a texture reference is bound to.
#[derive(Debug, Clone)]
pub(crate) enum Bound {
    Nothing,
    Array(Arc<Array>),
    Mipmap(Arc<Mipmap>),
    /// Linear memory: address and size in bytes.
    Linear(u64, usize),
    /// Memory with a pitch: address, width and height in texels, pitch.
    Pitched(u64, [usize; 2], usize),
}

/// A surface reference.
#[derive(Debug)]
pub(crate) struct SurfaceReference {
    pub(crate) handle: CUsurfref,
    context: CUcontext,
    variable: (CUmodule, String),
    device_handle: u64,
    pub(crate) bound: Mutex<Option<Arc<Array>>>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            bound: Bound::Nothing,
            format: array_format::UNSIGNED_INT8,
            channels: 1,
            anisotropy: 1,
            how: CUDA_TEXTURE_DESC {
                address_mode: [address_mode::CLAMP; 3],
                filter_mode: 0,
                flags: 0,
                max_anisotropy: 1,
                mipmap_filter_mode: 0,
                mipmap_level_bias: 0.0,
                min_mipmap_level_clamp: 0.0,
                max_mipmap_level_clamp: 0.0,
                border_color: [0.0; 4],
                reserved: [0; 12],
            },
        }
    }
}

/// Returns the reference for the `.texref` variable `name` of a module.
pub(crate) fn texture_of(module: &Module, name: &str) -> Result<Arc<TextureReference>> {
    let Some(device_handle) = module.instance.texture_reference(name) else {
        fail!(
            ERROR_NOT_FOUND,
            "the module has no texture reference `{name}`"
        )
    };
    let variable = Some((module.handle, name.to_string()));
    let mut known = None;
    TEXTURES.for_each(|reference| {
        if reference.variable == variable {
            known = Some(reference.handle);
        }
    });
    match known {
        Some(handle) => texture(handle),
        None => Ok(add(module.context, variable, Some(device_handle))),
    }
}

fn add(
    context: CUcontext,
    variable: Option<(CUmodule, String)>,
    device_handle: Option<u64>,
) -> Arc<TextureReference> {
    TEXTURES.add(|handle| TextureReference {
        handle,
        context,
        variable,
        device_handle,
        settings: Mutex::default(),
    })
}

/// Makes a reference without a module.
pub(crate) fn create(context: &Context) -> Arc<TextureReference> {
    add(context.handle, None, None)
}

/// Removes a reference without a module.
pub(crate) fn destroy(handle: CUtexref) -> Result {
    let reference = texture(handle)?;
    ensure!(
        reference.variable.is_none(),
        ERROR_INVALID_VALUE,
        "{:#x} belongs to a module and goes with it",
        handle.0
    );
    TEXTURES.remove(handle);
    Ok(())
}

/// Returns the texture reference that `handle` names.
pub(crate) fn texture(handle: CUtexref) -> Result<Arc<TextureReference>> {
    match TEXTURES.get(handle) {
        Some(reference) => Ok(reference),
        None => fail!(
            ERROR_INVALID_HANDLE,
            "{:#x} is not a live texture reference: its module was unloaded, or it never was one",
            handle.0
        ),
    }
}

impl TextureReference {
    /// Changes the settings, and what kernels read. If the result is invalid, nothing changes.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Settings) -> Result) -> Result {
        let context = context::get(self.context)?;
        let mut settings = self.settings.lock();
        let mut changed = settings.clone();
        change(&mut changed)?;
        let object = changed.object(&context)?;
        if let Some(handle) = self.device_handle {
            // Kernels that were launched before read the earlier binding.
            context.wait();
            context.device.sim.images().set(handle, object);
        }
        *settings = changed;
        Ok(())
    }
}

impl Settings {
    /// Makes the object for the device from the settings.
    fn object(&self, context: &Context) -> Result<Object> {
        let (format, channels) = (self.format, self.channels);
        let sampler = texture::sampler(&self.how)?;
        let levels = match &self.bound {
            Bound::Nothing => return Ok(Object::UnboundTexture),
            Bound::Array(array) => vec![array.image],
            Bound::Mipmap(mipmap) => mipmap.levels.iter().map(|level| level.image).collect(),
            &Bound::Linear(device, bytes) => {
                let resource = LinearResource {
                    device,
                    format,
                    channels,
                    bytes,
                };
                vec![texture::linear(context, &resource)?]
            }
            &Bound::Pitched(device, [width, height], pitch) => {
                let resource = PitchedResource {
                    device,
                    format,
                    channels,
                    width,
                    height,
                    pitch,
                };
                vec![texture::pitched(context, &resource)?]
            }
        };
        Ok(Object::Texture(Texture { levels, sampler }))
    }
}

/// Returns the reference for the `.surfref` variable `name` of a module.
pub(crate) fn surface_of(module: &Module, name: &str) -> Result<Arc<SurfaceReference>> {
    let Some(device_handle) = module.instance.surface_reference(name) else {
        fail!(
            ERROR_NOT_FOUND,
            "the module has no surface reference `{name}`"
        )
    };
    let variable = (module.handle, name.to_string());
    let mut known = None;
    SURFACES.for_each(|reference| {
        if reference.variable == variable {
            known = Some(reference.handle);
        }
    });
    match known {
        Some(handle) => surface(handle),
        None => Ok(SURFACES.add(|handle| SurfaceReference {
            handle,
            context: module.context,
            variable,
            device_handle,
            bound: Mutex::default(),
        })),
    }
}

/// Returns the surface reference that `handle` names.
pub(crate) fn surface(handle: CUsurfref) -> Result<Arc<SurfaceReference>> {
    match SURFACES.get(handle) {
        Some(reference) => Ok(reference),
        None => fail!(
            ERROR_INVALID_VALUE,
            "{:#x} is not a live surface reference: its module was unloaded, or it never was one",
            handle.0
        ),
    }
}

impl SurfaceReference {
    /// Binds an array.
    pub(crate) fn bind(&self, array: Arc<Array>) -> Result {
        let context = context::get(self.context)?;
        let image = texture::surface_image(&array)?;
        context.wait();
        context
            .device
            .sim
            .images()
            .set(self.device_handle, Object::Surface(image));
        *self.bound.lock() = Some(array);
        Ok(())
    }
}

/// Removes the references of a module.
pub(crate) fn forget(module: CUmodule) {
    TEXTURES
        .remove_where(|reference| matches!(&reference.variable, Some((of, _)) if *of == module));
    SURFACES.remove_where(|reference| reference.variable.0 == module);
}

/// Removes the references of a context.
pub(crate) fn forget_all(context: CUcontext) {
    TEXTURES.remove_where(|reference| reference.context == context);
    SURFACES.remove_where(|reference| reference.context == context);
}

/// Returns the bound array, if `bound` is one.
pub(crate) fn array_of(bound: &Bound) -> Result<Arc<Array>> {
    match bound {
        Bound::Array(array) => array::get(array.handle),
        _ => fail!(
            ERROR_INVALID_VALUE,
            "the reference is not bound to an array"
        ),
    }
}
