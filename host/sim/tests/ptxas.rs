//! NVIDIA's assembler as a judge of the instruction table: it takes every sample of every row.
//!
//! Needs `ptxas` (in `PATH`, `CUDA_HOME` or `LANEWISE_PTXAS`); without one this says so and judges nothing. It takes a
//! minute, so it asks for `LANEWISE_PTXAS` to be set.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sim::isa::pattern::patterns;
use sim::isa::sample::{Sample, samples};

/// The oldest PTX and GPU that current assemblers know.
const LEAST: ((u32, u32), u32) = ((6, 3), 75);

/// Samples that are right in themselves and wrong where the sample module puts them.
fn out_of_place(instruction: &str) -> bool {
    // 32-bit generic addresses in a module of 64-bit addresses; an argument slot that nothing wrote.
    instruction.starts_with("cvta") && instruction.contains(".u32")
        || instruction.starts_with("ld.param::func")
        // `.sat` only where the conversion can leave the range; the table does not look at pairs of types.
        || instruction.starts_with("cvt.sat.u8.u8")
}

fn assemble(ptxas: &Path, folder: &Path, number: usize, sample: &Sample) -> Result<(), String> {
    let path = folder.join(format!("{number}.ptx"));
    std::fs::write(&path, &sample.module).map_err(|error| error.to_string())?;
    let target = sample
        .module
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
                    if let Err(error) = assemble(&ptxas, folder.path(), number, sample) {
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
