//! What each kernel costs: `costs.toml` beside the crate's `Cargo.toml`, which `--record` writes
//! and every later check compares. A kernel that costs more than is recorded fails the check.
//!
//! The figures need no GPU. Registers, stack and spills are those of ptxas; calls, accesses of
//! local memory in loops and the instructions of the innermost loops are counted in the PTX.
//! Another version of ptxas gives other figures, so the file names the version that it is for.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use lanewise_builder::assembler::Resources;
use lanewise_builder::lint::ptx::{Function, Instruction, Module};
use serde::{Deserialize, Serialize};

/// The file's name.
pub(super) const FILE: &str = "costs.toml";

/// What all kernels cost on one target.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Costs {
    /// The target that the figures are of.
    arch: String,
    /// The version of ptxas that they are of.
    ptxas: String,
    #[serde(default)]
    kernels: BTreeMap<String, Cost>,
}

/// What one kernel costs. A figure that is not in the file is 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Cost {
    /// Registers of a thread.
    registers: u32,
    /// Instructions of PTX in the innermost loops, together.
    loops: u32,
    /// Bytes of a thread's stack.
    stack: u32,
    /// Bytes of spills, written and read.
    spills: u32,
    /// Calls of functions that are not part of the kernel.
    calls: u32,
    /// Instructions in loops that access local memory.
    local: u32,
    /// The source lines of what was counted in the PTX, by figure.
    #[serde(skip)]
    lines: BTreeMap<&'static str, String>,
}

impl Cost {
    /// Counts what a kernel costs, in its PTX and in what ptxas said of it.
    pub(super) fn of(module: &Module<'_>, function: &Function<'_>, resources: &Resources) -> Cost {
        let loops = function.loops();
        let is_innermost = |blocks: &&Vec<usize>| {
            !loops
                .iter()
                .any(|it| it[0] != blocks[0] && blocks.contains(&it[0]))
        };
        let innermost: Vec<_> = loops.iter().filter(is_innermost).flatten().collect();
        let in_any: Vec<_> = loops.iter().flatten().collect();
        let mut lines = BTreeMap::new();
        let mut count = |figure: &'static str, counts: &dyn Fn(&Instruction<'_>) -> bool| {
            let found: Vec<_> = function.instructions().filter(counts).collect();
            let place = found.iter().find_map(|it| module.place(it.loc()));
            lines.extend(place.map(|place| (figure, place)));
            found.len() as u32
        };
        Cost {
            registers: resources.registers,
            loops: count("loops", &|it| innermost.contains(&&it.block)),
            stack: resources.stack,
            spills: resources.spill_stores + resources.spill_loads,
            calls: count("calls", &|it| it.callee().is_some()),
            local: count("local", &|it| {
                in_any.contains(&&it.block) && it.names_space("local")
            }),
            lines,
        }
    }

    /// The figures: the name in the file, what is counted, and how many there are.
    fn figures(&self) -> [(&'static str, &'static str, u32); 6] {
        [
            ("registers", "registers", self.registers),
            ("loops", "instructions in its innermost loops", self.loops),
            ("stack", "bytes of stack", self.stack),
            ("spills", "bytes of spills", self.spills),
            ("calls", "calls", self.calls),
            ("local", "accesses of local memory in loops", self.local),
        ]
    }

    /// Returns a message for each figure that is worse than `before`.
    fn worse_than(&self, before: &Cost, kernel: &str) -> Vec<String> {
        let figures = self.figures().into_iter().zip(before.figures());
        let worse = figures.filter(|((.., now), (.., before))| now > before);
        let message = |((name, what, now), (.., before)): ((&str, &str, u32), (_, _, u32))| {
            let line = self.lines.get(name);
            let place = line.map_or(String::new(), |line| format!(" ({line})"));
            format!("`{kernel}` has {now} {what}{place}, expected at most {before}, as in {FILE}")
        };
        worse.map(message).collect()
    }
}

