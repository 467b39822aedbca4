//! `patterns profile`: the metrics for each variant of a pattern, by nvprof's and
//! by ncu's names.

use std::process::ExitCode;

use anyhow::{Context, Result};
use lanewise::Backend;
use lanewise::counters::{Counters, profilers::METRICS};
use lanewise_patterns::{Setup, run};
use serde_json::{Value, json};

use super::output::{say, say_json, table};
use super::select::Choice;

/// Options of `patterns profile`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A pattern; `patterns list` names them
    pattern: String,
    /// How much: elements of a vector, rows and columns of a matrix
    #[arg(long)]
    size: Option<usize>,
    /// Who runs the kernels; a GPU counts for nobody but its own profiler, and the command for
    /// that is printed
    #[arg(long, value_enum, default_value_t = Choice::Sim)]
    device: Choice,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  patterns profile heat                     every stage of the program, side by side
  patterns profile transpose --size 1000    what nvprof would say of each variant
  patterns profile heat --device cuda       the command by which Nsight Compute says it";

/// Counts and prints.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let pattern = lanewise_patterns::find(&args.pattern).with_context(|| {
        format!(
            "there is no pattern `{}`; `patterns list` names them",
            args.pattern
        )
    })?;
    let device = args.device.open()?;
    let size = args.size.unwrap_or(pattern.size.default);
    if device.backend() == Backend::Cuda {
        let names: Vec<&str> = METRICS
            .iter()
            .flat_map(|row| row.ncu.split(" + "))
            .collect();
        say(format_args!(
            "ncu --metrics {} patterns run {} --size {size} --no-reference",
            names.join(","),
            pattern.name
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let mut counted: Vec<(&str, Counters)> = Vec::new();
    for variant in pattern.variants {
        let size = variant.most.map_or(size, |most| size.min(most));
        let setup = Setup {
            is_checked: false,
            ..Setup::new(size, 1)
        };
        let outcome = run::run(&device, variant, setup);
        let outcome = outcome.with_context(|| format!("{} did not run", variant.name))?;
        // A program of the CPU alone has nothing to show here.
        let counters = outcome
            .counters
            .filter(|counters| counters.ptx_instructions > 0);
        counted.extend(counters.map(|counters| (variant.name, counters)));
    }
    if args.json {
        let of = |(name, counters): &(&str, Counters)| {
            let rows = METRICS.iter().map(|row| {
                json!({ "nvprof": row.nvprof, "ncu": row.ncu, "value": (row.ours)(counters) })
            });
            json!({ "variant": name, "metrics": rows.collect::<Vec<Value>>() })
        };
        let variants: Vec<Value> = counted.iter().map(of).collect();
        say_json(&json!({ "pattern": pattern.name, "size": size, "variants": variants }));
        return Ok(ExitCode::SUCCESS);
    }
    let names = counted.iter().map(|(name, _)| *name);
    let heads: Vec<&str> = ["nvprof"].into_iter().chain(names).collect();
    let mut table = table(&heads, &(1..heads.len()).collect::<Vec<_>>());
    for row in METRICS {
        let values = counted.iter().map(|(_, counters)| row.shown(counters));
        table.add_row([row.nvprof.to_owned()].into_iter().chain(values));
    }
    say(table);
    Ok(ExitCode::SUCCESS)
}
