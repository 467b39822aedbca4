//! Kernels that launch kernels: their module is linked with NVIDIA's device runtime before it is loaded.
//!
//! The runtime is `libcudadevrt.a`, a part of every CUDA toolkit and of no driver, so it has to be found: in
//! `LANEWISE_CUDADEVRT` (the file), below `CUDA_HOME` or `CUDA_PATH`, below `/usr/local/cuda`, or in the active Python
//! environment (package `nvidia-cuda-runtime`). The driver's own linker puts the two together. The simulator has the
//! runtime built in and needs no file.
//! Source: CUDA driver API, `cuLinkCreate`; CUDA programming guide, "CUDA Dynamic Parallelism", "Compiling and Linking".

use std::env;
use std::panic::Location;
use std::path::{Path, PathBuf};

use cust::sys;
use lanewise_variables::{CUDA_HOME, CUDA_PATH, CUDADEVRT};

use crate::link::Linker;
use crate::{Backend, Device, DriverError, LoadError, Module};

/// The library's file.
const FILE: &str = "libcudadevrt.a";
/// Where a toolkit has it, below its root.
const IN_TOOLKIT: [&str; 3] = ["lib64", "targets/x86_64-linux/lib", "lib"];

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
        let linker = Linker::new(device).ptx("launching.ptx", ptx)?;
        // SAFETY: the file is NVIDIA's.
        let image = unsafe { linker.file(&find()?)?.link()? };
        image.load(device)
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
