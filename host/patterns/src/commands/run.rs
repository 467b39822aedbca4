//! `lanewise run <pattern>`: each variant, right or not, and how fast.

use std::process::ExitCode;

use anyhow::{Context, Result};
use patterns::Setup;
use serde_json::json;

use super::output::{say, say_json};
use super::report::{self, Line};
use super::select::Choice;

/// Options of `lanewise run`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exits with 1 when a variant that has to agree with the CPU does not, or does not run."
)]
pub(crate) struct Args {
    /// A pattern, or a variant's pattern; `lanewise list` names them
    pattern: String,
    /// How much: elements of a vector, rows and columns of a matrix
    #[arg(long)]
    size: Option<usize>,
    /// Rows of a matrix, where they are not as many as its columns
    #[arg(long)]
    rows: Option<usize>,
    /// How far, where the pattern has an offset or a stride: in elements
    #[arg(long)]
    by: Option<u32>,
    /// Threads of a block, where the variant lets one choose
    #[arg(long)]
    block: Option<u32>,
    /// Which pseudo-random input
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Who runs the kernels
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    device: Choice,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the pattern's variants.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let pattern = patterns::find(&args.pattern).with_context(|| {
        format!(
            "there is no pattern `{}`; `lanewise list` names them",
            args.pattern
        )
    })?;
    let device = args.device.open()?;
    let size = args.size.unwrap_or(pattern.size.default);
    let setup = Setup {
        rows: args.rows,
        by: args.by,
        block: args.block,
        ..Setup::new(size, args.seed)
    };
    let lines: Vec<Line> = pattern
        .variants
        .iter()
        .map(|variant| Line::run(&device, variant, setup))
        .collect();
    if args.json {
        let mut report = report::json(&lines, &device);
        report["pattern"] = json!(pattern.name);
        report["seed"] = json!(args.seed);
        say_json(&report);
    } else {
        let (of, seed, name) = (pattern.size.of, args.seed, &device.properties().name);
        say(format_args!("{}: {}", pattern.name, pattern.summary));
        say(format_args!(
            "{size} {of}, seed {seed}, on {name} ({})",
            device.backend()
        ));
        report::say(&lines, device.backend());
        if lines.iter().any(Line::has_bandwidth) {
            let most = device.properties().theoretical_bandwidth() / 1e9;
            say(format_args!(
                "The device's memory moves {most:.0} GB/s at most, by its clock and its bus."
            ));
        }
    }
    Ok(if lines.iter().all(Line::is_good) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
