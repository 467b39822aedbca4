//! `patterns accuracy`: how far functions are off, as a table.

use std::process::ExitCode;

use anyhow::{Context, Result};
use lanewise::Backend;
use lanewise_patterns::accuracy::{Accuracy, FunctionAccuracy, Inputs, measure};
use lanewise_patterns::instruction::functions::{FUNCTIONS, Function};
use serde_json::json;

use super::output::{say, say_json, table};
use super::select::Choice;

/// Options of `patterns accuracy`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Functions; all of them if none is named
    functions: Vec<String>,
    /// 2 to this power inputs, spread over all that there are [default: 32 on a GPU, 20
    /// on the simulator]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=32))]
    sample: Option<u32>,
    /// The device whose functions are compared
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    device: Choice,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let find = |name: &String| {
        let names = || {
            FUNCTIONS
                .each_ref()
                .map(|function| function.name)
                .join(", ")
        };
        Function::find(name).with_context(|| format!("no function `{name}`: there are {}", names()))
    };
    let mut functions = args
        .functions
        .iter()
        .map(find)
        .collect::<Result<Vec<_>>>()?;
    if functions.is_empty() {
        functions.extend(&FUNCTIONS);
    }
    let device = args.device.open()?;
    let inputs = match (args.sample, device.backend()) {
        (Some(power), _) => Inputs::Sample(power),
        (None, Backend::Cuda) => Inputs::All,
        (None, Backend::Sim) => Inputs::Sample(20),
    };
    let mut rows = Vec::new();
    for function in functions {
        let found = measure(&device, function, inputs)?;
        for (kind, FunctionAccuracy { all, range }) in
            ["standard", "intrinsic"].into_iter().zip(found)
        {
            rows.push((function, kind, "all", all));
            rows.push((function, kind, "range", range));
        }
    }
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(function, kind, over, found)| {
                let Accuracy {
                    inputs,
                    max,
                    worst,
                    mean,
                    wrong,
                } = found;
                json!({
                    "function": function.name, "of": function.of, "kind": kind, "over": over, "range": function.range,
                    "inputs": inputs, "max_ulp": max, "worst": worst, "mean_ulp": mean, "wrong": wrong,
                })
            })
            .collect();
        say_json(
            &json!({ "device": device.properties().name, "backend": device.backend(), "rows": rows }),
        );
        return Ok(ExitCode::SUCCESS);
    }
    say(format_args!(
        "{} ({}); errors in units in the last place",
        device.properties().name,
        device.backend()
    ));
    let header = [
        "function",
        "kernel",
        "arguments",
        "inputs",
        "max",
        "at",
        "mean",
        "not a number",
    ];
    let mut table = table(&header, &[3, 4, 5, 6, 7]);
    for (function, kind, over, found) in rows {
        let [low, high] = function.range;
        let arguments = match over {
            "all" => "all".to_owned(),
            _ => format!("{low:e} to {high:e}"),
        };
        table.add_row([
            format!("{}({})", function.name, function.of),
            kind.to_owned(),
            arguments,
            found.inputs.to_string(),
            format!("{:.4}", found.max),
            format!("{:e}", found.worst),
            format!("{:.4}", found.mean),
            found.wrong.to_string(),
        ]);
    }
    say(table);
    Ok(ExitCode::SUCCESS)
}
