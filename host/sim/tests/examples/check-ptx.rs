//! Parses PTX files, and prints the errors and the parser's speed.
//!
//! `cargo run --release -p sim-tests --example check-ptx -- FILE...`

use std::time::Instant;

fn main() {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let source = match std::fs::read_to_string(&path) {
            Ok(source) => source,
            Err(error) => {
                eprintln!("{path}: {error}");
                failed = true;
                continue;
            }
        };
        let begin = Instant::now();
        let parsed = lanewise_sim::ptx::parse(&source);
        let rate = source.len() as f64 / begin.elapsed().as_secs_f64() / 1e6;
        let begin = Instant::now();
        let checked = match parsed {
            Err(error) => Err((error.position(), error.to_string())),
            Ok(mut module) => match lanewise_sim::isa::check(&mut module) {
                Err(error) => Err((error.position(), error.to_string())),
                Ok(_) => Ok(module),
            },
        };
        let check_rate = source.len() as f64 / begin.elapsed().as_secs_f64() / 1e6;
        match checked {
            Ok(module) => {
                let bodies = module
                    .functions
                    .iter()
                    .filter_map(|function| function.body.as_ref());
                let instructions: usize = bodies.map(|body| body.instructions.len()).sum();
                println!(
                    "{path}: {instructions} instructions, parsed at {rate:.0} MB/s, checked at {check_rate:.0} MB/s"
                );
            }
            Err((at, error)) => {
                eprintln!("{path}: {}: {error}", at.unwrap_or_default());
                failed = true;
            }
        }
    }
    std::process::exit(failed.into());
}
