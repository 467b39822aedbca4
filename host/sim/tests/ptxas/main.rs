//! Compares NVIDIA's assembler with the loader in both directions. ptxas must accept what the
//! instruction table has. Of instances with one change (a word elsewhere, one left out, one more)
//! the loader must accept what ptxas accepts.
//!
//! Needs `LANEWISE_PTXAS`. Without it the test prints that, and compares nothing. It takes some
//! minutes. The differences are in `differences.txt` beside this file: by the name of an exception,
//! or else one by one, with the counts that the book shows. `LANEWISE_BLESS=1` writes this file.
//! `LANEWISE_OPCODE=ld` tests one opcode only.
//!
//! The test also compares which targets have which instructions. There nothing may differ.

mod assembler;
mod candidates;
mod exceptions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use assembler::Batch;
use candidates::Candidate;
use exceptions::Naming;

/// Instructions of one module: enough that the start of a process costs little, few enough that a
/// second run is cheap.
const BATCH: usize = 2000;

/// What was tested, and what only one of the two accepts.
#[derive(Default)]
struct Verdict {
    asked: usize,
    both: usize,
    neither: usize,
    /// Taken by the loader, refused by ptxas.
    loader: Alone,
    /// Accepted by ptxas, refused by the loader.
    ptxas: Alone,
}

/// What only one accepts: the number for each named exception, and the instructions without one.
#[derive(Default)]
struct Alone {
    named: BTreeMap<&'static str, usize>,
    unnamed: Vec<String>,
}

impl Alone {
    fn add(&mut self, candidate: &Candidate, ptxas: bool, naming: Naming) {
        let Candidate {
            declarations,
            instruction,
            ..
        } = candidate;
        let overlooked = ptxas && loads(&without_last_word(candidate));
        match naming(instruction, ptxas, overlooked) {
            Some(name) => *self.named.entry(name).or_default() += 1,
            None => self.unnamed.push(format!("{instruction} {declarations}")),
        }
    }

    fn count(&self) -> usize {
        self.unnamed.len() + self.named.values().sum::<usize>()
    }
}

fn without_last_word(candidate: &Candidate) -> Candidate {
    let instruction = &candidate.instruction;
    let name = instruction.find([' ', ';']).unwrap_or(instruction.len());
    let shorter = instruction[..name].rfind('.').unwrap_or(name);
    Candidate {
        instruction: format!("{}{}", &instruction[..shorter], &instruction[name..]),
        ..candidate.clone()
    }
}

/// Returns whether the loader accepts an instruction: the loader runs it or refuses it by name.
fn loads(candidate: &Candidate) -> bool {
    let Candidate {
        head,
        declarations,
        instruction,
    } = candidate;
    let text = format!(
        "{head}.func callee() {{ ret; }}\n.entry k(.param .align 16 .b8 parameter[128]) {{ .param .align 16 .b8 argument[128]; {declarations} list: .branchtargets next; {instruction} next: ret; }}"
    );
    let Ok(mut module) = lanewise_sim::ptx::parse(&text) else {
        return false;
    };
    lanewise_sim::isa::check(&mut module).is_ok()
}

fn judge(ptxas: &Path, candidates: Vec<Candidate>, naming: Naming) -> Verdict {
    let folder = tempfile::tempdir().expect("a folder");
    let mut by_head: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        by_head
            .entry(candidate.head.clone())
            .or_default()
            .push(candidate);
    }
    let batches: Vec<(&String, &[Candidate])> = by_head
        .iter()
        .flat_map(|(head, candidates)| candidates.chunks(BATCH).map(move |chunk| (head, chunk)))
        .collect();
    let (next, verdict) = (AtomicUsize::new(0), Mutex::new(Verdict::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && let Some((head, chunk)) = batches.get(number)
                {
                    let cases = chunk
                        .iter()
                        .map(|c| (c.declarations.clone(), c.instruction.clone()));
                    let batch = Batch {
                        head,
                        cases: cases.collect(),
                    };
                    let refused = assembler::refused(ptxas, folder.path(), number, &batch);
                    let taken: Vec<bool> = chunk.iter().map(loads).collect();
                    let mut verdict = verdict.lock().expect("no thread panicked");
                    verdict.asked += chunk.len();
                    for (at, (candidate, taken)) in chunk.iter().zip(taken).enumerate() {
                        match (taken, !refused.contains(&at)) {
                            (true, true) => verdict.both += 1,
                            (false, false) => verdict.neither += 1,
                            (true, false) => verdict.loader.add(candidate, false, naming),
                            (false, true) => verdict.ptxas.add(candidate, true, naming),
                        }
                    }
                }
            });
        }
    });
    let mut verdict = verdict.into_inner().expect("no thread panicked");
    verdict.loader.unnamed.sort();
    verdict.ptxas.unnamed.sort();
    verdict
}

