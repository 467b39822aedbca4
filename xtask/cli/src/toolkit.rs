//! Finds the CUDA tools on a machine. All of them are optional.
//!
//! A tool is searched in this order: `CUDA_HOME` (or `CUDA_PATH`), `PATH`, Python environments
//! (NVIDIA publishes its tools as Python packages), and the toolkit's default folder. A Python
//! environment is the one in `target/cuda-tools`, the active one (`VIRTUAL_ENV`, `CONDA_PREFIX`),
//! or that of the `python3` in `PATH`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use lanewise_builder::nvvm;

use crate::output::for_shell;
use crate::project;

/// The Python packages that contain `ptxas`.
pub(crate) const FOR_PTXAS: [&str; 1] = ["nvidia-cuda-nvcc"];
/// The Python packages with the library of mathematical functions and NVIDIA's own compiler.
pub(crate) const FOR_NVVM: [&str; 1] = ["nvidia-nvvm"];
/// The Python packages with all of these, and with the tools that read machine code.
const FOR_ALL: [&str; 3] = ["nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-nvdisasm"];

/// Returns the project's own Python environment.
fn environment() -> PathBuf {
    project::target().join("cuda-tools")
}

/// Returns the commands that install NVIDIA's tools without a CUDA toolkit, for a shell in any
/// folder. `.ci/run` runs the same commands.
pub(crate) fn install(packages: &[&str]) -> String {
    let environment = environment();
    let pip = for_shell(&environment.join("bin/pip"));
    format!(
        "python3 -m venv {} && {pip} install {}",
        for_shell(&environment),
        packages.join(" ")
    )
}

/// A tool's file, and how it was found.
#[derive(Clone, Debug)]
pub(crate) struct ToolPath {
    /// The file that was read.
    pub(crate) path: PathBuf,
    /// `CUDA_HOME`, `PATH`, `a Python environment`, ...
    pub(crate) through: &'static str,
}

/// A file of the toolkit, with its path below the toolkit's root or below that of a Python package.
pub(crate) struct Tool {
    /// The program's name in `PATH`, or `None` for a file that is not a program.
    program: Option<&'static str>,
    /// Candidates below a toolkit's root.
    places: &'static [&'static str],
    /// Whether a file of that name can be used. A usable file takes precedence over others.
    is_usable: fn(&Path) -> bool,
}

/// Accepts every version, for tools that have no minimum version.
fn any_version(_: &Path) -> bool {
    true
}

/// The assembler: PTX to machine code. It checks the PTX where there is no GPU.
pub(crate) const PTXAS: Tool = Tool {
    program: Some("ptxas"),
    places: &["bin/ptxas"],
    is_usable: any_version,
};
/// Puts machine code for several targets into one file.
pub(crate) const FATBINARY: Tool = Tool {
    program: Some("fatbinary"),
    places: &["bin/fatbinary"],
    is_usable: any_version,
};
/// The linker of machine code.
pub(crate) const NVLINK: Tool = Tool {
    program: Some("nvlink"),
    places: &["bin/nvlink"],
    is_usable: any_version,
};
/// The disassembler: machine code to text.
pub(crate) const NVDISASM: Tool = Tool {
    program: Some("nvdisasm"),
    places: &["bin/nvdisasm"],
    is_usable: any_version,
};
/// The debugger of kernels on a GPU.
pub(crate) const CUDA_GDB: Tool = Tool {
    program: Some("cuda-gdb"),
    places: &["bin/cuda-gdb"],
    is_usable: any_version,
};
/// NVIDIA's device library of mathematical functions, as LLVM bitcode.
pub(crate) const LIBDEVICE: Tool = Tool {
    program: None,
    places: &["nvvm/libdevice/libdevice.10.bc"],
    is_usable: any_version,
};
/// NVIDIA's own compiler from LLVM bitcode to PTX.
pub(crate) const LIBNVVM: Tool = Tool {
    program: None,
    places: &[
        "nvvm/lib64/libnvvm.so",
        "nvvm/lib64/libnvvm.so.4",
        "lib/libnvvm.so.4",
    ],
    is_usable: |library| nvvm::check(library).is_ok(),
};

