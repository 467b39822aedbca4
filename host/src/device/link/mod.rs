//! Linking: modules that call each other's functions become one image.
//!
//! A crate's kernels may call functions that another module defines (`#[device]` on an
//! `unsafe extern "C"` block). [`Linker`] links such modules with the driver's own linker. It takes
//! PTX of crates, PTX text, and the output of CUDA's tools (cubins, fatbins, objects and
//! libraries). LTO-IR is linked by libnvJitLink. The kind of code is recognised by its first bytes.
//! The resulting image can be loaded, or kept in a file for the next run. A crate that names such
//! files in its Cargo.toml needs no `Linker`: its module is linked when it is first used. `nvlink`
//! does the same ahead of time: `cargo lanewise link`.
//!
//! Source: CUDA driver API, "Module Management", `cuLinkCreate`; CUDA Compiler Driver
//! documentation, "Using Separate Compilation in CUDA".

use std::ffi::CString;
use std::fs;
use std::panic::Location;
use std::path::Path;

use lanewise_driver::abi::CUlinkState;
use lanewise_driver::api;
use lanewise_std::kernel;

use crate::device::entries;
use crate::device::jit::{self, LOG, Options};
use crate::{Backend, Device, DriverError, LoadError, Module};

mod kind;
mod lto;

use kind::CodeKind;

/// A list of the code to link, in order.
///
/// ```
/// use lanewise::{Device, Linker};
///
/// let device = Device::open()?;
/// let image = Linker::new(&device).module::<kernels::Ptx>()?.link()?;
/// assert!(image.kernels().contains(&"vec_add".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Linker {
    device: Device,
    inputs: Vec<Input>,
}

/// A piece of code to link.
#[derive(Debug)]
struct Input {
    name: CString,
    kind: CodeKind,
    /// The code; PTX ends with NUL.
    bytes: Vec<u8>,
}

/// The output of the linker: complete code for the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    bytes: Vec<u8>,
    kernels: Vec<String>,
    log: String,
}

impl Linker {
    /// Makes an empty list of code to link for this device.
    pub fn new(device: &Device) -> Self {
        Self {
            device: device.clone(),
            inputs: Vec::new(),
        }
    }

    /// Returns the device that the code is linked for.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Adds the kernels and functions of a crate: the embedded PTX that suits the device best, and
    /// the files that the crate's Cargo.toml names for linking.
    ///
    /// # Errors
    /// [`LoadError::NoPtx`] and [`LoadError::TooOldDevice`], as for [`Device::ptx`].
    pub fn module<M: kernel::Module>(self) -> Result<Self, LoadError> {
        let text = self.device.ptx::<M>()?.plain;
        self.rust::<M>(M::NAME, text)
    }

    /// Adds one PTX text of a crate, and the code from other tools that is linked with it.
    pub(crate) fn rust<M: kernel::Module>(self, name: &str, text: &str) -> Result<Self, LoadError> {
        // SAFETY: the crate promises that it only embeds code that CUDA's tools have made.
        let add = |linker: Self, it: &kernel::Linked| unsafe { linker.add(it.name, it.code) };
        M::LINKED.iter().try_fold(self.ptx(name, text)?, add)
    }

    /// Adds PTX text. Messages use `name` for it.
    ///
    /// # Errors
    /// [`LoadError::NulInPtx`] if the text contains a NUL byte.
    pub fn ptx(self, name: &str, text: &str) -> Result<Self, LoadError> {
        let text = CString::new(text).map_err(|nul| LoadError::NulInPtx {
            offset: nul.nul_position(),
        })?;
        let bytes = text.into_bytes_with_nul();
        Ok(self.with(name, CodeKind::Ptx, bytes))
    }

    /// Adds code of any kind: PTX, a cubin, a fatbin, an object file with device code, a library of
    /// such object files, or LTO-IR. A cubin or an object has to be relocatable
    /// (`ptxas --compile-only`, `nvcc -dc`). The simulator does not run machine code: it takes PTX,
    /// and fatbins that contain PTX. Messages use `name` for the code.
    ///
    /// # Errors
    /// [`LoadError::NotDeviceCode`] if the linker does not know this kind of code.
    ///
    /// # Safety
    /// If the code is not PTX, a CUDA tool has made it. The driver does not check what it contains.
    pub unsafe fn add(self, name: &str, code: &[u8]) -> Result<Self, LoadError> {
        match CodeKind::of(code) {
            Some(CodeKind::Ptx) => {
                let text = String::from_utf8_lossy(code);
                self.ptx(name, text.trim_end_matches('\0'))
            }
            Some(kind) => Ok(self.with(name, kind, code.to_vec())),
            None => Err(LoadError::NotDeviceCode {
                name: name.to_owned(),
            }),
        }
    }

    /// Adds a file of such code.
    ///
    /// # Errors
    /// [`LoadError::UnreadableCode`] if the file cannot be read; [`LoadError::NotDeviceCode`].
    ///
    /// # Safety
    /// As for [`Linker::add`].
    pub unsafe fn file(self, path: &Path) -> Result<Self, LoadError> {
        let bytes = fs::read(path).map_err(|source| LoadError::UnreadableCode {
            path: path.to_owned(),
            source,
        })?;
        // SAFETY: the caller promises the same.
        unsafe { self.add(&path.display().to_string(), &bytes) }
    }

