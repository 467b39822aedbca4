//! `lanewise debug`: the project's program with kernels that were built for a debugger.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use lanewise_variables as variables;

use super::{cargo, status};
use crate::exec;
use crate::kernels::{self, Request};
use crate::simulation::Simulation;
use crate::{project, toolkit};

/// Run the project's program in cuda-gdb, or on the simulated GPU, with kernels that are not
/// optimised
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise debug --gpu                # cuda-gdb, with all variables of the kernels\n  cargo lanewise debug --checks all -- 1000 # reports name the lines as they are written"
)]
pub(crate) struct Args {
    /// Options of `cargo run`, and of the program after `--`
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CARGO"
    )]
    cargo: Vec<OsString>,
    /// Run on this machine's GPU, in cuda-gdb
    #[arg(long, conflicts_with_all = ["model", "checks", "seeds", "seed", "schedule", "error_exitcode", "json", "Results"])]
    gpu: bool,
    #[command(flatten)]
    simulation: Simulation,
    #[command(flatten)]
    results: exec::Results,
}

/// Builds the kernels for a debugger and runs the program with them.
pub(super) fn run(args: Args) -> Result<ExitCode> {
    let out = project::target().join("ptx-debug");
    let archs: Vec<String> = match &args.simulation.arch {
        Some(archs) => archs.split(',').map(Into::into).collect(),
        None => kernels::DEFAULT_ARCHS.map(Into::into).into(),
    };
    kernels::build(Request {
        archs: &archs,
        debug: true,
        out: Some(out.clone()),
        ..Request::default()
    })?;
    if args.gpu {
        let found = toolkit::CUDA_GDB.find();
        let debugger =
            found.context("there is no cuda-gdb on this machine; a CUDA toolkit has it")?;
        let debugger = debugger.path.display().to_string();
        let runner = serde_json::json!([debugger, "--args"]);
        let words = cargo("run", Vec::new());
        let mut command = Command::new(&words[0]);
        command
            .args(["--config", &format!("target.'cfg(all())'.runner={runner}")])
            .args(&words[1..])
            .args(args.cargo)
            .env(variables::DEVICE.name, "cuda")
            .env(variables::PTX.name, out);
        return status(&mut command);
    }
    exec::run_with(
        &exec::Args {
            simulation: args.simulation,
            results: args.results,
            program: cargo("run", args.cargo),
        },
        &[(&variables::PTX, out)],
    )
}
