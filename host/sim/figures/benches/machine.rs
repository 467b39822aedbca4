//! How fast the machine is, program by program, on one thread: see `sim_figures::speed`.
//!
//! `cargo bench -p sim-figures` measures with criterion. Two quick ways print one line for each
//! program: `cargo bench -p sim-figures -- --quick-table [NAME]` runs it for some seconds with
//! nothing that looks on, with counters, with the race check, and with all checks;
//! `cargo bench -p sim-figures -- --classes [NAME]` does so for each class of instructions, with
//! nothing that looks on; `cargo bench -p sim-figures -- --start FILE` says what it takes to begin:
//! to load a module, to make a device, to launch one block.

use criterion::{Criterion, Throughput};
use lanewise_sim::{Device, DeviceModel, Launch, Module};
use sim_figures::speed::{Bench, Program, Watch};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // One worker: figures are per thread.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()?;
    let bench = Bench::new()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| {
        let at = arguments.iter().position(|a| a == flag)?;
        let only = arguments.get(at + 1).filter(|a| !a.starts_with('-'));
        Some(only.cloned().unwrap_or_default())
    };
    if let Some(only) = after("--quick-table") {
        println!("G lane instructions/s   nothing  counters      race    checks");
        for program in named(bench.programs(), &only) {
            print!("{:24}", program.name);
            for watch in [
                Watch::Nothing,
                Watch::Counters,
                Watch::Only("race".parse()?),
                Watch::Checks,
            ] {
                let figure = bench.measure(program, watch, 0.5)?;
                print!("{:8.3}  ", figure.rate() / 1e9);
            }
            println!();
        }
        return Ok(());
    }
    if let Some(only) = after("--classes") {
        for program in named(&bench.classes()?, &only) {
            let figure = bench.measure(program, Watch::Nothing, 0.05)?;
            println!("{:8.3}  {}", figure.rate() / 1e9, program.name);
        }
        return Ok(());
    }
    if let Some(file) = after("--start") {
        return start(&std::fs::read_to_string(file)?);
    }
    let mut criterion = Criterion::default().configure_from_args();
    let classes = bench.classes()?;
    for (group, programs) in [("machine", bench.programs()), ("classes", &classes)] {
        let mut group = criterion.benchmark_group(group);
        for program in programs {
            let lanes = bench.run(program, Watch::Counters)?;
            group.throughput(Throughput::Elements(lanes));
            group.bench_function(program.name, |b| {
                b.iter(|| bench.run(program, Watch::Nothing))
            });
        }
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}

/// The programs whose names hold `part`.
fn named<'p>(programs: &'p [Program], part: &str) -> impl Iterator<Item = &'p Program> {
    programs.iter().filter(move |p| p.name.contains(part))
}

/// What it takes to begin, with the module `ptx` and a kernel that does nothing.
fn start(ptx: &str) -> Result<(), Box<dyn std::error::Error>> {
    const NOTHING: &str =
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";
    fn time<T>(what: &str, times: u32, mut run: impl FnMut() -> T) -> T {
        let begin = Instant::now();
        let last = (1..times).fold(run(), |_, _| run());
        let micros = begin.elapsed().as_secs_f64() * 1e6 / f64::from(times);
        println!("{micros:10.1} us  {what}");
        last
    }
    time("to load the module", 10, || Module::load(ptx))?;
    let device = time("to make a device", 10, || Device::new(DeviceModel::h200()))?;
    let instance = device.instantiate(&Module::load(NOTHING)?)?;
    for (grid, block) in [(1, 1), (1, 256), (1, 1024), (1000, 32), (100_000, 32)] {
        let launch = Launch::new("nothing", [grid, 1, 1], [block, 1, 1], &[]);
        let what = format!("to launch {grid} blocks of {block}");
        time(&what, 10_000 / grid.min(2000), || {
            device.launch(&instance, &launch)
        })
        .map_err(|f| f.to_string())?;
    }
    Ok(())
}
