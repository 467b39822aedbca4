//! PTX from a folder in place of the embedded PTX: `LANEWISE_PTX=target/ptx-debug`.
//!
//! A build with other options than the embedded one's (for a debugger, for speed, by the other
//! backend) writes a folder for each target. Its files are named after the crate: `gpu.ptx`,
//! `gpu.launching.ptx`, and a description of their contents, `gpu.json`. If `LANEWISE_PTX` names
//! the folder, a program uses those texts without being built again. The rule for the choice is
//! that of `embedded`. A crate whose files are not in the folder keeps its embedded PTX: a program
//! may use several crates, and the folder may contain only one of them.
//!
//! The texts have to be made from the kernels that the program was compiled with, or the arguments
//! would not fit. So kernels and statics that exist in both must have the same declaration in the
//! description, and the kernels in the texts, too: a text may have been edited, or copied from
//! another build.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use lanewise_ptx::isa::Architecture;
use lanewise_std::kernel;
use lanewise_variables::PTX;
use serde::Deserialize;

use crate::device::entries::{Entry, Params, entries};
use crate::{ComputeCapability, LoadError};

/// Returns the PTX of the kernels that launch no kernels, if `LANEWISE_PTX` names a folder
/// that contains it.
pub(crate) fn plain<M: kernel::Module>(
    device: ComputeCapability,
) -> Result<Option<String>, LoadError> {
    text::<M>(device, "ptx")
}

/// Returns the PTX of the kernels that launch kernels, in the same way.
pub(crate) fn launching<M: kernel::Module>(
    device: ComputeCapability,
) -> Result<Option<String>, LoadError> {
    text::<M>(device, "launching.ptx")
}

fn text<M: kernel::Module>(
    device: ComputeCapability,
    extension: &str,
) -> Result<Option<String>, LoadError> {
    let Some(folder) = PTX.path() else {
        return Ok(None);
    };
    let folder = choose(&folder, device)?;
    let manifest = folder.join(format!("{}.json", M::NAME));
    if !manifest.is_file() {
        return Ok(None);
    }
    let found = read(&manifest)?;
    for embedded in M::TEXTS {
        if let Some(name) = differing(&found, embedded.manifest) {
            return Err(LoadError::OtherSource {
                folder,
                module: M::NAME,
                name,
            });
        }
    }
    let path = folder.join(format!("{}.{extension}", M::NAME));
    let text = read(&path)?;
    let embedded = M::TEXTS.iter().flat_map(|it| [it.plain, it.launching]);
    match other_parameters(&text, embedded) {
        None => Ok(Some(text)),
        Some((found, expected)) => Err(LoadError::OtherParameters {
            path,
            kernel: found.name,
            expected: expected.to_string(),
            found: found.params.to_string(),
        }),
    }
}

/// Returns the first kernel of a text that has other parameters in an embedded text, and those
/// parameters. The driver reads as many parameters from the program as the loaded text declares.
fn other_parameters<'a>(
    text: &str,
    embedded: impl Iterator<Item = &'a str>,
) -> Option<(Entry, Params)> {
    let expected: HashMap<String, Params> = embedded
        .flat_map(entries)
        .map(|entry| (entry.name, entry.params))
        .collect();
    entries(text).find_map(|found| {
        let expected = expected.get(&found.name)?;
        (*expected != found.params).then(|| (found, expected.clone()))
    })
}

