//! How fast the machine is, program by program, on one thread: see `sim::speed`.
//!
//! `cargo bench -p sim` measures with criterion; `cargo bench -p sim -- --quick-table [NAME]` runs each program for about a
//! second and prints one line each.

use criterion::{Criterion, Throughput};
use sim::speed::Bench;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // One worker: figures are per thread.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()?;
    let bench = Bench::new()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = arguments.iter().position(|a| a == "--quick-table") {
        let only = arguments.get(at + 1).filter(|a| !a.starts_with('-'));
        let wanted = |name: &str| only.is_none_or(|only| name.contains(only.as_str()));
        for program in bench.programs().iter().filter(|p| wanted(p.name)) {
            let figure = bench.measure(program, 1.0)?;
            println!(
                "{:24} {:8.3} ms  {:6.2} G lane instructions/s",
                figure.name,
                figure.seconds * 1e3,
                figure.rate() / 1e9
            );
        }
        return Ok(());
    }
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("machine");
    for program in bench.programs() {
        group.throughput(Throughput::Elements(bench.run(program, true)?));
        group.bench_function(program.name, |b| b.iter(|| bench.run(program, false)));
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}
