//! `patterns device`: what the device is.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

use super::output::{say, say_json, table};
use super::select::Choice;

/// Options of `patterns device`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The device whose properties are printed
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    device: Choice,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the properties.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let device = args.device.open()?;
    let properties = device.properties();
    if args.json {
        say_json(&json!({ "backend": device.backend(), "properties": properties }));
        return Ok(ExitCode::SUCCESS);
    }
    say(format_args!(
        "{} ({}), {}",
        properties.name,
        properties.compute_capability,
        device.backend()
    ));
    say(format_args!(
        "{:.1} GiB of memory",
        properties.total_memory as f64 / f64::from(1 << 30)
    ));
    say(format_args!(
        "{:.0} GB/s in theory",
        properties.theoretical_bandwidth() / 1e9
    ));
    let mut table = table(&["property", "value", "meaning"], &[1]);
    for (name, value, meaning) in properties.rows() {
        table.add_row([name, &value.to_string(), meaning]);
    }
    say(table);
    Ok(ExitCode::SUCCESS)
}
