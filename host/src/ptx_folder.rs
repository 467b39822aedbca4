//! PTX from a folder in place of the embedded one: `LANEWISE_PTX=target/ptx-debug`.
//!
//! A build with other options than the embedded one's (for a debugger, for speed, by the other backend) leaves a folder for
//! each target, with the texts `gpu.ptx` and `gpu.launching.ptx`. A program that is told of it by `LANEWISE_PTX` takes those texts
//! and is not built again. The rule for the choice is that of `embedded`: the newest target that the device runs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{ComputeCapability, LoadError};

/// The variable that names the folder.
const VARIABLE: &str = "LANEWISE_PTX";

/// The folder of the target that suits a device best, where the environment names one.
pub(crate) fn best_for(device: ComputeCapability) -> Result<Option<PathBuf>, LoadError> {
    let Some(folder) = std::env::var_os(VARIABLE) else {
        return Ok(None);
    };
    choose(Path::new(&folder), device).map(Some)
}

/// One of a target's texts.
pub(crate) fn read(target: &Path, file: &str) -> Result<String, LoadError> {
    let path = target.join(file);
    fs::read_to_string(&path).map_err(|source| LoadError::Unreadable { path, source })
}

fn choose(folder: &Path, device: ComputeCapability) -> Result<PathBuf, LoadError> {
    let entries = fs::read_dir(folder).map_err(|source| LoadError::Unreadable {
        path: folder.to_owned(),
        source,
    })?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let best = names
        .filter_map(|name: OsString| Some((target(name.to_str()?)?, name)))
        .filter(|(target, _)| *target <= device)
        .max();
    match best {
        Some((_, name)) => Ok(folder.join(name)),
        None => Err(LoadError::NoTarget {
            folder: folder.to_owned(),
            device,
        }),
    }
}

/// The oldest device that runs a folder's text: `sm_90` is 9.0. Targets of one device only (`sm_90a`) are not chosen.
fn target(name: &str) -> Option<ComputeCapability> {
    let number: u32 = name.strip_prefix("sm_")?.parse().ok()?;
    Some(ComputeCapability {
        major: number / 10,
        minor: number % 10,
    })
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
        let folder = folder(&["sm_80", "sm_90", "sm_90a", "sm_100", "other"]);
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
        let error = read(&folder.path().join("sm_90"), "gpu.ptx").expect_err("there is no file");
        assert!(error.to_string().contains("sm_90/gpu.ptx"), "{error}");
    }
}
