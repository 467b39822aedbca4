//! `cargo lanewise link`: links modules that call each other's functions to one cubin,
//! ahead of time.
//!
//! ptxas assembles each PTX to relocatable code, and nvlink resolves the calls. With
//! `lanewise::Linker` the driver does both when the program runs.
//!
//! CUDA Compiler Driver documentation, "Using Separate Compilation in CUDA"; CUDA
//! Binary Utilities, "nvlink".

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use lanewise_builder::assembler::{self, Assembly};
use serde::Serialize;

use crate::binaries;
use crate::output::{say, say_json};
use crate::toolkit;

/// Link modules that call each other's functions into one cubin, by ptxas and nvlink
///
/// A module is PTX (as `build-ptx` writes it), a relocatable cubin (`ptxas --compile-only`), an
/// object of `nvcc -dc`, or a library of those.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise link target/ptx/sm_90/kernels.ptx target/ptx/sm_90/functions.ptx --out program.cubin\n  cargo lanewise link kernels.ptx theirs.o --arch sm_90a --out program.cubin"
)]
pub struct Args {
    /// What is linked
    #[arg(required = true)]
    modules: Vec<PathBuf>,
    /// The GPU to link for
    #[arg(long, value_name = "ARCH", default_value = "sm_90")]
    arch: String,
    /// Where to write the cubin
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What was linked.
#[derive(Serialize)]
struct Linked<'a> {
    arch: &'a str,
    modules: &'a [PathBuf],
    cubin: &'a Path,
    bytes: u64,
}

/// Assembles the PTX modules, and links all.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let nvlink = toolkit::NVLINK.require()?;
    let folder = tempfile::tempdir()?;
    let mut arguments: Vec<OsString> = vec!["--arch".into(), args.arch.clone().into()];
    for (number, module) in args.modules.iter().enumerate() {
        ensure!(module.is_file(), "there is no file `{}`", module.display());
        arguments.push(match module.extension().is_some_and(|end| end == "ptx") {
            true => assemble(module, &args.arch, folder.path(), number)?.into(),
            false => module.into(),
        });
    }
    arguments.extend(["--output-file".into(), args.out.clone().into()]);
    binaries::run(&nvlink, arguments)?;
    if args.json {
        say_json(&Linked {
            arch: &args.arch,
            modules: &args.modules,
            cubin: &args.out,
            bytes: args.out.metadata()?.len(),
        })?;
    } else {
        say(format_args!("wrote {}", args.out.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a module as relocatable machine code.
fn assemble(ptx: &Path, arch: &str, folder: &Path, number: usize) -> Result<PathBuf> {
    let cubin = folder.join(format!("{number}.cubin"));
    let assembly = Assembly {
        cubin: Some(&cubin),
        relocatable: true,
        ..Assembly::default()
    };
    assembler::assemble(&toolkit::PTXAS.require()?, ptx, arch, assembly)?;
    Ok(cubin)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLER: &str = ".version 7.8\n.target sm_80\n.address_size 64\n.extern .func f ();\n.visible .entry k() { call.uni f, (); ret; }\n";
    const CALLEE: &str =
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .func f () { ret; }\n";

    /// Without nvlink, the command explains how to get it. With nvlink, it links a complete program
    /// and refuses an incomplete one.
    #[test]
    fn halves_of_a_program_are_linked() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("it can be written");
            path
        };
        let (caller, callee) = (file("caller.ptx", CALLER), file("callee.ptx", CALLEE));
        let link = |modules: &[&PathBuf]| {
            run(&Args {
                modules: modules.iter().map(|path| (*path).clone()).collect(),
                arch: "sm_90".into(),
                out: folder.path().join("program.cubin"),
                json: true,
            })
        };
        if toolkit::NVLINK.find().is_none() {
            let told = link(&[&caller]).expect_err("no tool").to_string();
            assert!(told.contains("there is no nvlink"), "{told}");
            return;
        }
        let told = link(&[&caller]).expect_err("half a program").to_string();
        assert!(told.contains("Undefined reference to 'f'"), "{told}");
        link(&[&caller, &callee]).expect("a whole program");
        let cubin = std::fs::read(folder.path().join("program.cubin")).expect("it was written");
        assert!(cubin.starts_with(b"\x7fELF"));
    }
}
