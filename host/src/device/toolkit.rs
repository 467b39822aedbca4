//! Finds libraries of a CUDA toolkit that are not part of the driver. All of them are optional.
//!
//! Each library has an environment variable that names its file. Otherwise it is searched below
//! `CUDA_HOME` or `CUDA_PATH`, below `/usr/local/cuda`, and in the active Python environment, where
//! NVIDIA's packages install it.

use std::env;
use std::path::{Path, PathBuf};

use lanewise_variables::{CUDA_HOME, CUDA_PATH};

/// The folders with libraries below the root of a toolkit.
const IN_TOOLKIT: [&str; 3] = ["lib64", "targets/x86_64-linux/lib", "lib"];

/// A library of the toolkit.
#[derive(Debug)]
pub(crate) struct ToolkitLibrary {
    /// The variable that names its file.
    pub(crate) variable: &'static str,
    /// The possible names of its file, the best first.
    pub(crate) files: &'static [&'static str],
}

impl ToolkitLibrary {
    /// Returns its file on this machine, or the places that were searched.
    pub(crate) fn find(&self) -> Result<PathBuf, Vec<String>> {
        let candidates = self.candidates(|name| env::var_os(name).map(PathBuf::from));
        match candidates.iter().find(|path| path.is_file()) {
            Some(path) => Ok(path.clone()),
            None => Err(candidates
                .iter()
                .map(|path| path.display().to_string())
                .collect()),
        }
    }

    /// Returns the files that it may be. The file that the user named is the first.
    fn candidates(&self, variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
        let mut files: Vec<_> = variable(self.variable).into_iter().collect();
        let named = [CUDA_HOME.name, CUDA_PATH.name]
            .into_iter()
            .filter_map(&variable);
        for root in named.chain([PathBuf::from("/usr/local/cuda")]) {
            for folder in IN_TOOLKIT {
                files.extend(self.files.iter().map(|file| root.join(folder).join(file)));
            }
        }
        for root in ["VIRTUAL_ENV", "CONDA_PREFIX"]
            .into_iter()
            .filter_map(&variable)
        {
            files.extend(self.in_python(&root));
        }
        files
    }

    /// Returns the files where NVIDIA's Python packages install it:
    /// `lib/pythonX.Y/site-packages/nvidia/cuX/lib`.
    fn in_python(&self, root: &Path) -> Vec<PathBuf> {
        let folders = |path: &Path| {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
            paths.sort();
            paths
        };
        folders(&root.join("lib"))
            .into_iter()
            .flat_map(|python| folders(&python.join("site-packages/nvidia")))
            .flat_map(|package| {
                let files = self.files.iter();
                files.map(move |file| package.join("lib").join(file))
            })
            .filter(|path| path.is_file())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: ToolkitLibrary = ToolkitLibrary {
        variable: "MINE",
        files: &["libmine.so.2", "libmine.so.1"],
    };

    #[test]
    fn the_users_own_word_comes_first() {
        let files = LIBRARY.candidates(|name| match name {
            "MINE" => Some("/mine/file".into()),
            "CUDA_HOME" => Some("/opt/cuda".into()),
            _ => None,
        });
        assert_eq!(files[0], Path::new("/mine/file"));
        assert_eq!(files[1], Path::new("/opt/cuda/lib64/libmine.so.2"));
        assert_eq!(files[2], Path::new("/opt/cuda/lib64/libmine.so.1"));
        assert!(files.contains(&PathBuf::from("/usr/local/cuda/lib64/libmine.so.2")));
    }

    #[test]
    fn a_python_environment_is_looked_through() {
        let root = tempfile::tempdir().expect("a folder can be made");
        let folder = root
            .path()
            .join("lib/python3.11/site-packages/nvidia/cu13/lib");
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let file = folder.join("libmine.so.1");
        std::fs::write(&file, "").expect("a file can be written");
        let files =
            LIBRARY.candidates(|name| (name == "VIRTUAL_ENV").then(|| root.path().to_owned()));
        assert_eq!(files.last(), Some(&file));
    }
}
