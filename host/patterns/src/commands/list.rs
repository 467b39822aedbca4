//! `patterns list`: every pattern.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::output::{say, say_json, table};

/// Options of `patterns list`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Prints the catalog.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    if args.json {
        let patterns: Vec<_> = lanewise_patterns::ALL
            .iter()
            .map(|pattern| {
                let variants: Vec<&str> = pattern.variants.iter().map(|variant| variant.name).collect();
                json!({
                    "name": pattern.name, "chapter": pattern.chapter, "summary": pattern.summary,
                    "source": pattern.source, "size_of": pattern.size.of, "default_size": pattern.size.default,
                    "bench_size": pattern.size.bench, "variants": variants,
                })
            })
            .collect();
        say_json(&Value::from(patterns));
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = table(&["chapter", "pattern", "what it shows", "variants"], &[]);
    for pattern in lanewise_patterns::ALL {
        let variants: Vec<&str> = pattern
            .variants
            .iter()
            .map(|variant| variant.name)
            .collect();
        table.add_row([
            pattern.chapter,
            pattern.name,
            pattern.summary,
            &variants.join("\n"),
        ]);
    }
    say(table);
    say("Run one with `patterns run <pattern>`.");
    Ok(ExitCode::SUCCESS)
}
