//! Modules: PTX text, compiled by the driver for its device.
//!
//! A crate's kernels are embedded in the program, and [`crate::Device::module`] loads them by the
//! crate's type. [`Module::from_ptx`] loads other PTX. Launching a kernel from it is unsafe,
//! because the parameters of its kernels are not known. If the driver refuses a text, the text is
//! loaded again with the compiler's log, so that the error names the line.
//! Source: CUDA driver API, "Module Management", `CUjit_option`.

use std::ffi::CString;
use std::io;
use std::panic::Location;
use std::path::PathBuf;
use std::time::Duration;

use lanewise_driver::abi::{CUfunction, CUmodule, CUresult};
use lanewise_driver::api;

use crate::device::entries;
use crate::device::jit::{self, JitOptions, LOG, Options};
use crate::device::recording;
use crate::error::in_words;
use crate::{ComputeCapability, Device, DriverError, late};

/// Why a module could not be loaded.
#[derive(thiserror::Error)]
pub enum LoadError {
    /// The text contains a NUL byte. The driver takes PTX as a C string.
    #[error(
        "the PTX text has a NUL byte at offset {offset}: PTX is text, and ends there for the driver"
    )]
    NulInPtx {
        /// The offset of the byte from the start.
        offset: usize,
    },
    /// The kernel's crate embeds no PTX.
    #[error(
        "the kernel's crate was compiled without its PTX: give it a build.rs with `fn main() {{ lanewise_builder::build() }}`, and \
         `lanewise_std::module!();` in src/lib.rs"
    )]
    NoPtx,
    /// All embedded PTX is for other devices.
    #[error(
        "the PTX of `{module}` is for {}, and the device is {device}: add its target in the build.rs of `{module}`",
        .targets.join(", ")
    )]
    TooOldDevice {
        /// The compute capability of the device.
        device: ComputeCapability,
        /// The crate of the kernels.
        module: &'static str,
        /// The targets that the crate was compiled for.
        targets: Vec<&'static str>,
    },
    /// The PTX in the folder that `LANEWISE_PTX` names was made from other source than the program.
    #[error(
        "LANEWISE_PTX: `{}` was made from another source of `{module}` than this program: {name} is declared differently; build both again",
        .folder.display()
    )]
    OtherSource {
        /// The folder that holds the PTX of the target.
        folder: PathBuf,
        /// The crate of the kernels.
        module: &'static str,
        /// The name of the kernel or static.
        name: String,
    },
    /// A kernel in the folder that `LANEWISE_PTX` names has other parameters than the program
    /// passes.
    #[error(
        "LANEWISE_PTX: in `{}` the kernel `{kernel}` has other parameters than this program passes: expected {expected}, found {found}; \
         build both again", .path.display()
    )]
    OtherParameters {
        /// The file with the PTX text.
        path: PathBuf,
        /// The name of the kernel.
        kernel: String,
        /// The sizes of the parameters that the program passes.
        expected: String,
        /// The sizes of the parameters in the text.
        found: String,
    },
    /// The folder or file that `LANEWISE_PTX` names cannot be read.
    #[error(
        "`{}` cannot be read: LANEWISE_PTX names the folder that `cargo xtask build-ptx --out` was given",
        .path.display()
    )]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why the system could not read it.
        source: io::Error,
    },
    /// The folder that `LANEWISE_PTX` names contains PTX for newer devices only, or no PTX.
    #[error(
        "LANEWISE_PTX names `{}`, where no PTX is for {device} or older: build it with --arch {device}",
        .folder.display()
    )]
    NoTarget {
        /// The folder that was read.
        folder: PathBuf,
        /// The compute capability of the device.
        device: ComputeCapability,
    },
    /// Kernels that launch kernels need NVIDIA's device runtime, and it is not on this machine.
    #[error(
        "kernels that launch kernels are linked with NVIDIA's device runtime, and there is no libcudadevrt.a in {}: name the \
         file in LANEWISE_CUDADEVRT, or the CUDA toolkit in CUDA_HOME; without a toolkit, `pip install \
         nvidia-cuda-runtime` has it (LANEWISE_DEVICE=sim needs none)",
        .searched.join(", ")
    )]
    NoDeviceRuntime {
        /// The places that were searched.
        searched: Vec<String>,
    },
    /// A file with code cannot be read.
    #[error("`{}` cannot be read as code", .path.display())]
    UnreadableCode {
        /// The file, as the caller named it.
        path: PathBuf,
        /// Why the system could not read it.
        source: io::Error,
    },
    /// The kernels of a crate are already loaded, so another module cannot take their place.
    #[error(
        "the kernels of `{module}` are loaded on this device already: say what takes their place before the first launch"
    )]
    AlreadyLoaded {
        /// The crate of the kernels.
        module: &'static str,
    },
    /// The driver does not accept the PTX. Its message or log names the line.
    #[error("the driver does not accept this PTX")]
    Refused {
        /// The driver's error, with its compiler's log where it gave one.
        source: DriverError,
    },
    /// The file to be linked is not device code.
    #[error(
        "`{name}` is no device code: neither PTX, a cubin, a fatbin, an object, a library of objects nor LTO-IR, as nvcc makes them"
    )]
    NotDeviceCode {
        /// The name in messages.
        name: String,
    },
    /// LTO-IR has to be linked, and NVIDIA's library for that is not on this machine.
    #[error(
        "`{name}` is LTO-IR, which NVIDIA's libnvJitLink links, and it is not in {}: name the file in LANEWISE_NVJITLINK, or the CUDA toolkit in \
         CUDA_HOME; without a toolkit, `pip install nvidia-nvjitlink` has it", .searched.join(", ")
    )]
    NoLtoLinker {
        /// The name of the file to be linked.
        name: String,
        /// The places that were searched.
        searched: Vec<String>,
    },
    /// The library that links LTO-IR cannot be used.
    #[error("`{}` is no libnvJitLink of CUDA 12 or 13: {reason}", .path.display())]
    LtoLinker {
        /// The file of the library.
        path: PathBuf,
        /// The reason why the library cannot be used.
        reason: String,
    },
    /// The library that links LTO-IR refuses the code.
    #[error("libnvJitLink does not link this code: {call} returned {code}\n{log}")]
    NotLinked {
        /// The function of nvJitLink that failed.
        call: &'static str,
        /// Its result, an `nvJitLinkResult`.
        code: i32,
        /// What nvJitLink wrote into its log.
        log: String,
    },
}

