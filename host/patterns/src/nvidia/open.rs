//! Finding and opening a library.

use std::ffi::c_int;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use lanewise_variables::{CUDA_HOME, CUDA_PATH, NVIDIA_LIBRARIES};
use libloading::Library;

/// Opens the first of these files that can be opened. If the variable `NVIDIA_LIBRARIES` names a
/// folder, only that folder is searched. Otherwise the system's loader searches, and then the
/// folders of CUDA's toolkit are searched.
///
/// # Errors
/// The loader's error for the first file, if none of them can be opened.
pub(super) fn open(names: &[String]) -> Result<Library> {
    let folders = match NVIDIA_LIBRARIES.path() {
        Some(folder) => vec![folder],
        None => {
            let homes = [&CUDA_HOME, &CUDA_PATH]
                .into_iter()
                .filter_map(|variable| variable.path());
            let homes = homes.chain([PathBuf::from("/usr/local/cuda")]);
            // With an empty path the loader searches.
            let below = homes.map(|home| home.join("lib64"));
            [PathBuf::new()].into_iter().chain(below).collect()
        }
    };
    let mut refused = None;
    for file in folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)))
    {
        // SAFETY: the initialisers of NVIDIA's libraries have no conditions.
        match unsafe { Library::new(&file) } {
            Ok(library) => return Ok(library),
            Err(error) => {
                refused.get_or_insert(error);
            }
        }
    }
    let looked_for = names.join(", ");
    let error = refused.context("no names")?;
    Err(error).with_context(|| {
        format!(
            "none of {looked_for} can be opened (`{}` names the folder)",
            NVIDIA_LIBRARIES.name
        )
    })
}

/// Returns the names of a library's files: `libcublas.so.13`, `libcublas.so.12`, .., and the one
/// without a number.
pub(super) fn names(library: &str, versions: &[u32]) -> Vec<String> {
    let file = format!("lib{library}.so");
    let numbered = versions.iter().map(|version| format!("{file}.{version}"));
    numbered.chain([file.clone()]).collect()
}

/// Checks that a function succeeded. The status of success is 0 in all of these libraries.
pub(super) fn check(call: &str, status: c_int) -> Result<()> {
    ensure!(status == 0, "{call} answered {status}");
    Ok(())
}

/// Returns the version as text, such as `13.1.0` for 130100.
pub(super) fn version(number: c_int, of_major: c_int) -> String {
    let (major, rest) = (number / of_major, number % of_major);
    format!("{major}.{}.{}", rest / 100, rest % 100)
}

/// Declares a structure of a library's functions. Each line gives the field, the symbol and the
/// types of the parameters. All functions return a status.
macro_rules! functions {
    ($name:ident $library:literal: $($field:ident $symbol:literal ($($type:ty),*);)*) => {
        #[doc = concat!("Functions of ", $library, ", as its header declares them.")]
        struct $name {
            $($field: unsafe extern "C" fn($($type),*) -> std::ffi::c_int,)*
            /// The library, which has to stay open while its functions are used.
            _library: libloading::Library,
        }

        impl $name {
            fn open(versions: &[u32]) -> anyhow::Result<Self> {
                use anyhow::Context;
                let library = $crate::nvidia::open::open(&$crate::nvidia::open::names($library, versions))?;
                Ok(Self {
                    $($field: {
                        // SAFETY: the function has this signature in the versions that were opened.
                        let found = unsafe { library.get::<unsafe extern "C" fn($($type),*) -> std::ffi::c_int>($symbol) };
                        *found.with_context(|| format!("lib{} has no `{}`", $library, String::from_utf8_lossy($symbol)))?
                    },)*
                    _library: library,
                })
            }
        }
    };
}
pub(super) use functions;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_nvidia_writes_them() {
        assert_eq!(version(130_100, 10_000), "13.1.0");
        assert_eq!(version(12_603, 1000), "12.6.3");
    }
}