fn read(path: &Path) -> Result<String, LoadError> {
    fs::read_to_string(path).map_err(|source| LoadError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn choose(folder: &Path, device: ComputeCapability) -> Result<PathBuf, LoadError> {
    let entries = fs::read_dir(folder).map_err(|source| LoadError::Unreadable {
        path: folder.to_owned(),
        source,
    })?;
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    match Architecture::best(names, |name| name, device.sm()) {
        Some(name) => Ok(folder.join(name)),
        None => Err(LoadError::NoTarget {
            folder: folder.to_owned(),
            device,
        }),
    }
}

/// The part of the builder's manifest that must be the same in two builds.
#[derive(Deserialize)]
struct Manifest {
    kernels: Vec<Kernel>,
    #[serde(default)]
    statics: Vec<Static>,
}

#[derive(Deserialize, PartialEq)]
struct Kernel {
    name: String,
    params: Vec<Param>,
    /// The layout of the types, and the contract.
    layout: Option<String>,
}

#[derive(Deserialize, PartialEq)]
struct Param {
    #[serde(rename = "type")]
    ty: String,
}

#[derive(Deserialize, PartialEq)]
struct Static {
    name: String,
    bytes: u64,
    #[serde(default)]
    layout: Option<String>,
}

/// Returns the first kernel or static that both builds have and declare differently. A text that is
/// not a manifest always counts as different.
fn differing(found: &str, embedded: &str) -> Option<String> {
    let parse = |text| serde_json::from_str::<Manifest>(text).ok();
    let (Some(found), Some(embedded)) = (parse(found), parse(embedded)) else {
        return Some("the manifest".to_owned());
    };
    let kernel = found.kernels.iter().find(|kernel| {
        let same = embedded.kernels.iter().find(|it| it.name == kernel.name);
        same.is_some_and(|same| same != *kernel)
    });
    let global = found.statics.iter().find(|global| {
        let same = embedded.statics.iter().find(|it| it.name == global.name);
        same.is_some_and(|same| same != *global)
    });
    kernel
        .map(|it| format!("`{}`", it.name))
        .or_else(|| global.map(|it| format!("`{}`", it.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(targets: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for target in targets {
            fs::create_dir(folder.path().join(target)).expect("a folder can be made");
        }
        folder
    }

    const H200: ComputeCapability = ComputeCapability { major: 9, minor: 0 };

    #[test]
    fn the_newest_target_that_the_device_runs_is_chosen() {
        let folder = folder(&["sm_80", "sm_90", "sm_100", "other"]);
        let chosen = choose(folder.path(), H200).expect("there is one");
        assert_eq!(chosen, folder.path().join("sm_90"));
    }

    #[test]
    fn a_folder_without_a_target_for_the_device_is_refused_by_name() {
        let folder = folder(&["sm_100"]);
        let error = choose(folder.path(), H200).expect_err("sm_100 is too new");
        let text = error.to_string();
        assert!(text.contains(&folder.path().display().to_string()) && text.contains("sm_90"));
    }

    #[test]
    fn a_text_that_is_not_there_is_refused_by_name() {
        let folder = folder(&["sm_90"]);
        let error = read(&folder.path().join("sm_90/gpu.ptx")).expect_err("there is no file");
        assert!(error.to_string().contains("sm_90/gpu.ptx"), "{error}");
    }

    #[test]
    fn a_text_must_declare_the_parameters_that_the_program_passes() {
        let text = |first, second| {
            format!(
                ".entry a(.param .u64 a_0{first}) {{}}\n.entry b(.param .u64 b_0{second}) {{}}\n"
            )
        };
        let embedded = text("", ", .param .u32 b_1");
        let other = |found: &str| other_parameters(found, [&*embedded, ""].into_iter());
        assert_eq!(other(&embedded), None);
        assert_eq!(other(".entry new(.param .u32 x) {}"), None);
        let (found, expected) = other(&text(", .param .u32 a_1", "")).expect("`a` has one more");
        assert_eq!(found.name, "a");
        assert_eq!(found.params.to_string(), "2 of 8, 4 bytes");
        assert_eq!(expected.to_string(), "1 of 8 bytes");
        let half = &embedded[..embedded.len() - 8];
        assert!(other(half).is_some(), "the list of `b` has no end");
    }

    #[test]
    fn what_two_builds_both_have_must_be_declared_alike() {
        let kernel = |ty| format!(r#"{{"kernels":[{{"name":"k","params":[{{"type":"{ty}"}}]}}]}}"#);
        let global =
            |bytes| format!(r#"{{"kernels":[],"statics":[{{"name":"V","bytes":{bytes}}}]}}"#);
        assert_eq!(differing(&kernel("u32"), &kernel("u32")), None);
        assert_eq!(
            differing(&kernel("u64"), &kernel("u32")),
            Some("`k`".into())
        );
        assert_eq!(differing(&global(8), &global(4)), Some("`V`".into()));
        assert_eq!(differing(&global(8), &kernel("u32")), None);
        assert_eq!(
            differing("no JSON", &kernel("u32")),
            Some("the manifest".into())
        );
    }
}