in_words! { LoadError }

/// A loaded module. It is unloaded when it is dropped.
#[derive(Debug)]
pub struct Module {
    module: CUmodule,
    device: Device,
    kernels: Vec<String>,
}

/// A module, with the compiler's log and time.
#[derive(Debug)]
pub struct Compiled {
    /// The module, loaded and ready for launches.
    pub module: Module,
    /// The compiler's log, with each kernel's registers if [`JitOptions::verbose`] asks for them.
    pub log: String,
    /// The compile time that the compiler reports. It is almost zero if the result was in the
    /// compiler's cache, and zero on the simulator.
    pub time: Duration,
}

impl Module {
    /// Compiles `ptx` for the device.
    ///
    /// # Errors
    /// [`LoadError::Refused`] with `CUDA_ERROR_INVALID_PTX` (218) for a text that does not parse.
    #[track_caller]
    pub fn from_ptx(device: &Device, ptx: &str) -> Result<Self, LoadError> {
        let at = Location::caller();
        let text = CString::new(ptx).map_err(|nul| LoadError::NulInPtx {
            offset: nul.nul_position(),
        })?;
        let refused = |source| LoadError::Refused { source };
        device.make_current(at).map_err(refused)?;
        jit::make_room(ptx, at).map_err(refused)?;
        let mut module = CUmodule::default();
        // SAFETY: `text` ends with NUL, and no option points to a buffer.
        let result = unsafe { load(&mut module, &text, &mut Options::of(ptx)) };
        DriverError::check("cuModuleLoadDataEx", result, at).map_err(|error| {
            refused(if error.report().is_some() {
                error
            } else {
                with_compiler_log(error, &text, Options::of(ptx))
            })
        })?;
        Ok(Self::loaded(device, module, ptx))
    }

    /// Compiles `ptx` for the device with `options`, and returns the compiler's log and time
    /// too. The driver keeps compiled code in a cache (`~/.nv/ComputeCache`; `CUDA_CACHE_PATH`,
    /// `CUDA_CACHE_DISABLE`), and takes it from there if the text, the device and the options
    /// are the same.
    ///
    /// # Errors
    /// As [`Module::from_ptx`].
    #[track_caller]
    pub fn compile(
        device: &Device,
        ptx: &str,
        options: &JitOptions,
    ) -> Result<Compiled, LoadError> {
        let at = Location::caller();
        let text = CString::new(ptx).map_err(|nul| LoadError::NulInPtx {
            offset: nul.nul_position(),
        })?;
        let refused = |source| LoadError::Refused { source };
        device.make_current(at).map_err(refused)?;
        jit::make_room(ptx, at).map_err(refused)?;
        let (mut errors, mut infos) = (vec![0u8; LOG], vec![0u8; LOG]);
        let asked = options.added_to(Options::of(ptx)).with_time();
        let mut asked = asked.with_log(&mut errors).with_info(&mut infos);
        let mut module = CUmodule::default();
        // SAFETY: `text` ends with NUL, and the logs outlive this call.
        let result = unsafe { load(&mut module, &text, &mut asked) };
        DriverError::check("cuModuleLoadDataEx", result, at)
            .map_err(|error| refused(jit::with_log(error, &errors)))?;
        Ok(Compiled {
            module: Self::loaded(device, module, ptx),
            log: jit::text(&infos),
            time: Duration::try_from_secs_f64(asked.seconds()).unwrap_or_default(),
        })
    }

