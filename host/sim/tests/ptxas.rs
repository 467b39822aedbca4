//! NVIDIA's assembler as a judge of the instruction table: it takes every sample of every row, and of the rows that work on
//! registers alone every instance.
//!
//! Needs `ptxas` (in `PATH`, `CUDA_HOME` or `LANEWISE_PTXAS`); without one this says so and judges nothing. It takes a
//! minute, so it asks for `LANEWISE_PTXAS` to be set.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sim::isa::Section;
use sim::isa::pattern::patterns;
use sim::isa::sample::{Sample, every_sample, samples};

/// The oldest PTX and GPU that current assemblers know.
const LEAST: ((u32, u32), u32) = ((6, 3), 75);

/// Samples that are right in themselves and wrong where the sample module puts them.
fn out_of_place(instruction: &str) -> bool {
    // 32-bit generic addresses in a module of 64-bit addresses; an argument slot that nothing wrote.
    instruction.starts_with("cvta") && instruction.contains(".u32")
        || instruction.starts_with("ld.param::func")
}

fn assemble(ptxas: &Path, folder: &Path, number: usize, module: &str) -> Result<(), String> {
    let path = folder.join(format!("{number}.ptx"));
    std::fs::write(&path, module).map_err(|error| error.to_string())?;
    let target = module
        .lines()
        .find_map(|line| line.strip_prefix(".target "))
        .unwrap_or("sm_90");
    let output = Command::new(ptxas)
        .arg(format!("-arch={target}"))
        .args(["-c", "-o", "/dev/null"])
        .arg(&path)
        .output();
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn ptxas_takes_every_sample_of_every_row() {
    let Some(ptxas) = std::env::var_os("LANEWISE_PTXAS").map(PathBuf::from) else {
        println!("LANEWISE_PTXAS is not set: nothing was judged");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let rows = patterns()
        .iter()
        .filter(|pattern| pattern.row.refused.is_none());
    let all: Vec<_> = rows
        .flat_map(|row| samples(row, LEAST.0, LEAST.1))
        .filter(|sample| !out_of_place(&sample.instruction))
        .collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(sample) = all.get(number)
                {
                    if let Err(error) = assemble(&ptxas, folder.path(), number, &sample.module) {
                        failures.lock().unwrap().push(format!(
                            "{}\n    {}",
                            sample.instruction,
                            error.trim()
                        ));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} of {} samples:\n{}",
        failures.len(),
        all.len(),
        failures.join("\n")
    );
}

/// A kernel with one instruction.
fn kernel(text: &mut String, number: usize, sample: &Sample) {
    let registers = sample.registers.iter().enumerate();
    let declared: String = registers
        .map(|(number, register)| format!(".reg .{} %x{number}; ", register.declared.name()))
        .collect();
    let instruction = &sample.instruction;
    let _ = writeln!(
        text,
        ".entry k{number}() {{ {declared}{instruction} ret; }}"
    );
}

#[test]
fn ptxas_takes_every_instance_on_registers() {
    use Section::*;
    let Some(ptxas) = std::env::var_os("LANEWISE_PTXAS").map(PathBuf::from) else {
        println!("LANEWISE_PTXAS is not set: nothing was judged");
        return;
    };
    let mut modules: BTreeMap<String, String> = BTreeMap::new();
    let rows = patterns().iter().filter(|pattern| {
        let row = pattern.row;
        let on_registers = matches!(
            row.section,
            Integer
                | ExtendedPrecision
                | Float
                | Half
                | MixedPrecision
                | Comparison
                | HalfComparison
                | Logic
                | Video
        );
        row.refused.is_none() && (on_registers || row.opcode == sim::ptx::ast::Opcode::Cvt)
    });
    // The newest PTX, so that one module holds all instances for a GPU.
    for (number, sample) in rows
        .flat_map(|row| every_sample(row, (8, 8), LEAST.1))
        .enumerate()
    {
        let (major, minor) = sample.version;
        let head = format!(
            ".version {major}.{minor}\n.target {}\n.address_size 64\n",
            sample.target
        );
        let module = modules.entry(head.clone()).or_insert(head);
        kernel(module, number, &sample);
    }
    let folder = tempfile::tempdir().unwrap();
    for (number, module) in modules.values().enumerate() {
        if let Err(errors) = assemble(&ptxas, folder.path(), number, module) {
            let lines: Vec<&str> = module.lines().collect();
            let text = |error: &str| {
                let line = error
                    .split("line ")
                    .nth(1)?
                    .split(';')
                    .next()?
                    .parse::<usize>()
                    .ok()?;
                Some(format!("{}\n    {error}", lines.get(line - 1)?))
            };
            let errors: Vec<String> = errors.lines().filter_map(text).collect();
            panic!("{} instances:\n{}", errors.len(), errors.join("\n"));
        }
    }
}
