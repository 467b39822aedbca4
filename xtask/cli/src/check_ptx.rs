//! `cargo lanewise check-ptx`: NVIDIA's assembler judges every module.
//!
//! LLVM can write PTX that it alone believes in. ptxas is the nearest thing to a GPU that any machine can have, and it
//! also tells what a kernel costs. The modules are built apart from `target/ptx`, which stays as it is.

mod spills;

use std::process::ExitCode;

use anyhow::{Context, Result};
use comfy_table::Cell;
use lanewise_builder::assembler::{self, Assembly, Resources};
use serde::Serialize;

use crate::kernels::{self, Request};
use crate::output::{self, say};
use crate::project;
use crate::toolkit::{self, INSTALL_PTXAS};
use spills::Allowed;

/// Have NVIDIA's ptxas accept every kernel, without spills that `spills.toml` does not name, and do what is written
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise check-ptx\n  cargo lanewise check-ptx --arch sm_120 --json\n  cargo lanewise check-ptx --arch sm_90 --debug"
)]
pub struct Args {
    /// The GPUs to compile for and to assemble for
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "ARCH",
        default_value = "sm_80,sm_90,sm_100"
    )]
    arch: Vec<String>,
    /// Check the kernels as built for a debugger; all of them spill then
    #[arg(long)]
    debug: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One target's kernels as ptxas sees them.
#[derive(Serialize)]
struct Module {
    arch: String,
    kernels: Vec<Usage>,
    /// What ptxas has not done as it was written.
    losses: Vec<String>,
}

/// What ptxas makes of one kernel.
#[derive(Serialize)]
struct Usage {
    kernel: String,
    #[serde(flatten)]
    resources: Resources,
}

/// Builds, assembles, prints; fails when a module is refused, a kernel spills, or ptxas has not done what was written.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let ptxas = toolkit::PTXAS.find();
    let ptxas = ptxas.with_context(|| {
        format!("there is no ptxas; without a CUDA toolkit, get it by\n  {INSTALL_PTXAS}")
    })?;
    let allowed = Allowed::read(project::kernels()?)?;
    let built = kernels::build(Request {
        archs: &args.arch,
        debug: args.debug,
        out: Some(project::target().join(if args.debug {
            "ptx-check-debug"
        } else {
            "ptx-check"
        })),
        ..Request::default()
    })?;
    let mut modules = Vec::new();
    for (module, described) in built.modules.into_iter().zip(&built.manifest.modules) {
        let assemble = |ptx, relocatable| {
            let assembly = Assembly {
                debug: args.debug,
                relocatable,
                ..Assembly::default()
            };
            assembler::assemble(&ptxas.path, ptx, &module.arch, assembly)
        };
        let mut assembled = assemble(&module.ptx, !described.imports.is_empty())?;
        if let Some(launching) = &module.launching_ptx {
            let launching = assemble(launching, true)?;
            assembled.kernels.extend(launching.kernels);
            assembled.losses.extend(launching.losses);
        }
        let usage = |(kernel, resources)| Usage { kernel, resources };
        modules.push(Module {
            arch: module.arch,
            kernels: assembled.kernels.into_iter().map(usage).collect(),
            losses: assembled.losses,
        });
    }
    if args.json {
        say(serde_json::to_string_pretty(&modules)?);
    } else {
        print(&modules);
    }
    let wrong = match args.debug {
        true => Vec::new(),
        false => judge(&allowed, &modules),
    };
    for message in &wrong {
        eprintln!("error: {message}");
    }
    Ok(if wrong.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What is wrong: spills that are not allowed, and what ptxas has taken and not done.
fn judge(allowed: &Allowed, modules: &[Module]) -> Vec<String> {
    let mut wrong = allowed.judge(modules);
    for Module { arch, losses, .. } in modules {
        wrong.extend(losses.iter().map(|loss| {
            format!(
                "ptxas says of {arch}: {loss}\n  A kernel with `wgmma` or `setmaxnreg` must not call a function, as a panic does: use indices that cannot be wrong,                  `if` and `debug::trap()`"
            )
        }));
    }
    wrong
}

fn print(modules: &[Module]) {
    let header = [
        "arch",
        "kernel",
        "registers",
        "shared",
        "stack",
        "spill stores",
        "spill loads",
    ];
    let mut table = output::with_header(&header, &[2, 3, 4, 5, 6]);
    for module in modules {
        for usage in &module.kernels {
            let numbers = [
                usage.resources.registers,
                usage.resources.shared,
                usage.resources.stack,
                usage.resources.spill_stores,
                usage.resources.spill_loads,
            ];
            let names = [Cell::new(&module.arch), Cell::new(&usage.kernel)];
            table.add_row(names.into_iter().chain(numbers.map(Cell::new)));
        }
    }
    say(table.trim_fmt());
}