    /// Loads code that was compiled ahead of time: a cubin, a fatbin, or PTX that ends with NUL.
    /// From a fatbin the driver takes the machine code that suits the device. If there is none, it
    /// compiles the fatbin's PTX. The names of the kernels in the image are not known.
    ///
    /// # Errors
    /// [`LoadError::Refused`] with `CUDA_ERROR_NO_BINARY_FOR_GPU` (209) if none of the code is for
    /// this device. The simulator does not run machine code, so it refuses every cubin.
    ///
    /// # Safety
    /// The image is complete, and a CUDA tool has made it. The driver does not check what
    /// the image contains.
    #[track_caller]
    pub unsafe fn from_image(device: &Device, image: &[u8]) -> Result<Self, LoadError> {
        let at = Location::caller();
        let refused = |source| LoadError::Refused { source };
        device.make_current(at).map_err(refused)?;
        let mut module = CUmodule::default();
        // SAFETY: the caller promises the same.
        let result = unsafe { api::cuModuleLoadData(&mut module, image.as_ptr().cast()) };
        DriverError::check("cuModuleLoadData", result, at).map_err(refused)?;
        Ok(Self::loaded(device, module, ""))
    }

    /// Sets the names of the module's kernels.
    pub(crate) fn with_kernels(mut self, kernels: Vec<String>) -> Self {
        self.kernels = kernels;
        self
    }

    /// Makes a module of a handle that the driver has loaded from this text.
    pub(crate) fn loaded(device: &Device, module: CUmodule, ptx: &str) -> Self {
        Self {
            module,
            device: device.clone(),
            kernels: entries::names(ptx),
        }
    }

    /// Returns the names of the kernels that the PTX text defines, in the order of the text.
    pub fn kernels(&self) -> &[String] {
        &self.kernels
    }

    /// Returns the device that the module was loaded for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the kernel with this name, or the driver's error.
    pub(crate) fn function(
        &self,
        name: &str,
        at: &'static Location<'static>,
    ) -> Result<CUfunction, DriverError> {
        self.device.make_current(at)?;
        // No kernel's name contains a NUL or is empty, so the empty name is not found.
        let text = CString::new(name).unwrap_or_default();
        let mut function = CUfunction::default();
        // SAFETY: the module is loaded, `text` ends with NUL, and the result is written to
        // a local variable.
        let result = unsafe { api::cuModuleGetFunction(&mut function, self.module, text.as_ptr()) };
        DriverError::check("cuModuleGetFunction", result, at)?;
        Ok(function)
    }

    /// Returns the driver's handle.
    pub(crate) fn raw(&self) -> CUmodule {
        self.module
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        late::end_behind_recordings(
            recording::is_recording(),
            Ending {
                module: self.module,
                device: self.device.clone(),
            },
        );
    }
}

/// The handle of a module that was dropped.
struct Ending {
    module: CUmodule,
    device: Device,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // A drop cannot report errors. If the wait fails, the module's kernels may still run, and
        // the module is freed with the context.
        if self.device.synchronize_at(Location::caller()).is_err() {
            return;
        }
        // SAFETY: the module was loaded once and is unloaded here only, and nothing borrows from
        // it any more.
        unsafe { api::cuModuleUnload(self.module) };
    }
}

/// Makes the driver compile and load a text.
///
/// # Safety
/// The buffers in the options live until this returns, and have the lengths that the options give.
unsafe fn load(module: &mut CUmodule, text: &CString, options: &mut Options) -> CUresult {
    let count = options.count();
    let (names, values) = (options.names.as_mut_ptr(), options.values.as_mut_ptr());
    // SAFETY: `text` ends with NUL, and both lists have `count` entries. The caller promises the
    // rest about the buffers.
    unsafe { api::cuModuleLoadDataEx(module, text.as_ptr().cast(), count, names, values) }
}

/// Loads the refused text once more, this time with a buffer for the compiler's log, and adds the
/// log to the error.
fn with_compiler_log(error: DriverError, text: &CString, options: Options) -> DriverError {
    let mut log = vec![0u8; LOG];
    let mut module = CUmodule::default();
    // SAFETY: the log outlives this call. If the module loads this time, it is unloaded.
    unsafe {
        let result = load(&mut module, text, &mut options.with_log(&mut log));
        if result == CUresult::SUCCESS {
            api::cuModuleUnload(module);
        }
    }
    jit::with_log(error, &log)
}
