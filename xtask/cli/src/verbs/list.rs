//! `lanewise list`: the project's kernels.

use std::process::ExitCode;

use anyhow::Result;

use crate::build_ptx;
use crate::kernels::{self, Request};
use crate::output::{self, say, say_json};

/// List the project's kernels with their parameters
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise list\n  cargo lanewise list --json | jq '.[].name'"
)]
pub(crate) struct Args {
    /// The targets that they are compiled for; the last one's kernels are listed
    #[arg(long, value_delimiter = ',', value_name = "ARCH", default_values = kernels::DEFAULT_ARCHS)]
    arch: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Builds the kernels, if they have changed, and lists them.
pub(super) fn run(args: &Args) -> Result<ExitCode> {
    let output = kernels::build(Request {
        archs: &args.arch,
        ..Request::default()
    })?;
    let modules = output.manifest.modules.last().into_iter();
    let all = modules.flat_map(|module| &module.kernels);
    if args.json {
        say_json(&all.map(|kernel| &kernel.description).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = output::with_header(&["kernel", "parameters"], &[]);
    for kernel in all {
        table.add_row([&kernel.description.name, &build_ptx::parameters(kernel)]);
    }
    say(table.trim_fmt());
    Ok(ExitCode::SUCCESS)
}
