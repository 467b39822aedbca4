//! What each check costs: CPU time of the benchmark kernels under it, over that of the same kernels with nothing that looks on.
//!
//! `cargo run --release -p lanewise-sim --example cost`. Runs with and without a check take turns, and the least of each counts: a busy host
//! disturbs both alike.

use lanewise_sim::Checks;
use lanewise_sim::speed::{Bench, SpeedError, Watch};

/// Rounds of which the quickest counts.
const ROUNDS: u32 = 3;

fn main() -> Result<(), SpeedError> {
    let bench = Bench::new()?;
    let names = ["race", "sync", "memory", "init", "all"];
    let watches = names.map(|name| Watch::Only(name.parse::<Checks>().unwrap_or_default()));
    println!("| kernel | {} |", names.join(" | "));
    println!("| --- |{}", " --- |".repeat(names.len()));
    for program in bench.programs() {
        let mut plain = f64::INFINITY;
        let mut checked = names.map(|_| f64::INFINITY);
        for _ in 0..ROUNDS {
            plain = plain.min(bench.measure(program, Watch::Nothing, 0.0)?.seconds);
            for (least, &watch) in checked.iter_mut().zip(&watches) {
                *least = least.min(bench.measure(program, watch, 0.0)?.seconds);
            }
        }
        let ratios = checked.map(|seconds| format!("{:.1}x", seconds / plain));
        println!("| {} | {} |", program.name, ratios.join(" | "));
    }
    Ok(())
}
