//! Runs NVIDIA's binary tools on the assembled kernels: they write the machine code as text, and
//! one file for several targets.
//!
//! CUDA Binary Utilities documentation, "nvdisasm"; CUDA Compiler
//! Driver documentation, "Fatbinaries".

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use lanewise_builder::{ModuleOutput, Output};

use crate::toolkit;

/// Writes a module's machine code as text beside its cubin.
pub(crate) fn sass(module: &ModuleOutput) -> Result<PathBuf> {
    let cubin = cubin(module)?;
    let path = cubin.with_extension("sass");
    fs::write(&path, disassemble(cubin)?)
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(path)
}

/// Returns the machine code of a cubin as text. Each source line is a comment
/// before its instructions.
pub(crate) fn disassemble(cubin: &Path) -> Result<String> {
    let nvdisasm = toolkit::NVDISASM.require()?;
    let text = run(
        &nvdisasm,
        [
            "--print-code".into(),
            "--print-line-info".into(),
            cubin.into(),
        ],
    )?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writes one file with the machine code of every target, and the PTX of the last for future GPUs.
pub(crate) fn fatbin(output: &Output) -> Result<PathBuf> {
    let fatbinary = toolkit::FATBINARY.require()?;
    let Some(last) = output.modules.last() else {
        bail!("there is no module to put in");
    };
    let folder = last
        .ptx
        .ancestors()
        .nth(2)
        .context("a module lies in a folder of its target")?;
    let name = last.ptx.file_stem().unwrap_or_default();
    let path = folder.join(name).with_extension("fatbin");
    let image = |kind: &str, arch: &str, file: &Path| -> OsString {
        let number = arch.trim_start_matches("sm_");
        format!("--image3=kind={kind},sm={number},file={}", file.display()).into()
    };
    let mut arguments: Vec<OsString> =
        vec!["-64".into(), format!("--create={}", path.display()).into()];
    for module in &output.modules {
        arguments.push(image("elf", &module.arch, cubin(module)?));
    }
    arguments.push(image("ptx", &last.arch, &last.ptx));
    run(&fatbinary, arguments)?;
    Ok(path)
}

fn cubin(module: &ModuleOutput) -> Result<&Path> {
    module
        .cubin
        .as_deref()
        .context("the build was not asked for a cubin")
}

/// Runs a tool and returns what it prints. The error contains the tool's messages.
pub(crate) fn run(tool: &Path, arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<u8>> {
    let run = Command::new(tool)
        .args(arguments)
        .output()
        .with_context(|| format!("`{}` could not be started", tool.display()))?;
    if !run.status.success() {
        let messages = String::from_utf8_lossy(&run.stderr).into_owned();
        bail!("`{}` failed:\n{}", tool.display(), messages.trim_end());
    }
    Ok(run.stdout)
}
