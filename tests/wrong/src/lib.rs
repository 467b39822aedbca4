//! Small wrong kernels in Rust, in the manner of miri's `tests/fail`: each is reported by file and line, and its right twin by nothing.
//!
//! A case is a file of `kernels/src/<check>/`: what is wrong, the launch, the wrong kernel, and the right one, whose name ends in `_right`.
//! Its report is `reports/<check>/<case>.txt`. `LANEWISE_BLESS=1 cargo test -p wrong` writes the reports anew; read the difference before it
//! is committed. Cases in PTX are in `host/sim/tests/cases`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use lanewise_sim::{Checks, Device, DeviceModel, Kind, Launch, Module};
use lanewise_std::kernel::Module as _;

/// Warp instructions after which a kernel that has no end is given up: none comes near.
const BUDGET: u64 = 50_000_000;
/// Words of each of the two buffers.
const WORDS: u64 = 1024;

/// A case: a file with two kernels.
#[derive(Debug)]
pub struct Case {
    name: String,
    extents: [u32; 3],
    report: PathBuf,
}

impl Case {
    /// All cases of one check, by name.
    ///
    /// # Panics
    /// When the folder or a file of it cannot be read.
    pub fn all(check: &str) -> Vec<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = root.join("kernels/src").join(check);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder:?}: {e}"));
        let mut cases: Vec<Self> = entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.file_stem().is_some_and(|stem| stem != "mod"))
            .map(|path| {
                let text = std::fs::read_to_string(&path).expect("a case");
                let name = path.file_stem().expect("a name").to_string_lossy();
                let name = name.into_owned();
                Self {
                    extents: ["grid ", "cluster ", "block "].map(|name| extent(&text, name)),
                    report: root.join("reports").join(check).join(format!("{name}.txt")),
                    name,
                }
            })
            .collect();
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        cases
    }

    /// What all checks say of a kernel with a seed: a fault, or findings; nothing where it is right.
    fn said(&self, module: &Module, kernel: &str, seed: u64) -> String {
        let device = Device::new(DeviceModel::h200()).expect("the host gives address space");
        let instance = device.instantiate(module).expect("variables fit");
        let buffer = |name| {
            let at = device
                .memory()
                .allocate(4 * WORDS, 1, Kind::Device, Some(name));
            at.expect("memory")
        };
        let (data, new) = (buffer("`data`"), buffer("`new`"));
        // The simulator gives zeroed memory; this says that it is meant.
        device.memory().written(data, 4 * WORDS);
        let params = [data, WORDS, new, WORDS].map(u64::to_le_bytes);
        let [grid, cluster, block] = self.extents.map(|extent| [extent, 1, 1]);
        let mut launch = Launch::new(kernel, grid, block, params.as_flattened());
        (launch.seed, launch.cluster) = (seed, cluster);
        (launch.checks, launch.budget) = (Checks::all(), Some(BUDGET));
        launch.printf = &|_| {};
        let mut said = String::new();
        match device.launch(&instance, &launch) {
            Err(fault) => said = format!("error: {fault}\n"),
            Ok(report) => {
                for finding in report.findings {
                    let _ = writeln!(said, "{finding}");
                }
            }
        }
        without_ptx_lines(&said)
    }

    /// What is wrong with this case, of so many seeds.
    fn problem(&self, module: &Module, seeds: u64) -> Option<String> {
        let (wrong, right) = (&self.name, format!("{}_right", self.name));
        for seed in 0..seeds {
            let said = self.said(module, &right, seed);
            if !said.is_empty() {
                return Some(format!(
                    "the right one is reported with seed {seed}:\n{said}"
                ));
            }
        }
        if let Some(seed) = (1..seeds).find(|&seed| self.said(module, wrong, seed).is_empty()) {
            return Some(format!("the wrong one is not found with seed {seed}"));
        }
        let said = self.said(module, wrong, 0);
        if said.is_empty() {
            return Some("the wrong one is not found".into());
        }
        if std::env::var_os("LANEWISE_BLESS").is_some() {
            let folder = self.report.parent().expect("a folder");
            std::fs::create_dir_all(folder).expect("the folder is made");
            std::fs::write(&self.report, &said).expect("the report is written");
        }
        let expected = std::fs::read_to_string(&self.report).unwrap_or_default();
        (said != expected).then(|| format!("expected:\n{expected}\nsaid:\n{said}"))
    }
}

/// An extent of the launch, which a file's second line tells.
fn extent(text: &str, name: &str) -> u32 {
    let launch = text
        .lines()
        .nth(1)
        .and_then(|l| l.strip_prefix("//! launch: "));
    let words = launch.unwrap_or_default().split(", ");
    let values = words.filter_map(|word| word.strip_prefix(name)?.trim().parse().ok());
    values.last().unwrap_or(1)
}

/// The text without numbers of PTX lines: each kernel moves those behind it.
fn without_ptx_lines(text: &str) -> String {
    let mut parts = text.split("ptx line ");
    let mut stable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        stable = stable + "ptx line N" + rest;
    }
    stable
}

/// Holds all cases of a check against their reports, with so many seeds each.
///
/// # Panics
/// With what differs, or when there are fewer cases than `least`.
pub fn hold(check: &str, least: usize, seeds: u64) {
    let cases = Case::all(check);
    assert!(cases.len() >= least, "{} cases in {check}", cases.len());
    let module = Module::load(wrong_kernels::Ptx::TEXTS[0].plain)
        .unwrap_or_else(|error| panic!("the kernels do not load: {error}"));
    let mut wrong = String::new();
    for case in &cases {
        if let Some(problem) = case.problem(&module, seeds) {
            let _ = writeln!(wrong, "{check}/{}: {problem}\n", case.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
