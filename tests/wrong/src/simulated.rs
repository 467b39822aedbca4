//! Cases on the simulator, under all checks, against the reports beside them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use lanewise_sim::tensor::{
    Access, Element, Fill, Im2col, Interleave, Promotion, Swizzle, TensorMap,
};
use lanewise_sim::{AllocationKind, Checks, Device, DeviceModel, Launch, Module};

use crate::case::{Case, Language, Variant};
use crate::host::Programs;

/// Warp instructions after which a kernel that has no end is given up: none comes near.
const BUDGET: u64 = 200_000_000;
/// Words of each of the two buffers: one of zeros, one that nobody has written.
pub(crate) const WORDS: u64 = 1024;
/// Seeds of which a test takes some for each case, so that together the cases have all.
const ROTATION: u64 = 31;

/// Modules by their text: all cases in Rust share one.
#[derive(Debug, Default)]
struct Modules(BTreeMap<String, Module>);

impl Modules {
    fn load(&mut self, text: &str) -> &Module {
        if !self.0.contains_key(text) {
            let module = Module::load(text)
                .unwrap_or_else(|error| panic!("a case does not load: {error}\n{text}"));
            self.0.insert(text.to_owned(), module);
        }
        &self.0[text]
    }
}

/// What cases run in: modules that were loaded, and programs of the host's kind.
#[derive(Debug)]
struct Runner<'p> {
    modules: Modules,
    programs: Programs<'p>,
}

impl<'p> Runner<'p> {
    /// One with nothing loaded yet; `program` is `wrong`.
    fn new(program: &'p Path) -> Self {
        Self {
            modules: Modules::default(),
            programs: Programs::of(program),
        }
    }
}

/// Held for writing by who makes the one device that lives, and for reading by who has others
/// beside it. Devices that live side by side have addresses of their own, and reports say
/// addresses: a report that is read has to be of a device that is alone.
static DEVICES: RwLock<()> = RwLock::new(());

/// What all checks say of a part with a seed: a fault, or findings; nothing where it is right. Of a
/// wrong part with seed 0 it is the same text each time.
fn said(runner: &mut Runner<'_>, case: &Case, part: Variant, seed: u64) -> String {
    if case.language == Language::Host {
        return runner.programs.said(case, part, seed);
    }
    let is_read = part == Variant::Wrong && seed == 0;
    let _alone = is_read.then(|| DEVICES.write().unwrap_or_else(PoisonError::into_inner));
    let _beside = (!is_read).then(|| DEVICES.read().unwrap_or_else(PoisonError::into_inner));
    let modules = &mut runner.modules;
    let (text, kernel) = case.module(part);
    let module = modules.load(&text);
    let device = Device::new(DeviceModel::h200()).expect("the host gives address space");
    let instance = device.instantiate(module).expect("variables fit");
    let buffer = |name| {
        let made = device
            .memory()
            .allocate(4 * WORDS, 1, AllocationKind::Device, Some(name));
        made.expect("memory")
    };
    let (data, new) = match case.language {
        Language::Ptx => (buffer("here"), buffer("there")),
        _ => (buffer("`data`"), buffer("`new`")),
    };
    // The simulator gives zeroed memory; this says that it is meant.
    device.memory().written(data, 4 * WORDS);
    let params = match case.language {
        Language::Ptx => vec![data, new],
        // A slice is a pointer and a length.
        _ => vec![data, WORDS, new, WORDS],
    };
    let mut params: Vec<u8> = params.into_iter().flat_map(u64::to_le_bytes).collect();
    if case.takes_maps() {
        params.resize(64, 0);
        params.extend(maps(data).concat());
    }
    let [grid, cluster, block] = case.extents().map(|extent| [extent, 1, 1]);
    let launch = Launch {
        seed,
        cluster,
        checks: Checks::all(),
        budget: Some(BUDGET),
        printf: &|_| {},
        ..Launch::new(&kernel, grid, block, &params)
    };
    let mut said = String::new();
    match device.launch(&instance, &launch) {
        Err(fault) => said = format!("error: {fault}\n"),
        Ok(report) => {
            // Correct programs may have notes. A wrong one may have nothing else.
            let notes = part == Variant::Wrong && report.findings.is_empty();
            let notes = report.notes.into_iter().filter(|_| notes);
            for finding in report.findings.into_iter().chain(notes) {
                let _ = match case.language {
                    Language::Ptx => writeln!(said, "{finding}\n   = {} times", finding.count),
                    _ => writeln!(said, "{finding}"),
                };
            }
        }
    }
    match case.language {
        Language::Ptx => said,
        _ => without_ptx_lines(&said),
    }
}