impl Tool {
    /// Returns the first file that exists.
    pub(crate) fn find(&self) -> Option<ToolPath> {
        self.find_in(&Places::of_this_machine())
    }

    /// Returns the file, or an error that explains how to get it.
    pub(crate) fn require(&self) -> Result<PathBuf> {
        let name = self.program.or_else(|| self.places[0].rsplit('/').next());
        self.find().map(|found| found.path).with_context(|| {
            format!(
                "there is no {} on this machine; without a CUDA toolkit, get it by\n  {}",
                name.unwrap_or_default(),
                install(&FOR_ALL)
            )
        })
    }

    fn find_in(&self, machine: &Places) -> Option<ToolPath> {
        let mut all = self.all_in(machine);
        let first = all.next()?;
        if (self.is_usable)(&first.path) {
            return Some(first);
        }
        Some(
            all.find(|found| (self.is_usable)(&found.path))
                .unwrap_or(first),
        )
    }

    /// Returns every existing file, in the order of the search. A place is searched only after the
    /// caller has taken the results before it.
    fn all_in<'a>(&'a self, machine: &'a Places) -> impl Iterator<Item = ToolPath> + 'a {
        let below = |through| {
            move |root: PathBuf| {
                let files = self.places.iter().map(move |place| root.join(place));
                files.map(move |file| (file, through))
            }
        };
        let in_path = self.program.into_iter().flat_map(|program| {
            let files = machine.path.iter().map(move |dir| dir.join(program));
            files.map(|file| (file, "PATH"))
        });
        let homes = machine.cuda_home.iter().cloned();
        let defaults = machine.default.iter().cloned();
        homes
            .flat_map(below("CUDA_HOME"))
            .chain(in_path)
            .chain(machine.beside_path().flat_map(below("PATH")))
            .chain(machine.python().flat_map(below("a Python environment")))
            .chain(defaults.flat_map(below("the toolkit's default folder")))
            .filter(|(path, _)| path.is_file())
            .map(|(path, through)| ToolPath { path, through })
    }
}

/// The folders of the search.
struct Places {
    cuda_home: Vec<PathBuf>,
    path: Vec<PathBuf>,
    /// The package folders of Python environments that the user named.
    site_packages: Vec<PathBuf>,
    /// The package folders of the `python3` in `PATH`, which is a program that must run
    /// to return them.
    python3: fn() -> &'static [PathBuf],
    default: Vec<PathBuf>,
}

impl Places {
    fn of_this_machine() -> Self {
        let folders = |names: &[&str]| -> Vec<PathBuf> {
            names
                .iter()
                .filter_map(env::var_os)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
                .collect()
        };
        let environments = [
            vec![environment()],
            folders(&["VIRTUAL_ENV", "CONDA_PREFIX"]),
        ]
        .concat();
        let site_packages = environments
            .iter()
            .flat_map(|root| site_packages_below(root))
            .collect();
        Self {
            cuda_home: folders(&["CUDA_HOME", "CUDA_PATH"]),
            path: env::var_os("PATH")
                .iter()
                .flat_map(env::split_paths)
                .collect(),
            site_packages,
            python3: site_packages_of_python,
            default: vec!["/usr/local/cuda".into()],
        }
    }

    /// Returns toolkits whose `bin` is in `PATH`. Their libraries are beside it.
    fn beside_path(&self) -> impl Iterator<Item = PathBuf> {
        let with_nvcc = self.path.iter().filter(|dir| dir.join("nvcc").is_file());
        with_nvcc
            .filter_map(|dir| dir.parent())
            .map(Path::to_path_buf)
    }

