//! `patterns check`: every variant under all checks, in many orders of its warps. The catalog has
//! to be silent.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use lanewise::checks::{self, Checking, Finding};
use lanewise::{Backend, Device};
use lanewise_patterns::{Expectation, Pattern, Setup, Variant, run};
use serde_json::{Value, json};

use super::output::{say, say_json};
use super::select::Choice;

/// Sizes up to which patterns are checked where none is asked for: enough for several blocks, a
/// last one that is not full among them.
const MOST_ELEMENTS: usize = 5001;
/// The same of rows and columns.
const MOST_COLUMNS: usize = 75;

/// Options of `patterns check`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Patterns, or all where none is named
    patterns: Vec<String>,
    /// How many orders of warps to try
    #[arg(long, value_name = "N", default_value_t = 32)]
    seeds: u64,
    /// The first of them
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    first: u64,
    /// What to check for: `race`, `sync`, `memory`, `init`, with commas between them, or `all`
    #[arg(long, value_name = "LIST", default_value = "all")]
    tools: Checking,
    /// How much, in place of some thousand elements or 75 rows and columns
    #[arg(long)]
    size: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Variants that show what goes wrong are left out. Exits with 1 when a check found something, or a variant is not right or does not run.

Examples:
  patterns check                          the whole catalog with 32 seeds: some minutes
  patterns check reduce_unrolled gemm     two patterns
  patterns check increment --first 7 --seeds 1 --tools race";

/// What came of a variant.
struct Checked {
    variant: &'static Variant,
    size: usize,
    /// What was found, with the seed.
    problems: Vec<(u64, String)>,
    time: Duration,
}

/// Checks the patterns that were named.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    ensure!(args.seeds > 0, "`--seeds 0` runs nothing");
    let chosen = chosen(&args.patterns)?;
    let device = Choice::Sim.open()?;
    ensure!(device.backend() == Backend::Sim, "a GPU checks nothing");
    let mut all = Vec::new();
    for pattern in chosen {
        for variant in pattern.variants {
            if variant.expectation != Expectation::Agrees {
                continue;
            }
            let checked = check(&device, pattern, variant, &args);
            if !args.json {
                say(checked.line(args.seeds));
            }
            all.push(checked);
        }
    }
    let bad = all.iter().filter(|it| !it.problems.is_empty()).count();
    if args.json {
        let variants: Vec<Value> = all.iter().map(Checked::json).collect();
        say_json(&json!({ "seeds": args.seeds, "first": args.first, "variants": variants }));
    } else {
        let s = if all.len() == 1 { "" } else { "s" };
        say(format_args!(
            "{} variant{s} with {} seeds each: {} silent, {bad} not",
            all.len(),
            args.seeds,
            all.len() - bad
        ));
    }
    Ok(match bad {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}

fn chosen(names: &[String]) -> Result<Vec<&'static Pattern>> {
    if names.is_empty() {
        return Ok(lanewise_patterns::ALL.to_vec());
    }
    let find = |name: &String| {
        lanewise_patterns::find(name)
            .with_context(|| format!("there is no pattern `{name}`; `patterns list` names them"))
    };
    names.iter().map(find).collect()
}

/// Runs a variant once for each seed.
fn check(device: &Device, pattern: &Pattern, variant: &'static Variant, args: &Args) -> Checked {
    let most = match pattern.size.is_square {
        true => MOST_COLUMNS,
        false => MOST_ELEMENTS,
    };
    let size = args.size.unwrap_or(pattern.size.default.min(most));
    let size = variant.most.map_or(size, |most| size.min(most));
    let begun = Instant::now();
    let mut problems = Vec::new();
    for seed in (0..args.seeds).map(|n| args.first.wrapping_add(n)) {
        let found = once(device, variant, size, args.tools.seed(seed));
        problems.extend(found.into_iter().map(|problem| (seed, problem)));
    }
    Checked {
        variant,
        size,
        problems,
        time: begun.elapsed(),
    }
}

/// One run: what is wrong with it.
fn once(device: &Device, variant: &Variant, size: usize, checking: Checking) -> Vec<String> {
    let checked = checks::of(device, checking, || {
        run::check(device, variant, Setup::new(size, 1))
    });
    match checked {
        Ok((outcome, found)) => {
            let found = found.unwrap_or_default();
            let mismatch = outcome.err().map(|mismatch| mismatch.to_string());
            found
                .iter()
                .map(Finding::to_string)
                .chain(mismatch)
                .collect()
        }
        Err(error) => vec![format!("did not run: {error:#}")],
    }
}

impl Checked {
    fn line(&self, seeds: u64) -> String {
        let Checked {
            variant,
            size,
            problems,
            time,
        } = self;
        let mut line = format!(
            "{}, size {size}, {:.1} s: ",
            variant.name,
            time.as_secs_f64()
        );
        if problems.is_empty() {
            return line + "silent";
        }
        line += &format!("{} reports with {seeds} seeds", problems.len());
        // Most seeds say the same.
        let mut said: Vec<&str> = Vec::new();
        for (seed, problem) in problems {
            let first = problem.lines().take(2).map(str::len).sum::<usize>();
            let head = problem.get(..first).unwrap_or(problem);
            if !said.contains(&head) {
                said.push(head);
                line += &format!("\nseed {seed}: {problem}");
            }
        }
        line
    }

    fn json(&self) -> Value {
        let problems = self.problems.iter();
        let problems = problems.map(|(seed, report)| json!({ "seed": seed, "report": report }));
        json!({
            "variant": self.variant.name, "size": self.size, "seconds": self.time.as_secs_f64(),
            "reports": problems.collect::<Vec<_>>(),
        })
    }
}
