//! The tables of the book's page "Ordinary kernels beside nvcc", made from recorded runs.
//!
//! A record is what a program printed: lines of a name, a median in milliseconds and a checksum.
//! Registers by nvcc's ptxas are recorded too, and those of Rust are in `costs.toml`, which
//! `check-ptx` watches.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cases::{CASES, Case};

/// The records, by nvcc and of these kernels, each as built by default and with fast math.
const FILES: [&str; 4] = ["nvcc", "rust", "nvcc_fast", "rust_fast"];

/// Times and checksums by kernel.
type Record = BTreeMap<String, (f64, f64)>;

/// What `check-ptx --record` wrote of these kernels.
#[derive(Deserialize)]
struct Costs {
    kernels: BTreeMap<String, Cost>,
}

/// The part of a kernel's costs that the table shows.
#[derive(Deserialize)]
struct Cost {
    registers: u32,
}

/// A kernel by nvcc and of Rust.
pub struct Row {
    /// The name of the kernel.
    pub name: &'static str,
    /// Milliseconds: by nvcc, of Rust, and both with fast math.
    pub times: [f64; 4],
    /// Registers of a thread: by nvcc, and of Rust.
    pub registers: [u32; 2],
}

impl Row {
    /// nvcc's time over Rust's, as built by default and with fast math.
    pub fn ratios(&self) -> [f64; 2] {
        let [nvcc, rust, nvcc_fast, rust_fast] = self.times;
        [nvcc / rust, nvcc_fast / rust_fast]
    }
}

/// Returns what the records in a folder say: `nvcc.txt`, `rust.txt`, `nvcc_fast.txt`,
/// `rust_fast.txt` and `nvcc_registers.txt`. It has the kernels of `nvcc.txt`.
///
/// # Errors
/// If a record is missing or lacks a kernel.
pub fn rows(folder: &Path) -> Result<Vec<Row>> {
    let mut records = Vec::new();
    for name in FILES {
        records.push(read(&text(&folder.join(name).with_extension("txt"))?));
    }
    let costs = Path::new(env!("CARGO_MANIFEST_DIR")).join("costs.toml");
    let costs: Costs = toml::from_str(&text(&costs)?).context("costs.toml")?;
    let of_nvcc = text(&folder.join("nvcc_registers.txt"))?;
    let row = |name: &'static str| {
        let mut times = [0.0; FILES.len()];
        for ((time, record), file) in times.iter_mut().zip(&records).zip(FILES) {
            let of_case = record.get(name);
            *time = of_case
                .with_context(|| format!("{file}.txt has no `{name}`"))?
                .0;
        }
        let mut lines = of_nvcc.lines().map(str::split_whitespace);
        let of_nvcc = lines
            .find_map(|mut words| (words.next() == Some(name)).then(|| words.next()?.parse().ok()))
            .flatten()
            .with_context(|| format!("nvcc_registers.txt has no `{name}`"))?;
        let own = costs.kernels.get(name);
        let own = own.with_context(|| format!("costs.toml has no `{name}`"))?;
        let registers = [of_nvcc, own.registers];
        Ok(Row {
            name,
            times,
            registers,
        })
    };
    let has = |case: &&Case| records[0].contains_key(case.name);
    CASES.iter().filter(has).map(|it| row(it.name)).collect()
}

/// Returns the table in Markdown of the records in a folder.
///
/// # Errors
/// As [`rows`].
pub fn table(folder: &Path) -> Result<String> {
    let rows = rows(folder)?;
    let mut table = String::from(
        "| kernel | nvcc | Rust | nvcc / Rust | nvcc, fast | Rust, fast | nvcc / Rust | registers |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut logarithms = [0.0; 2];
    for row in &rows {
        let (ratios, times) = (row.ratios(), row.times);
        for (sum, ratio) in logarithms.iter_mut().zip(ratios) {
            *sum += ratio.ln();
        }
        let _ = writeln!(
            table,
            "| `{}` | {:.4} | {:.4} | {:.2} | {:.4} | {:.4} | {:.2} | {}, {} |",
            row.name,
            times[0],
            times[1],
            ratios[0],
            times[2],
            times[3],
            ratios[1],
            row.registers[0],
            row.registers[1]
        );
    }
    let means = logarithms.map(|sum| (sum / rows.len() as f64).exp());
    let _ = writeln!(
        table,
        "| geometric mean | | | {:.3} | | | {:.3} | |",
        means[0], means[1]
    );
    Ok(table)
}

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

fn read(text: &str) -> Record {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        Some((
            name,
            (words.next()?.parse().ok()?, words.next()?.parse().ok()?),
        ))
    };
    text.lines().filter_map(line).collect()
}

/// Returns the largest relative difference of a checksum from nvcc's, by kernel.
///
/// # Errors
/// If a record cannot be read.
pub fn differences(folder: &Path) -> Result<BTreeMap<String, f64>> {
    let mut most = BTreeMap::new();
    for (nvcc, rust) in [("nvcc", "rust"), ("nvcc_fast", "rust_fast")] {
        let record = |name: &str| text(&folder.join(name).with_extension("txt"));
        let (nvcc, rust) = (read(&record(nvcc)?), read(&record(rust)?));
        for (name, (_, expected)) in nvcc {
            let found = rust.get(&name).map_or(f64::NAN, |it| it.1);
            let entry = most.entry(name).or_insert(0.0);
            *entry = f64::max(*entry, ((found - expected) / expected).abs());
        }
    }
    Ok(most)
}