impl Costs {
    /// Returns the costs of the crate in `folder`, if they are recorded.
    pub(super) fn read(folder: &Path) -> Result<Option<Costs>> {
        let path = folder.join(FILE);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            text => {
                let text = text.with_context(|| format!("cannot read `{}`", path.display()))?;
                let costs = toml::from_str(&text);
                Ok(Some(costs.with_context(|| {
                    format!("`{FILE}` is not a list of costs")
                })?))
            }
        }
    }

    pub(super) fn new(arch: &str, ptxas: String, kernels: BTreeMap<String, Cost>) -> Costs {
        Costs {
            arch: arch.to_owned(),
            ptxas,
            kernels,
        }
    }

    /// The target that the costs are of.
    pub(super) fn arch(&self) -> &str {
        &self.arch
    }

    /// Writes the costs, a line for each kernel.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(FILE);
        fs::write(&path, self.text()).with_context(|| format!("cannot write `{}`", path.display()))
    }

    fn text(&self) -> String {
        let mut text = format!(
            "# What the kernels cost, as `check-ptx --record` wrote it. `check-ptx` fails if one costs more.\n\
             arch = \"{}\"\nptxas = \"{}\"\n\n[kernels]\n",
            self.arch, self.ptxas
        );
        for (kernel, cost) in &self.kernels {
            let figures = cost.figures().into_iter().filter(|(.., value)| *value > 0);
            let figures: Vec<_> = figures
                .map(|(name, _, value)| format!("{name} = {value}"))
                .collect();
            // A name in PTX may have a `$`, which TOML has in quotes alone.
            let _ = writeln!(text, "\"{kernel}\" = {{ {} }}", figures.join(", "));
        }
        text
    }

    /// Returns what is worse `now` than these costs. Those of another ptxas are not compared.
    pub(super) fn judge(&self, now: &Costs) -> Vec<String> {
        if self.ptxas != now.ptxas {
            eprintln!(
                "note: {FILE} is not compared: it is of ptxas {}, and this is {}",
                self.ptxas, now.ptxas
            );
            return Vec::new();
        }
        let mut wrong = Vec::new();
        for (kernel, cost) in &now.kernels {
            match self.kernels.get(kernel) {
                Some(before) => wrong.extend(cost.worse_than(before, kernel)),
                None => wrong.push(format!("`{kernel}` is not in {FILE}")),
            }
        }
        let gone = self
            .kernels
            .keys()
            .filter(|kernel| !now.kernels.contains_key(*kernel));
        wrong.extend(
            gone.map(|kernel| format!("`{kernel}` is in {FILE}, and there is no such kernel")),
        );
        if !wrong.is_empty() {
            wrong.push(format!(
                "if this is meant, `check-ptx --record` writes {FILE} again"
            ));
        }
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop of two instructions in a loop, with a call and a local access.
    const PTX: &str = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .extern .func help(.param .b32 p);\n.visible .entry k()\n{\n\
        .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p<3>; .param .b32 p0;\n$L1:\n.loc 1 7 1\nld.local.u32 %r1, [%rd1];\n\
        $L2:\n.loc 1 8 1\nadd.s32 %r1, %r1, 1;\n@%p1 bra $L2;\n.loc 1 9 1\n@%p2 bra $L1;\n\
        .loc 1 10 1\ncall.uni help, (p0);\nret;\n}\n.file 1 \"a.rs\"\n";

    fn cost() -> Cost {
        let module = Module::parse(PTX).expect("PTX");
        let resources = Resources {
            registers: 20,
            spill_stores: 4,
            spill_loads: 8,
            ..Resources::default()
        };
        Cost::of(&module, &module.functions[0], &resources)
    }

    fn costs(cost: Cost) -> Costs {
        Costs::new(
            "sm_90",
            "13.0.88".to_owned(),
            BTreeMap::from([("k".to_owned(), cost)]),
        )
    }

    #[test]
    fn loops_calls_and_local_memory_are_counted() {
        let cost = cost();
        let figures = cost.figures().map(|(.., value)| value);
        assert_eq!(figures, [20, 2, 0, 12, 1, 1]);
        let lines: Vec<_> = cost.lines.values().map(String::as_str).collect();
        assert_eq!(lines, ["a.rs:10", "a.rs:7", "a.rs:8"]);
    }

    #[test]
    fn what_is_written_is_read() {
        let written = costs(Cost {
            lines: BTreeMap::new(),
            ..cost()
        });
        let read: Costs = toml::from_str(&written.text()).expect("TOML");
        assert_eq!(read, written);
    }

    #[test]
    fn what_is_worse_is_told_with_its_line() {
        let before = costs(Cost {
            registers: 24,
            calls: 0,
            ..cost()
        });
        assert_eq!(
            before.judge(&costs(cost())),
            [
                "`k` has 1 calls (a.rs:10), expected at most 0, as in costs.toml",
                "if this is meant, `check-ptx --record` writes costs.toml again"
            ]
        );
        assert!(costs(cost()).judge(&costs(cost())).is_empty());
        let none = Costs::new("sm_90", "13.0.88".to_owned(), BTreeMap::new());
        assert_eq!(none.judge(&costs(cost()))[0], "`k` is not in costs.toml");
        assert_eq!(
            costs(cost()).judge(&none)[0],
            "`k` is in costs.toml, and there is no such kernel"
        );
        let of_another = Costs {
            ptxas: "12.0".to_owned(),
            ..none
        };
        assert!(of_another.judge(&costs(cost())).is_empty());
    }
}
