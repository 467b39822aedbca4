//! Kernels that launch kernels: their module is linked with NVIDIA's device runtime before it is loaded.
//!
//! The runtime is `libcudadevrt.a`, a part of every CUDA toolkit and of no driver, so it has to be found: in
//! `LANEWISE_CUDADEVRT` (the file), below `CUDA_HOME` or `CUDA_PATH`, below `/usr/local/cuda`, or in the active Python
//! environment (package `nvidia-cuda-runtime`). The driver's own linker puts the two together. The simulator has the
//! runtime built in and needs no file.
//! Source: CUDA driver API, `cuLinkCreate`; CUDA programming guide, "CUDA Dynamic Parallelism", "Compiling and Linking".

use std::env;
use std::ffi::CString;
use std::panic::Location;
use std::path::{Path, PathBuf};

use cust::sys::{self, CUjitInputType, CUlinkState, cudaError_enum};
use lanewise_variables::{CUDA_HOME, CUDA_PATH, CUDADEVRT};

use crate::jit::{self, Options};
use crate::{Backend, Device, DriverError, LoadError, Module};

/// The library's file.
const FILE: &str = "libcudadevrt.a";
/// Where a toolkit has it, below its root.
const IN_TOOLKIT: [&str; 3] = ["lib64", "targets/x86_64-linux/lib", "lib"];
/// Bytes of the linker's log.
const LOG: usize = 16 << 10;

impl Module {
    /// Links `ptx` with the device runtime and loads it.
    ///
    /// # Errors
    /// [`LoadError::NoDeviceRuntime`] where there is a GPU and no library; [`LoadError::Refused`] with the linker's log.
    #[track_caller]
    pub fn with_device_runtime(device: &Device, ptx: &str) -> Result<Self, LoadError> {
        if device.backend() == Backend::Sim {
            return Self::from_ptx(device, ptx);
        }
        let at = Location::caller();
        let library = find()?;
        let text = CString::new(ptx).map_err(|nul| LoadError::NulInPtx {
            offset: nul.nul_position(),
        })?;
        let refused = |source| LoadError::Refused { source };
        device.make_current(at).map_err(refused)?;
        jit::make_room(ptx, at).map_err(refused)?;
        let mut link = Link::new(Options::of(ptx), at).map_err(refused)?;
        let mut module = std::ptr::null_mut();
        link.add_ptx(&text)
            .and_then(|()| link.add_library(&library))
            .and_then(|()| link.load(&mut module))
            .map_err(|error| refused(link.with_log(error)))?;
        Ok(Self::loaded(device, module, ptx))
    }
}

/// The library's file on this machine.
fn find() -> Result<PathBuf, LoadError> {
    let candidates = candidates(|name| env::var_os(name).map(PathBuf::from));
    match candidates.iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.clone()),
        None => Err(LoadError::NoDeviceRuntime {
            searched: candidates
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
        }),
    }
}

/// Where the library may be, the user's own word first.
fn candidates(variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let mut files: Vec<_> = variable(CUDADEVRT.name).into_iter().collect();
    let named = [CUDA_HOME.name, CUDA_PATH.name]
        .into_iter()
        .filter_map(&variable);
    for root in named.chain([PathBuf::from("/usr/local/cuda")]) {
        files.extend(IN_TOOLKIT.map(|folder| root.join(folder).join(FILE)));
    }
    for root in ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .into_iter()
        .filter_map(&variable)
    {
        files.extend(in_python(&root));
    }
    files
}