    /// Returns the folders of NVIDIA's Python packages: `site-packages/nvidia/*`. Each has the same
    /// structure as a toolkit.
    fn python(&self) -> impl Iterator<Item = PathBuf> {
        let asked = std::iter::once_with(self.python3).flatten();
        let all = self.site_packages.iter().chain(asked);
        all.flat_map(|dir| subfolders(&dir.join("nvidia")))
    }
}

/// Returns `lib/python3.*/site-packages` of a Python environment.
fn site_packages_below(environment: &Path) -> Vec<PathBuf> {
    let versions = subfolders(&environment.join("lib")).into_iter();
    versions
        .map(|version| version.join("site-packages"))
        .filter(|dir| dir.is_dir())
        .collect()
}

/// Returns the folders where the `python3` in `PATH` finds its packages. There are none without
/// Python. A process runs it once, because `python3` may be a script that chooses among several
/// versions, as with pyenv. Then it takes longer than the rest of the command.
fn site_packages_of_python() -> &'static [PathBuf] {
    static FOUND: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
        let Ok(output) = Command::new("python3")
            .args(["-c", "import sys; print('\\n'.join(sys.path))"])
            .output()
        else {
            return Vec::new();
        };
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines()
            .filter(|line| line.ends_with("-packages"))
            .map(PathBuf::from)
            .collect()
    });
    &FOUND
}

/// Returns the folders in `dir` by name, or none if it does not exist.
fn subfolders(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a machine with these files, and the folders that a user would have named.
    fn machine(files: &[&str]) -> (tempfile::TempDir, Places) {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        for file in files {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().expect("a file is in a folder"))
                .expect("a folder can be made");
            fs::write(file, "").expect("a file can be written");
        }
        let places = Places {
            cuda_home: vec![root.path().join("home")],
            path: vec![
                root.path().join("elsewhere"),
                root.path().join("opt/cuda/bin"),
            ],
            site_packages: site_packages_below(&root.path().join("venv")),
            python3: || &[],
            default: vec![root.path().join("default")],
        };
        (root, places)
    }

    #[test]
    fn cuda_home_goes_before_path_and_path_before_python() {
        let python = "venv/lib/python3.11/site-packages/nvidia/cu13/bin/ptxas";
        for (files, through) in [
            (
                vec!["home/bin/ptxas", "elsewhere/ptxas", python],
                Some("CUDA_HOME"),
            ),
            (
                vec!["elsewhere/ptxas", python, "default/bin/ptxas"],
                Some("PATH"),
            ),
            (
                vec![python, "default/bin/ptxas"],
                Some("a Python environment"),
            ),
            (
                vec!["default/bin/ptxas"],
                Some("the toolkit's default folder"),
            ),
            (vec![], None),
        ] {
            let (_root, places) = machine(&files);
            assert_eq!(
                PTXAS.find_in(&places).map(|found| found.through),
                through,
                "{files:?}"
            );
        }
    }

    #[test]
    fn python_is_not_asked_for_what_comes_before_it() {
        let (_root, mut places) = machine(&["home/bin/ptxas", "default/bin/fatbinary"]);
        places.python3 = || panic!("asked");
        assert!(PTXAS.find_in(&places).is_some());
        places.python3 = || &[];
        assert!(FATBINARY.find_in(&places).is_some());
    }

    #[test]
    fn libraries_are_found_beside_the_nvcc_in_path() {
        let library = "opt/cuda/nvvm/lib64/libnvvm.so";
        let (root, places) = machine(&["opt/cuda/bin/nvcc", library]);
        assert_eq!(
            LIBNVVM.find_in(&places).map(|found| found.path),
            Some(root.path().join(library))
        );
    }

    #[test]
    fn libnvvm_is_found_in_the_python_package_which_has_no_lib64() {
        let (_root, places) =
            machine(&["venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvvm.so.4"]);
        assert!(LIBNVVM.find_in(&places).is_some());
    }
}
