//! `cargo lanewise check-ptx`: checks every module with NVIDIA's assembler.
//!
//! LLVM can write PTX that no GPU accepts. ptxas is the best check that works on any machine,
//! and it also reports what a kernel costs. The modules are not built in `target/ptx`, which
//! stays as it is.

mod costs;
mod spills;

use std::collections::BTreeMap;
use std::fs;
use std::iter;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result};
use comfy_table::Cell;
use lanewise_builder::assembler::{self, Assembly, Resources};
use lanewise_builder::lint::ptx;
use lanewise_builder::{ModuleOutput, Output};
use serde::Serialize;

use crate::kernels::{self, Request};
use crate::output::{self, say};
use crate::project;
use crate::toolkit;
use costs::{Cost, Costs};
use spills::Allowed;

/// Have NVIDIA's ptxas accept every kernel and do what is written, without spills that are not in
/// `spills.toml` and costs above those in `costs.toml`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise check-ptx\n  cargo lanewise check-ptx --arch sm_120 --json\n  cargo lanewise check-ptx --arch sm_90 --debug\n  cargo lanewise check-ptx --arch sm_90 --record"
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
    /// Write what the kernels cost on the last target to `costs.toml`, which later checks compare
    #[arg(long, conflicts_with = "debug")]
    record: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// One target's kernels with the results of ptxas.
#[derive(Serialize)]
struct Module {
    arch: String,
    kernels: Vec<Usage>,
    /// What ptxas accepted but did not do as written.
    losses: Vec<String>,
}

/// The resources of one kernel, as ptxas reports them.
#[derive(Serialize)]
struct Usage {
    kernel: String,
    #[serde(flatten)]
    resources: Resources,
    #[serde(skip)]
    cost: Cost,
}

/// Builds and assembles the modules and prints the results. Fails if a module is refused, a kernel
/// spills, or ptxas did not do something as written.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let ptxas = toolkit::PTXAS.find();
    let ptxas = ptxas.with_context(|| {
        let remedy = toolkit::install(&toolkit::FOR_PTXAS);
        format!("there is no ptxas; without a CUDA toolkit, get it by\n  {remedy}")
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
    let modules = assemble_all(&ptxas.path, built, args.debug)?;
    if args.json {
        output::say_json(&modules)?;
    } else {
        print(&modules);
    }
    let version = assembler::version(&ptxas.path).unwrap_or_default();
    let wrong = match args.debug {
        true => Vec::new(),
        false if args.record => {
            let last = modules.last().context("no target is asked for")?;
            last.costs(version).write(project::kernels()?)?;
            judge(&allowed, &modules)
        }
        false => {
            let mut wrong = judge(&allowed, &modules);
            if let Some(costs) = Costs::read(project::kernels()?)? {
                let compared = modules.iter().find(|module| module.arch == costs.arch());
                wrong.extend(
                    compared
                        .into_iter()
                        .flat_map(|it| costs.judge(&it.costs(version.clone()))),
                );
            }
            wrong
        }
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

/// Assembles all modules with ptxas at the same time. Each uses one core for up to half a minute.
fn assemble_all(ptxas: &Path, built: Output, debug: bool) -> Result<Vec<Module>> {
    let assemble = |module: ModuleOutput, imports: bool| {
        let part = |ptx, relocatable| {
            let assembly = Assembly {
                debug,
                relocatable,
                ..Assembly::default()
            };
            assembler::assemble(ptxas, ptx, &module.arch, assembly)
        };
        let mut made = Module {
            arch: module.arch.clone(),
            kernels: Vec::new(),
            losses: Vec::new(),
        };
        let launching = module.launching_ptx.iter().map(|ptx| (ptx, true));
        for (ptx, relocatable) in iter::once((&module.ptx, imports)).chain(launching) {
            let assembled = part(ptx, relocatable)?;
            made.kernels
                .extend(usages(assembled.kernels, &fs::read_to_string(ptx)?)?);
            made.losses.extend(assembled.losses);
        }
        Ok(made)
    };
    let described = built.manifest.modules.iter();
    let imports: Vec<bool> = described.map(|it| !it.imports.is_empty()).collect();
    thread::scope(|scope| {
        let modules = built.modules.into_iter().zip(imports);
        let begun: Vec<_> = modules
            .map(|(module, imports)| scope.spawn(move || assemble(module, imports)))
            .collect();
        begun
            .into_iter()
            .map(|work| {
                work.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}

/// Returns what the kernels of one file need and cost.
fn usages(kernels: BTreeMap<String, Resources>, ptx: &str) -> Result<Vec<Usage>> {
    let module = ptx::Module::parse(ptx)?;
    let usage = |(kernel, resources): (String, Resources)| {
        let function = module.function(&kernel);
        let cost = function.map(|it| Cost::of(&module, it, &resources));
        Usage {
            kernel,
            resources,
            cost: cost.unwrap_or_default(),
        }
    };
    Ok(kernels.into_iter().map(usage).collect())
}

impl Module {
    /// Returns what the kernels cost by this version of ptxas.
    fn costs(&self, ptxas: String) -> Costs {
        let kernels = self.kernels.iter();
        let kernels = kernels.map(|it| (it.kernel.clone(), it.cost.clone()));
        Costs::new(&self.arch, ptxas, kernels.collect())
    }
}

/// Returns the messages about spills that are not allowed, and about what ptxas accepted but
/// did not do.
fn judge(allowed: &Allowed, modules: &[Module]) -> Vec<String> {
    let mut wrong = allowed.judge(modules);
    for Module { arch, losses, .. } in modules {
        wrong.extend(losses.iter().map(|loss| {
            format!(
                "ptxas says of {arch}: {loss}
  A kernel with `wgmma` or `setmaxnreg` must not call a function, as a panic with formatted values does: use an \
                 `assert!` without values, or `debug::trap()`"
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
