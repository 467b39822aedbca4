//! What each check costs: CPU time of the benchmark kernels under it, over that of the same kernels with nothing that looks on.
//!
//! `cargo run --release -p lanewise-sim --example cost [KERNEL [CHECKS [ROUNDS]]]`: of the kernels whose names hold the first word; the
//! checks that the second names (as `LANEWISE_CHECKS` does) instead of each by itself and all. Runs with and without a check take turns,
//! and the least of each counts, so that a busy host disturbs little; one that is very busy needs more rounds than the usual ones.

use lanewise_sim::Checks;
use lanewise_sim::speed::{Bench, Watch};

/// Rounds of which the quickest counts.
const ROUNDS: u32 = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let only = arguments.next().unwrap_or_default();
    let asked = arguments.next();
    let rounds = arguments.next().map_or(Ok(ROUNDS), |n| n.parse())?;
    let names: Vec<&str> = match &asked {
        Some(checks) => vec![checks],
        None => vec!["race", "sync", "memory", "init", "all"],
    };
    let mut watches = vec![Watch::Nothing];
    for name in &names {
        watches.push(Watch::Only(name.parse::<Checks>()?));
    }
    let bench = Bench::new()?;
    println!("| kernel | unchecked | {} |", names.join(" | "));
    println!("| --- |{}", " --- |".repeat(names.len() + 1));
    for program in bench.programs().iter().filter(|p| p.name.contains(&only)) {
        let seconds = bench.compare(program, &watches, rounds)?;
        let ratios = seconds[1..]
            .iter()
            .map(|s| format!("{:.1}x", s / seconds[0]));
        let ratios: Vec<String> = ratios.collect();
        println!(
            "| {} | {:.1} ms | {} |",
            program.name,
            seconds[0] * 1e3,
            ratios.join(" | ")
        );
    }
    Ok(())
}
