//! Times the kernels: one line for each, with its name, the median of 21 launches in milliseconds,
//! and a checksum.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Parser;
use idioms::cases::CASES;
use idioms::measure::Runner;
use idioms::table;

/// Time ordinary kernels, written as a Rust user writes them
#[derive(Parser)]
#[command(
    after_help = "Examples:\n  idioms                        # every kernel\n  idioms gelu_tanh swiglu       # two of them\n  idioms --fast-math            # as built with fast math\n  idioms --smaller 1000         # once, small, compared with the CPU\n  idioms --table tests/idioms/results/h200"
)]
struct Args {
    /// The kernels; all if none is named
    names: Vec<String>,
    /// Print the names and end
    #[arg(long)]
    list: bool,
    /// Take the kernels that were built with fast math
    #[arg(long)]
    fast_math: bool,
    /// Launch once with sizes divided by this number, and compare with the CPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    smaller: Option<u32>,
    /// Print the table of recorded runs: nvcc.txt, rust.txt, nvcc_fast.txt and rust_fast.txt
    #[arg(long, value_name = "FOLDER")]
    table: Option<PathBuf>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    if args.list {
        CASES.iter().for_each(|case| println!("{}", case.name));
        return Ok(());
    }
    if let Some(folder) = &args.table {
        print!("{}", table::table(folder)?);
        return Ok(());
    }
    for name in &args.names {
        let is_known = CASES.iter().any(|case| case.name == name);
        ensure!(is_known, "no kernel is called `{name}`; see --list");
    }
    let run = match args.smaller {
        Some(smaller) => Runner::small(args.fast_math, smaller as usize)?,
        None => Runner::full(args.fast_math)?,
    };
    for case in &CASES {
        if args.names.is_empty() || args.names.iter().any(|name| name == case.name) {
            let outcome = (case.run)(&run)?;
            let (name, time, sum) = (case.name, outcome.milliseconds, outcome.checksum);
            match outcome.expected {
                None => println!("{name:20}  {time:9.4}  {sum:.12e}"),
                Some(expected) => println!("{name:20}  {sum:.12e}, {expected:.12e} by the CPU"),
            }
        }
    }
    Ok(())
}
