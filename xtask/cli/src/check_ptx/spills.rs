//! The list of kernels that may spill registers, and how much: `spills.toml` beside the crate's
//! `Cargo.toml`, which is compared with what ptxas reports.
//!
//! A spill writes a register's value to local memory and reads it back. Spills are slow, and mostly
//! unintended (an array indexed by a variable, a loop unrolled too far). A kernel that spills on
//! purpose is named in the list, with a reason and a limit. An entry for a kernel that does not
//! spill is reported too, so the list stays up to date.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Module;

/// The list's file, in the folder of the crate. Without one, no kernel may spill.
pub(super) const FILE: &str = "spills.toml";

/// The list: kernels by name.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Allowed(BTreeMap<String, SpillAllowance>);

/// One kernel that may spill.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpillAllowance {
    /// The limit for the bytes of stores, and for those of loads.
    bytes: u32,
    /// The reason, for readers of the list. It is required.
    why: String,
    /// The targets that it applies to. An empty list means all.
    #[serde(default)]
    archs: Vec<String>,
}

/// A kernel with the bytes of its stores and loads, and the limit that it exceeds, if it has one.
type Spilling<'a> = (&'a str, (u32, u32), Option<u32>);

impl Allowed {
    /// Reads the list of the crate in `folder`.
    pub(super) fn read(folder: &Path) -> Result<Allowed> {
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.with_context(|| format!("cannot read `{}`", path.display()))?,
        };
        let allowed = Allowed::parse(&text);
        allowed.with_context(|| format!("`{FILE}` is not a list of kernels that may spill"))
    }

    fn parse(text: &str) -> Result<Allowed> {
        let allowed: Allowed = toml::from_str(text)?;
        for (kernel, entry) in &allowed.0 {
            anyhow::ensure!(!entry.why.trim().is_empty(), "[{kernel}] gives no reason");
        }
        Ok(allowed)
    }

    /// Returns what is wrong with the modules' spills, one message for each kernel and figure.
    pub(super) fn judge(&self, modules: &[Module]) -> Vec<String> {
        // Targets with the same spills share a message.
        let mut spills: BTreeMap<Spilling<'_>, Vec<&str>> = BTreeMap::new();
        for module in modules {
            for usage in module.kernels.iter().filter(|it| it.resources.spills()) {
                let figures = (usage.resources.spill_stores, usage.resources.spill_loads);
                let entry = self.entry(&usage.kernel, &module.arch);
                let limit = entry.map(|entry| entry.bytes);
                if limit.is_none_or(|limit| figures.0.max(figures.1) > limit) {
                    let key = (&*usage.kernel, figures, limit);
                    spills.entry(key).or_default().push(&module.arch);
                }
            }
        }
        let tell = |((kernel, (stores, loads), limit), archs): (Spilling<'_>, Vec<&str>)| {
            let archs = archs.join(", ");
            let spills = format!(
                "`{kernel}` spills registers on {archs}: {stores} bytes of stores, {loads} of loads"
            );
            match limit {
                None => format!(
                    "{spills}. Keep fewer values alive at once (arrays indexed by a variable and unrolled loops are the usual \
                     cause; `cargo lanewise inspect {kernel}` shows the lines), or ask for more registers by launch bounds. \
                     If it is meant, say why in {FILE}"
                ),
                Some(bytes) => format!(
                    "{spills}, and {FILE} allows it {bytes}. Find out what made it worse (`cargo lanewise inspect {kernel}`), or \
                     raise the number with a reason"
                ),
            }
        };
        let mut wrong: Vec<String> = spills.into_iter().map(tell).collect();
        wrong.extend(self.0.iter().filter_map(|(kernel, entry)| {
            let holds_for = |module: &&Module| entry.holds_for(&module.arch);
            let mut applies = modules.iter().filter(holds_for).peekable();
            applies.peek()?;
            let spills = |module: &Module| {
                let mut kernels = module.kernels.iter();
                kernels.any(|usage| usage.kernel == *kernel && usage.resources.spills())
            };
            (!applies.any(spills)).then(|| {
                format!("[{kernel}] in {FILE} is not needed: no such kernel spills. Take it out")
            })
        }));
        wrong
    }

    fn entry(&self, kernel: &str, arch: &str) -> Option<&SpillAllowance> {
        self.0.get(kernel).filter(|entry| entry.holds_for(arch))
    }
}

