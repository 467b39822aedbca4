//! The files that a build writes: `<out>/<arch>/<crate>.ptx`, `.launching.ptx`, `.json` and the
//! other outputs that were requested.
//!
//! The manifest also contains the fingerprint of the files' inputs and that of the files. So each
//! target's folder alone shows whether it is up to date, for every program that builds it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::assembler::Resources;
use crate::error::BuildError;
use crate::fingerprint;
use crate::manifest::Module;
use crate::output::{Emit, ModuleOutput};
use crate::passes::Code;

/// The place and names of a build's files.
pub(crate) struct Files {
    /// The folder that contains one folder per target.
    pub(crate) out_dir: PathBuf,
    /// The crate, which the files are named after.
    pub(crate) krate: String,
    /// What is written besides PTX.
    pub(crate) emit: Vec<Emit>,
}

/// The contents of the manifest's file.
#[derive(Serialize, Deserialize)]
struct Record {
    #[serde(flatten)]
    module: Module,
    /// The fingerprint of the files' inputs.
    fingerprint: String,
    /// The fingerprint of the files.
    contents: String,
}

impl Files {
    /// Returns the paths of a target's files.
    pub(crate) fn of(&self, arch: &str, launching: bool) -> ModuleOutput {
        let folder = self.out_dir.join(arch);
        let file = |extension: &str| folder.join(format!("{}.{extension}", self.krate));
        let asked = |emit, extension| self.emit.contains(&emit).then(|| file(extension));
        ModuleOutput {
            arch: arch.to_owned(),
            ptx: file("ptx"),
            launching_ptx: launching.then(|| file("launching.ptx")),
            manifest: file("json"),
            llvm_ir: asked(Emit::LlvmIr, "ll"),
            bitcode: asked(Emit::Bitcode, "bc"),
            cubin: asked(Emit::Cubin, "cubin"),
        }
    }

    /// Returns the module in a target's files, if they all exist, are unchanged, and were made from
    /// the same inputs.
    pub(crate) fn still_hold(&self, arch: &str, fingerprint: &str) -> Option<Module> {
        let manifest = self.of(arch, false).manifest;
        let record: Record = serde_json::from_slice(&fs::read(manifest).ok()?).ok()?;
        let paths = self.of(arch, record.module.launching_ptx.is_some());
        let contents = contents(&paths).ok()?;
        (record.fingerprint == fingerprint && record.contents == contents).then_some(record.module)
    }

    /// Returns the resources of the last build's kernels, by name.
    fn resources_before(&self, arch: &str) -> BTreeMap<String, Resources> {
        let text = fs::read(self.of(arch, false).manifest).unwrap_or_default();
        let record: Option<Record> = serde_json::from_slice(&text).ok();
        let kernels = record.into_iter().flat_map(|record| record.module.kernels);
        kernels
            .filter_map(|kernel| Some((kernel.description.name, kernel.resources?)))
            .collect()
    }

    /// Writes a target's files, and records where the kernels' resources changed.
    pub(crate) fn write(
        &self,
        module: &mut Module,
        fingerprint: String,
        code: &Code,
    ) -> Result<(), BuildError> {
        let paths = self.of(&module.arch, code.launching_ptx.is_some());
        let mut before = self.resources_before(&module.arch);
        for kernel in &mut module.kernels {
            let old = before.remove(&kernel.description.name);
            kernel.before =
                old.filter(|old| kernel.resources.as_ref().is_some_and(|new| new != old));
        }
        let folder = self.out_dir.join(&module.arch);
        fs::create_dir_all(&folder).map_err(BuildError::io("create", &folder))?;
        write(&paths.ptx, code.ptx.as_bytes())?;
        if let (Some(path), Some(ptx)) = (&paths.launching_ptx, &code.launching_ptx) {
            write(path, ptx.as_bytes())?;
        }
        if let Some(path) = &paths.llvm_ir {
            write(path, code.ir.as_bytes())?;
        }
        if let Some(path) = &paths.bitcode {
            write(path, &code.bitcode)?;
        }
        if let (Some(path), Some(cubin)) = (&paths.cubin, &code.cubin) {
            write(path, cubin)?;
        }
        let contents = contents(&paths).map_err(BuildError::io("read", &folder))?;
        // These are types of this crate with strings as keys, so JSON can represent them.
        let record = Record {
            module: module.clone(),
            fingerprint,
            contents,
        };
        let mut json = serde_json::to_vec_pretty(&record).unwrap_or_default();
        json.push(b'\n');
        write(&paths.manifest, &json)
    }
}

/// Returns the fingerprint of a target's files except the manifest.
fn contents(paths: &ModuleOutput) -> std::io::Result<String> {
    let all = [
        Some(&paths.ptx),
        paths.launching_ptx.as_ref(),
        paths.llvm_ir.as_ref(),
        paths.bitcode.as_ref(),
        paths.cubin.as_ref(),
    ];
    let bytes = all
        .into_iter()
        .flatten()
        .map(fs::read)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(fingerprint::of(&bytes))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    fs::write(path, bytes).map_err(BuildError::io("write", path))
}