/// Where NVIDIA's Python packages have it: `lib/pythonX.Y/site-packages/nvidia/cuX/lib`.
fn in_python(root: &Path) -> Vec<PathBuf> {
    let folders = |path: &Path| {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    folders(&root.join("lib"))
        .into_iter()
        .flat_map(|python| folders(&python.join("site-packages/nvidia")))
        .map(|package| package.join("lib").join(FILE))
        .filter(|path| path.is_file())
        .collect()
}

/// A link that is under way.
struct Link {
    state: CUlinkState,
    // The driver writes to both until the link is destroyed: the log, and how much of it, in the place of its size.
    log: Box<[u8; LOG]>,
    _options: Options,
    at: &'static Location<'static>,
}

impl Link {
    fn new(options: Options, at: &'static Location<'static>) -> Result<Self, DriverError> {
        let mut log = Box::new([0u8; LOG]);
        let mut options = options.with_log(&mut *log);
        let count = options.count();
        let (names, values) = (options.names.as_mut_ptr(), options.values.as_mut_ptr());
        let mut state = std::ptr::null_mut();
        // SAFETY: both lists have as many entries as announced; they and the log outlive the link, whose
        // `Drop` destroys it first.
        let result = unsafe { sys::cuLinkCreate_v2(count, names, values, &mut state) };
        DriverError::check("cuLinkCreate", result, at)?;
        Ok(Self {
            state,
            log,
            _options: options,
            at,
        })
    }

    fn add_ptx(&mut self, text: &CString) -> Result<(), DriverError> {
        let bytes = text.as_bytes_with_nul();
        let none = std::ptr::null_mut();
        // SAFETY: the link is open, the text ends with NUL, and there are no options.
        let result = unsafe {
            sys::cuLinkAddData_v2(
                self.state,
                CUjitInputType::CU_JIT_INPUT_PTX,
                bytes.as_ptr().cast_mut().cast(),
                bytes.len(),
                c"launching.ptx".as_ptr(),
                0,
                none,
                none.cast(),
            )
        };
        DriverError::check("cuLinkAddData", result, self.at)
    }

    fn add_library(&mut self, path: &Path) -> Result<(), DriverError> {
        // A path with a NUL in it cannot have been found.
        let path = CString::new(path.as_os_str().as_encoded_bytes()).unwrap_or_default();
        let none = std::ptr::null_mut();
        // SAFETY: the link is open, the path ends with NUL, and there are no options.
        let result = unsafe {
            sys::cuLinkAddFile_v2(
                self.state,
                CUjitInputType::CU_JIT_INPUT_LIBRARY,
                path.as_ptr(),
                0,
                none,
                none.cast(),
            )
        };
        DriverError::check("cuLinkAddFile", result, self.at)
    }

    fn load(&mut self, module: &mut sys::CUmodule) -> Result<(), DriverError> {
        let (mut image, mut size) = (std::ptr::null_mut(), 0);
        // SAFETY: the link is open, and both results have a place.
        let result = unsafe { sys::cuLinkComplete(self.state, &mut image, &mut size) };
        DriverError::check("cuLinkComplete", result, self.at)?;
        // SAFETY: the image is the link's, which lives until this call is over.
        let result = unsafe { sys::cuModuleLoadData(module, image) };
        DriverError::check("cuModuleLoadData", result, self.at)
    }

    /// The error with what the linker had to say.
    fn with_log(&self, error: DriverError) -> DriverError {
        let end = self.log.iter().position(|&byte| byte == 0).unwrap_or(LOG);
        match String::from_utf8_lossy(&self.log[..end]).trim() {
            "" => error,
            log => error.with_report(log.to_owned()),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // SAFETY: opened once, destroyed here only. What it answers changes nothing any more.
        let _: cudaError_enum = unsafe { sys::cuLinkDestroy(self.state) };
    }
}

/// Launches from kernels that may be pending at once.
impl Device {
    /// Lets so many launches from kernels be pending, that is launched and not begun; 2048 unless this is called. Beyond it a
    /// kernel's launch fails. To be called before kernels run: the driver sets memory aside for each.
    ///
    /// # Errors
    /// The driver's.
    #[track_caller]
    pub fn set_pending_launches(&self, count: usize) -> Result<(), DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let limit = sys::CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT;
        // SAFETY: a limit of the current context, by value.
        let result = unsafe { sys::cuCtxSetLimit(limit, count) };
        DriverError::check("cuCtxSetLimit", result, at)
    }

    /// How many launches from kernels may be pending.
    ///
    /// # Errors
    /// The driver's.
    #[track_caller]
    pub fn pending_launches(&self) -> Result<usize, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let limit = sys::CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT;
        let mut count = 0;
        // SAFETY: the result has a place.
        let result = unsafe { sys::cuCtxGetLimit(&mut count, limit) };
        DriverError::check("cuCtxGetLimit", result, at)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_own_word_comes_first() {
        let files = candidates(|name| match name {
            "LANEWISE_CUDADEVRT" => Some("/mine/libcudadevrt.a".into()),
            "CUDA_HOME" => Some("/opt/cuda".into()),
            _ => None,
        });
        assert_eq!(files[0], Path::new("/mine/libcudadevrt.a"));
        assert_eq!(files[1], Path::new("/opt/cuda/lib64/libcudadevrt.a"));
        assert!(files.contains(&PathBuf::from("/usr/local/cuda/lib64/libcudadevrt.a")));
    }

    #[test]
    fn a_python_environment_is_looked_through() {
        let root = std::env::temp_dir().join(format!("lanewise-{}", std::process::id()));
        let folder = root.join("lib/python3.11/site-packages/nvidia/cu13/lib");
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        std::fs::write(folder.join(FILE), "").expect("a file can be written");
        let files = candidates(|name| (name == "VIRTUAL_ENV").then(|| root.clone()));
        std::fs::remove_dir_all(&root).expect("it was made above");
        assert_eq!(files.last(), Some(&folder.join(FILE)));
    }

    #[test]
    fn without_the_library_the_error_says_where_it_was_looked_for() {
        let error = LoadError::NoDeviceRuntime {
            searched: vec!["/a/libcudadevrt.a".into(), "/b/libcudadevrt.a".into()],
        };
        assert!(
            error.to_string().contains(
                "/a/libcudadevrt.a, /b/libcudadevrt.a: name the file in LANEWISE_CUDADEVRT"
            )
        );
    }
}