    fn with(mut self, name: &str, kind: CodeKind, bytes: Vec<u8>) -> Self {
        // A NUL in the name is replaced by a space, because the name is only used in messages.
        let name = CString::new(name.replace('\0', " ")).unwrap_or_default();
        self.inputs.push(Input { name, kind, bytes });
        self
    }

    /// Links everything that was added into one image, which can be loaded.
    ///
    /// # Errors
    /// [`LoadError::Refused`] with the linker's log, for example if a function has no definition or
    /// two. With LTO-IR also [`LoadError::NotLinked`] and [`LoadError::NoLtoLinker`].
    #[track_caller]
    pub fn link(self) -> Result<Image, LoadError> {
        let at = Location::caller();
        let refused = |source| LoadError::Refused { source };
        self.device.make_current(at).map_err(refused)?;
        let mut kernels = Vec::new();
        let mut options = Options::default();
        for (number, input) in self.inputs.iter().enumerate() {
            if input.kind == CodeKind::Ptx {
                let text = String::from_utf8_lossy(&input.bytes);
                kernels.extend(entries::names(&text));
                jit::make_room(&text, at).map_err(refused)?;
                if number == 0 {
                    options = Options::of(&text);
                }
            }
        }
        let late = self
            .inputs
            .iter()
            .find(|input| input.kind == CodeKind::LtoIr);
        if let (Some(late), Backend::Cuda) = (late, self.device.backend()) {
            let capability = self.device.properties().compute_capability;
            return Ok(Image {
                bytes: lto::link(late, &self.inputs, capability)?,
                kernels,
                log: String::new(),
            });
        }
        let mut link = Link::new(options, at).map_err(refused)?;
        let linked = link
            .add_all(&self.inputs)
            .and_then(|()| link.complete())
            .map_err(|error| refused(jit::with_log(error, &*link.errors)))?;
        Ok(Image {
            bytes: linked,
            kernels,
            log: jit::text(&*link.infos),
        })
    }
}

impl Image {
    /// Returns the bytes of the image, which can be written to a file. They are a cubin, and PTX
    /// on the simulator.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the names of the kernels in the PTX that was linked.
    pub fn kernels(&self) -> &[String] {
        &self.kernels
    }

    /// Returns the linker's log.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Loads the image on the device that it was linked for, or on a device of the same kind.
    ///
    /// # Errors
    /// [`LoadError::Refused`] on another kind of device.
    #[track_caller]
    pub fn load(&self, device: &Device) -> Result<Module, LoadError> {
        // SAFETY: a linker of NVIDIA's or the simulator made the image.
        let module = unsafe { Module::from_image(device, &self.bytes)? };
        Ok(module.with_kernels(self.kernels.clone()))
    }
}

/// A link operation that has begun.
struct Link {
    state: CUlinkState,
    // The driver writes to all of these until the link is destroyed. It writes the logs, and it
    // replaces their sizes in the options by the lengths that it wrote.
    errors: Box<[u8; LOG]>,
    infos: Box<[u8; LOG]>,
    _options: Options,
    at: &'static Location<'static>,
}

impl Link {
    fn new(options: Options, at: &'static Location<'static>) -> Result<Self, DriverError> {
        let (mut errors, mut infos) = (Box::new([0u8; LOG]), Box::new([0u8; LOG]));
        let mut options = options.with_log(&mut *errors).with_info(&mut *infos);
        let count = options.count();
        let (names, values) = (options.names.as_mut_ptr(), options.values.as_mut_ptr());
        let mut state = CUlinkState::default();
        // SAFETY: both lists have `count` entries. They and the logs outlive the link, because
        // `Drop` destroys the link first.
        let result = unsafe { api::cuLinkCreate_v2(count, names, values, &mut state) };
        DriverError::check("cuLinkCreate", result, at)?;
        Ok(Self {
            state,
            errors,
            infos,
            _options: options,
            at,
        })
    }

    fn add_all(&mut self, inputs: &[Input]) -> Result<(), DriverError> {
        inputs.iter().try_for_each(|input| self.add(input))
    }

    fn add(&mut self, input: &Input) -> Result<(), DriverError> {
        let none = std::ptr::null_mut();
        // SAFETY: the link is open, text ends with NUL, and there are no options. The caller who
        // added other code promised that it is complete.
        let result = unsafe {
            api::cuLinkAddData_v2(
                self.state,
                input.kind.input_type(),
                input.bytes.as_ptr().cast_mut().cast(),
                input.bytes.len(),
                input.name.as_ptr(),
                0,
                none,
                none.cast(),
            )
        };
        DriverError::check("cuLinkAddData", result, self.at)
    }

    fn complete(&mut self) -> Result<Vec<u8>, DriverError> {
        let (mut image, mut size) = (std::ptr::null_mut(), 0);
        // SAFETY: the link is open, and both results are written to local variables.
        let result = unsafe { api::cuLinkComplete(self.state, &mut image, &mut size) };
        DriverError::check("cuLinkComplete", result, self.at)?;
        // SAFETY: the link owns the image and exists until this call returns, and the image
        // has `size` bytes.
        let image = unsafe { std::slice::from_raw_parts(image.cast_const().cast::<u8>(), size) };
        Ok(image.to_vec())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // SAFETY: the link was opened once and is destroyed here only. An error here
        // needs no handling.
        let _ = unsafe { api::cuLinkDestroy(self.state) };
    }
}
