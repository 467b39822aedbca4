//! Measures the largest errors of the functions of `f32`, one line for each.

use std::process::ExitCode;

use anyhow::Result;
use arithmetic::bounds::Bound;
use arithmetic::exhaustive::worst;
use arithmetic_kernels::ERRORS;
use clap::Parser;
use lanewise::{Backend, Device};

/// Measure the largest errors of the functions of one f32, over all arguments
#[derive(Parser)]
#[command(
    after_help = "Examples:\n  arithmetic                          # every function\n  arithmetic erf_inv --sample 20      # one of them, over 2^20 arguments"
)]
struct Args {
    /// The functions; all if none is named
    names: Vec<String>,
    /// 2 to this power arguments, spread over all that there are [default: 32 on a GPU, 12 on the
    /// simulator]
    #[arg(long, value_parser = clap::value_parser!(u32).range(12..=32))]
    sample: Option<u32>,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let device = Device::open()?;
    let power = args.sample.unwrap_or(match device.backend() {
        Backend::Cuda => 32,
        Backend::Sim => 12,
    });
    let is_wanted =
        |name: &&&str| args.names.is_empty() || args.names.iter().any(|it| it == **name);
    println!("{}: 2^{power} arguments each", device.properties().name);
    let mut code = ExitCode::SUCCESS;
    for name in ERRORS.iter().filter(is_wanted) {
        let found = worst(&device, name, power)?;
        let [allowed, _] = Bound::of(name).errors();
        let mark = if f64::from(found.error) > allowed {
            code = ExitCode::FAILURE;
            " too large"
        } else {
            ""
        };
        println!(
            "{name:16} {:7.3} of {allowed:4.1} at {:e}{mark}",
            found.error, found.argument
        );
    }
    Ok(code)
}
