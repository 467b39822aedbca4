//! Targets such as `sm_80` and `sm_90a`, in the order of their compute capability, and the PTX
//! version that each is written in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::OptionError;

/// A GPU target.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Arch {
    /// Ten times the compute capability: 80, 90, 100.
    capability: u32,
    /// `a` for code that runs on exactly this architecture, `f` for its family, or nothing.
    suffix: String,
}

/// Every target from Volta on that LLVM 22 supports, and LLVM's name for the PTX version that is
/// written for it. Volta is the first with independent thread scheduling.
///
/// PTX 7.8 (CUDA 11.8) has clusters and every instruction before them. Every driver of recent years
/// reads it. Hopper's bulk copies and `setmaxnreg` came with 8.0. A later target has the oldest
/// version that supports it. `sm_100a` has the first version that has all of its products (8.7,
/// CUDA 12.8). Source: PTX ISA, "Release Notes", and "PTX Module Directives: .target".
#[rustfmt::skip]
const KNOWN: [(&str, &str); 28] = [
    ("sm_70", "+ptx78"),
    ("sm_72", "+ptx78"),
    ("sm_75", "+ptx78"),
    ("sm_80", "+ptx78"),
    ("sm_86", "+ptx78"),
    ("sm_87", "+ptx78"),
    ("sm_88", "+ptx90"),
    ("sm_89", "+ptx78"),
    ("sm_90", "+ptx80"),
    ("sm_90a", "+ptx80"),
    ("sm_100", "+ptx86"),
    ("sm_100a", "+ptx87"),
    ("sm_100f", "+ptx88"),
    ("sm_101", "+ptx86"),
    ("sm_101a", "+ptx86"),
    ("sm_101f", "+ptx88"),
    ("sm_103", "+ptx88"),
    ("sm_103a", "+ptx88"),
    ("sm_103f", "+ptx88"),
    ("sm_110", "+ptx90"),
    ("sm_110a", "+ptx90"),
    ("sm_110f", "+ptx90"),
    ("sm_120", "+ptx87"),
    ("sm_120a", "+ptx87"),
    ("sm_120f", "+ptx88"),
    ("sm_121", "+ptx88"),
    ("sm_121a", "+ptx88"),
    ("sm_121f", "+ptx88"),
];

/// The lowest of the targets.
pub(crate) const LOWEST: &str = KNOWN[0].0;

/// Returns every target that a build can be for.
pub fn targets() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|(name, _)| *name)
}

impl Arch {
    /// Returns LLVM's name for the PTX version to write.
    pub(crate) fn ptx_feature(&self) -> &'static str {
        let name = self.to_string();
        KNOWN
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(KNOWN[0].1, |(_, version)| version)
    }
}

impl Arch {
    /// Returns LLVM's name for the PTX version of a module that has a kernel with more than 4 KB of
    /// parameters. PTX 8.1 (CUDA 12.1) is the first that allows such a kernel.
    pub(crate) fn ptx_feature_for_large_parameters(&self) -> &'static str {
        match self.ptx_feature() {
            "+ptx78" | "+ptx80" => "+ptx81",
            later => later,
        }
    }

    /// Returns ten times the compute capability.
    pub(crate) fn capability(&self) -> u32 {
        self.capability
    }

    /// Returns whether this target has all features of `wanted`. A target with `a` has features
    /// that no other target has, not even a later one. A target with `f` has the features of its
    /// family, which are the targets of the same generation.
    pub(crate) fn has_all_of(&self, wanted: &Arch) -> bool {
        match wanted.suffix.as_str() {
            "a" => self == wanted,
            "f" => {
                self.capability / 10 == wanted.capability / 10
                    && self.capability >= wanted.capability
                    && !self.suffix.is_empty()
            }
            _ => self.capability >= wanted.capability,
        }
    }
}

impl FromStr for Arch {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Arch, OptionError> {
        let unknown = || OptionError::UnknownArch {
            given: text.to_owned(),
            known: targets().collect::<Vec<_>>().join(", "),
        };
        if !targets().any(|known| known == text) {
            return Err(unknown());
        }
        let number = text.trim_start_matches("sm_");
        let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let capability = digits.parse().map_err(|_| unknown())?;
        Ok(Arch {
            capability,
            suffix: number[digits.len()..].to_owned(),
        })
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.capability, self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::{Arch, targets};

    fn arch(text: &str) -> Arch {
        text.parse().expect("a known target")
    }

    #[test]
    fn every_known_target_is_read_and_written_alike() {
        for text in targets() {
            assert_eq!(arch(text).to_string(), text);
        }
        assert!(
            "sm_5000".parse::<Arch>().is_err()
                && "".parse::<Arch>().is_err()
                && "80".parse::<Arch>().is_err()
        );
    }

    #[test]
    fn later_targets_run_what_earlier_ones_do_but_not_what_is_for_one_alone() {
        let has = |this: &str, wanted: &str| arch(this).has_all_of(&arch(wanted));
        assert!(has("sm_100", "sm_90") && has("sm_90a", "sm_90") && !has("sm_80", "sm_90"));
        assert!(has("sm_90a", "sm_90a") && !has("sm_100", "sm_90a") && !has("sm_90", "sm_90a"));
        assert!(
            has("sm_100a", "sm_100f") && !has("sm_120a", "sm_100f") && !has("sm_100", "sm_100f")
        );
    }
}