/// The tensor maps of cases that take some, over the buffer at this address.
fn maps(address: u64) -> [[u8; 128]; 3] {
    let tiles = TensorMap {
        element: Element::U32,
        rank: 2,
        address,
        size: [32, 32, 1, 1, 1],
        strides: [128, 0, 0, 0],
        steps: [1; 5],
        access: Access::Tiled([8, 4, 1, 1, 1]),
        interleave: Interleave::None,
        swizzle: Swizzle::None,
        promotion: Promotion::None,
        fill: Fill::Zero,
    };
    let floats = TensorMap {
        element: Element::F32,
        ..tiles
    };
    let images = TensorMap {
        rank: 4,
        size: [4, 8, 4, 2, 1],
        strides: [16, 128, 512, 0],
        access: Access::Im2col(Im2col {
            lower: [-1, -1, 0],
            upper: [-1, -1, 0],
            channels: 4,
            pixels: 8,
        }),
        ..tiles
    };
    [tiles, floats, images].map(|map| map.encode())
}

/// The text without the lines of the PTX: each kernel of a module moves those behind it.
fn without_ptx_lines(text: &str) -> String {
    let mut parts = text.split("ptx line ");
    let mut stable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        stable = stable + "ptx line" + rest;
    }
    stable
        .replace("(ptx line, ", "(")
        .replace(" (ptx line)", "")
        .replace(" at ptx line", " elsewhere")
}

/// What is wrong with a case, with these seeds; with seed 0 its report is compared with the file.
fn problem(runner: &mut Runner<'_>, case: &Case, seeds: &[u64]) -> Option<String> {
    for &seed in seeds {
        let said = said(runner, case, Variant::Right, seed);
        if !said.is_empty() {
            return Some(format!(
                "the right one is reported with seed {seed}:\n{said}"
            ));
        }
    }
    for &seed in seeds {
        let said = said(runner, case, Variant::Wrong, seed);
        if said.is_empty() {
            return Some(format!("the wrong one is not found with seed {seed}"));
        }
        if seed == 0
            && let Some(difference) = differs(case, &said)
        {
            return Some(difference);
        }
    }
    None
}

/// How a report differs from the one beside the case. `LANEWISE_BLESS` writes that anew.
fn differs(case: &Case, said: &str) -> Option<String> {
    let beside = case.report();
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        let folder = beside.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("the folder is made");
        std::fs::write(&beside, said).expect("the report is written");
    }
    let expected = std::fs::read_to_string(&beside).unwrap_or_default();
    (said != expected).then(|| format!("expected:\n{expected}\nsaid:\n{said}"))
}

/// What is wrong with these cases under the first `seeds` seeds; tells each case's name before it
/// begins. Those of the host's kind run in `program`, which is `wrong`.
pub fn problems(
    program: &Path,
    cases: impl Iterator<Item = Case>,
    seeds: u64,
    tell: &mut dyn FnMut(&str),
) -> Vec<String> {
    let mut runner = Runner::new(program);
    let seeds: Vec<u64> = (0..seeds).collect();
    let each = cases.filter_map(|case| {
        let id = case.id();
        tell(&id);
        Some(format!("{id}: {}\n", problem(&mut runner, &case, &seeds)?))
    });
    each.collect()
}

/// Compares all cases of a check with their reports, `program` being `wrong`. Each runs with seed 0
/// and `more` others, which are not the same for each case. The cases run side by side, as many as
/// there are cores.
///
/// # Panics
/// With what differs, or when there are fewer cases than `least`.
pub fn hold(program: &Path, (language, check): (Language, &str), least: usize, more: u64) {
    let of = |case: &Case| case.language == language && case.check == check;
    let cases: Vec<Case> = Case::all().filter(of).collect();
    assert!(cases.len() >= least, "{} cases in {check}", cases.len());
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(String::new());
    let work = || {
        let mut runner = Runner::new(program);
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else { return };
            let first = more * at as u64;
            let rotating = (first..first + more).map(|n| 1 + n % ROTATION);
            let seeds: Vec<u64> = std::iter::once(0).chain(rotating).collect();
            if let Some(problem) = problem(&mut runner, case, &seeds) {
                let mut wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = writeln!(wrong, "{}: {problem}\n", case.id());
            }
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 0..cores.min(cases.len()) {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(wrong.is_empty(), "{wrong}");
}