/// Returns the highest PTX version that an assembler reads. Its error for a later
/// version contains it.
fn newest(ptxas: &Path) -> (u32, u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("version.ptx");
    std::fs::write(&path, ".version 99.9\n.target sm_90\n").expect("a file");
    let output = Command::new(ptxas)
        .args(["-arch=compute_90", "-o", "/dev/null"])
        .arg(&path)
        .output();
    let said = String::from_utf8_lossy(&output.expect("ptxas runs").stderr).into_owned();
    let version = said
        .split("current version is '")
        .nth(1)
        .and_then(|rest| rest.split('\'').next());
    let (major, minor) = version
        .and_then(|v| v.split_once('.'))
        .expect("it names its version");
    (
        major.parse().expect("a number"),
        minor.parse().expect("a number"),
    )
}

fn report(table: &Verdict, changed: &Verdict, newest: (u32, u32)) -> String {
    let mut text = format!(
        "# The loader against ptxas of PTX {}.{}\n",
        newest.0, newest.1
    );
    for (name, verdict) in [
        ("instances of the table", table),
        ("instances with one change", changed),
    ] {
        let Verdict {
            asked,
            both,
            neither,
            loader,
            ptxas,
        } = verdict;
        text += &format!(
            "\n## {name}: {asked} asked, {both} taken by both, {neither} by neither, {} by the loader alone, {} by ptxas alone\n",
            loader.count(),
            ptxas.count()
        );
        for (who, list) in [("the loader alone", loader), ("ptxas alone", ptxas)] {
            text += &format!("\n### {who}\n\n");
            for (name, many) in &list.named {
                text += &format!("- {name}: {many}\n");
            }
            for instruction in &list.unnamed {
                text += &format!("{instruction}\n");
            }
        }
    }
    text
}

/// Returns the assembler, if there is one.
fn ptxas() -> Option<PathBuf> {
    let ptxas = std::env::var_os("LANEWISE_PTXAS").map(PathBuf::from);
    if ptxas.is_none() {
        println!("LANEWISE_PTXAS is not set: nothing was judged");
    }
    ptxas
}

/// Returns whether a candidate has the opcode that is tested.
fn asked(candidate: &Candidate) -> bool {
    let opcode = candidate.instruction.split(['.', ' ', ';']).next();
    std::env::var("LANEWISE_OPCODE").map_or(true, |only| opcode == Some(&only))
}

/// Targets that an assembler of CUDA 13 knows, of those that it may be asked about.
fn targets(ptxas: &Path) -> Vec<String> {
    let numbers = [
        75, 80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121, 130,
    ];
    let names = numbers
        .iter()
        .flat_map(|number| ["", "a", "f"].map(|suffix| format!("sm_{number}{suffix}")));
    let help = Command::new(ptxas).arg("--help").output();
    let help = help.expect("ptxas runs").stdout;
    let help = String::from_utf8_lossy(&help);
    names
        .filter(|name| help.contains(&format!("'{name}'")))
        .collect()
}

#[test]
fn a_target_has_what_ptxas_says_that_it_has() {
    let Some(ptxas) = ptxas() else { return };
    let newest = newest(&ptxas);
    let targets = targets(&ptxas);
    assert!(targets.len() > 10, "ptxas names {targets:?}");
    let mut of_targets = String::new();
    for target in targets {
        let candidates = candidates::for_target(newest, &target);
        let verdict = judge(
            &ptxas,
            candidates.into_iter().filter(asked).collect(),
            exceptions::none,
        );
        for (who, alone) in [("the loader", &verdict.loader), ("ptxas", &verdict.ptxas)] {
            for instruction in &alone.unnamed {
                of_targets += &format!("{target}, {who} alone: {instruction}\n");
            }
        }
    }
    assert!(of_targets.is_empty(), "{of_targets}");
}

#[test]
fn the_loader_takes_what_ptxas_takes() {
    let Some(ptxas) = ptxas() else { return };
    let newest = newest(&ptxas);
    let only = std::env::var("LANEWISE_OPCODE").ok();
    let table = candidates::of_the_table(newest).filter(asked).collect();
    let changed = candidates::changed(newest);
    let changed = changed.into_iter().filter(asked).collect();
    let (table, changed) = (
        judge(&ptxas, table, exceptions::name),
        judge(&ptxas, changed, exceptions::name),
    );
    let found = report(&table, &changed, newest);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ptxas/differences.txt");
    if std::env::var_os("LANEWISE_BLESS").is_some() {
        std::fs::write(path, &found).expect("the list can be written");
    }
    let known = std::fs::read_to_string(path).expect("the list is in the repository");
    assert!(
        known.starts_with(found.lines().next().unwrap_or_default()),
        "the list is of another ptxas"
    );
    let new: Vec<&str> = found
        .lines()
        .filter(|line| !line.starts_with(['#', '-']) && !known.lines().any(|it| it == *line))
        .collect();
    assert!(
        new.is_empty(),
        "{} differences that are not named:\n{}",
        new.len(),
        new.join("\n")
    );
    assert!(
        only.is_some() || table.both > 10_000 && changed.both > 1000,
        "{} and {} asked",
        table.asked,
        changed.asked
    );
}