impl SpillAllowance {
    fn holds_for(&self, arch: &str) -> bool {
        self.archs.is_empty() || self.archs.iter().any(|it| it == arch)
    }
}

#[cfg(test)]
mod tests {
    use lanewise_builder::assembler::Resources;

    use super::*;
    use crate::check_ptx::Usage;
    use crate::check_ptx::costs::Cost;

    fn module(arch: &str, kernels: &[(&str, u32)]) -> Module {
        let usage = |&(kernel, spilled): &(&str, u32)| Usage {
            kernel: kernel.to_owned(),
            resources: Resources {
                spill_stores: spilled,
                spill_loads: spilled / 2,
                ..Resources::default()
            },
            cost: Cost::default(),
        };
        Module {
            arch: arch.to_owned(),
            kernels: kernels.iter().map(usage).collect(),
            losses: Vec::new(),
        }
    }

    fn judge(list: &str, modules: &[Module]) -> Vec<String> {
        Allowed::parse(list).expect("a list").judge(modules)
    }

    const LIST: &str = "[lean]\nbytes = 80\nwhy = 'shown on purpose'\n";

    #[test]
    fn what_is_listed_may_spill_up_to_its_limit() {
        assert_eq!(
            judge(LIST, &[module("sm_80", &[("lean", 80), ("other", 0)])]),
            [""; 0]
        );
        let wrong = judge(LIST, &[module("sm_80", &[("lean", 84)])]);
        assert_eq!(wrong.len(), 1);
        assert!(
            wrong[0].contains("84 bytes of stores, 42 of loads, and spills.toml allows it 80"),
            "{wrong:?}"
        );
    }

    #[test]
    fn a_new_spill_is_named_with_what_to_do() {
        let wrong = judge(LIST, &[module("sm_80", &[("lean", 8), ("new", 4)])]);
        assert_eq!(wrong.len(), 1);
        assert!(
            wrong[0].starts_with("`new` spills registers on sm_80: 4 bytes"),
            "{wrong:?}"
        );
        assert!(wrong[0].contains("say why in spills.toml"), "{wrong:?}");
    }

    #[test]
    fn targets_with_the_same_spills_share_a_message() {
        let modules = [
            module("sm_80", &[("new", 8)]),
            module("sm_90", &[("new", 8)]),
            module("sm_100", &[("new", 12)]),
        ];
        let wrong = judge("", &modules);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(
            wrong[0].starts_with("`new` spills registers on sm_80, sm_90: 8 bytes"),
            "{wrong:?}"
        );
    }

    #[test]
    fn an_entry_that_is_not_needed_is_reported() {
        for kernels in [&[("lean", 0)][..], &[]] {
            let wrong = judge(LIST, &[module("sm_80", kernels), module("sm_90", kernels)]);
            assert_eq!(wrong.len(), 1);
            assert!(
                wrong[0].starts_with("[lean] in spills.toml is not needed"),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn an_entry_may_be_for_some_targets() {
        let list = format!("{LIST}archs = ['sm_90']\n");
        let modules = [
            module("sm_80", &[("lean", 8)]),
            module("sm_90", &[("lean", 8)]),
        ];
        let wrong = judge(&list, &modules);
        assert_eq!(wrong.len(), 1);
        assert!(wrong[0].contains("on sm_80"), "{wrong:?}");
        assert_eq!(judge(&list, &[module("sm_80", &[("lean", 0)])]), [""; 0]);
    }

    #[test]
    fn an_entry_has_to_give_a_reason() {
        assert!(Allowed::parse("[lean]\nbytes = 1\n").is_err());
        assert!(Allowed::parse("[lean]\nbytes = 1\nwhy = ' '\n").is_err());
        assert!(Allowed::parse("[lean]\nbytes = 1\nwhy = 'x'\nbyte = 2\n").is_err());
    }

    #[test]
    fn a_crate_without_a_list_allows_no_spill_and_a_damaged_list_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let none = Allowed::read(folder.path()).expect("no list is a list of nothing");
        assert_eq!(none.judge(&[module("sm_80", &[("new", 4)])]).len(), 1);
        std::fs::write(folder.path().join(FILE), LIST).expect("it is written");
        let one = Allowed::read(folder.path()).expect("it is a list");
        assert_eq!(one.judge(&[module("sm_80", &[("lean", 80)])]), [""; 0]);
        std::fs::write(folder.path().join(FILE), "[lean").expect("it is written");
        assert!(Allowed::read(folder.path()).is_err());
    }
}
