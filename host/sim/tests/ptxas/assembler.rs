//! NVIDIA's assembler, which checks many instructions in one run.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Instructions of one module: the directives that they need before them, and the instructions.
pub(crate) struct Batch<'a> {
    /// `.version`, `.target`, `.address_size`.
    pub(crate) head: &'a str,
    /// Declarations of registers, and the instruction.
    pub(crate) cases: Vec<(String, String)>,
}

/// The lines of a batch's text, one per case, and how many lines come before them.
fn text(batch: &Batch<'_>, refused: &BTreeSet<usize>) -> (String, usize) {
    let mut text = format!("{}.func callee() {{ ret; }}\n", batch.head);
    let before = text.lines().count();
    for (number, (declarations, instruction)) in batch.cases.iter().enumerate() {
        // What has been refused stays out, but keeps its line.
        if !refused.contains(&number) {
            text += &format!(
                ".entry k{number}(.param .align 16 .b8 parameter[128]) {{ .param .align 16 .b8 argument[128]; {declarations} list: .branchtargets next; {instruction} next: ret; }}"
            );
        }
        text.push('\n');
    }
    (text, before)
}

/// Returns the line that a message names: `ptxas FILE, line 12; error : ...`, or
/// `... 32-bit address on line '12' ...`, whose error at the end has no line.
fn line(message: &str) -> Option<usize> {
    let named = match message.split_once(" on line '") {
        Some((_, rest)) => rest.split('\'').next()?,
        None => message.split_once(".ptx, line ")?.1.split(';').next()?,
    };
    named.trim().parse().ok()
}

/// Returns which cases of a batch ptxas refuses. For a virtual architecture ptxas only
/// reads the text.
pub(crate) fn refused(
    ptxas: &Path,
    folder: &Path,
    number: usize,
    batch: &Batch<'_>,
) -> BTreeSet<usize> {
    let target = batch
        .head
        .lines()
        .find_map(|line| line.strip_prefix(".target sm_"));
    let arch = format!("-arch=compute_{}", target.expect("a head names its target"));
    let path = folder.join(format!("{number}.ptx"));
    let mut refused = BTreeSet::new();
    loop {
        let (text, before) = text(batch, &refused);
        std::fs::write(&path, text).expect("the folder takes a file");
        let output = Command::new(ptxas)
            .args([&arch, "-o", "/dev/null"])
            .arg(&path)
            .output();
        let output = output.expect("ptxas runs");
        if output.status.success() {
            return refused;
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let of_errors = said.lines().filter(|message| {
            ["error", "fatal", "conflicting"]
                .iter()
                .any(|word| message.contains(word))
        });
        let found = of_errors
            .filter_map(line)
            .filter_map(|line| line.checked_sub(before + 1));
        let known = refused.len();
        refused.extend(found);
        // A syntax error ends ptxas's parsing, so the rest is tried again without the line.
        if refused.len() > known {
            continue;
        }
        // It names no line: whichever half it is in.
        let left: Vec<usize> = (0..batch.cases.len())
            .filter(|case| !refused.contains(case))
            .collect();
        if let [last] = left[..] {
            refused.insert(last);
            return refused;
        }
        for half in [&left[..left.len() / 2], &left[left.len() / 2..]] {
            let cases = half.iter().map(|&case| batch.cases[case].clone());
            let part = Batch {
                head: batch.head,
                cases: cases.collect(),
            };
            let of_part = self::refused(ptxas, folder, number, &part);
            refused.extend(of_part.into_iter().map(|case| half[case]));
        }
        return refused;
    }
}
