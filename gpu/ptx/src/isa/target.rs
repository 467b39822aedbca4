//! Targets: the GPUs that a module is for, and the GPUs that a row of the table requires.
//!
//! PTX ISA 11.1.2 "PTX Module Directives: .target". A plain target such as `sm_90` stands for that
//! GPU and all later ones, `sm_100f` for the GPUs of one family, `sm_90a` for one GPU. The
//! features of each family are those that ptxas 13.5.37 accepted when it assembled the samples of
//! the table (2026-11-22).

/// The GPUs that have an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Target {
    /// The lowest compute capability: 90 is `sm_90`.
    pub sm: u32,
    /// Whether only architecture- or family-specific targets such as `sm_90a` have it, and not
    /// the plain ones.
    pub specific: bool,
    /// The families that have it, if it is specific; empty for the family of `sm` alone.
    pub families: &'static [u32],
    /// Whether a family target such as `sm_100f` is enough. Otherwise it must be
    /// `sm_100a` or similar.
    pub in_family: bool,
}

impl Target {
    /// Returns the target of every GPU from this compute capability on.
    pub const fn from(sm: u32) -> Target {
        Target {
            sm,
            specific: false,
            families: &[],
            in_family: true,
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sm_{}{}", self.sm, if self.specific { "a" } else { "" })
    }
}

/// The letter after the number of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suffix {
    /// No letter: later GPUs can also run it.
    Plain,
    /// `f`: GPUs of the same family can run it, from this one on.
    Family,
    /// `a`: only this GPU can run it.
    Specific,
}

/// An architecture, as `.target` specifies it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Architecture {
    /// The compute capability: 90 is `sm_90`.
    pub sm: u32,
    /// The letter after the number.
    pub suffix: Suffix,
}

impl Architecture {
    /// Reads `sm_90`, `sm_90a`, `sm_100f`; `compute_90` means the same.
    pub fn read(name: &str) -> Option<Architecture> {
        let number = name
            .strip_prefix("sm_")
            .or_else(|| name.strip_prefix("compute_"))?;
        let (number, suffix) = match number.as_bytes().last()? {
            b'a' => (&number[..number.len() - 1], Suffix::Specific),
            b'f' => (&number[..number.len() - 1], Suffix::Family),
            _ => (number, Suffix::Plain),
        };
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        Some(Architecture {
            sm: number.parse().ok().filter(|_| digits)?,
            suffix,
        })
    }

    /// Returns whether the architecture has a feature that requires this target.
    pub fn has(self, needs: Target) -> bool {
        if !needs.specific {
            return self.sm >= needs.sm;
        }
        let named = match self.suffix {
            Suffix::Plain => false,
            Suffix::Family => needs.in_family,
            Suffix::Specific => true,
        };
        let family = family(self.sm);
        let among = match needs.families {
            [] => family == self::family(needs.sm),
            families => families.contains(&family),
        };
        named && among
    }

    /// Returns whether a GPU of this compute capability can run code for the architecture.
    pub fn runs_on(self, sm: u32) -> bool {
        match self.suffix {
            Suffix::Plain => self.sm <= sm,
            Suffix::Family => self.sm <= sm && family(self.sm) == family(sm),
            // sm_101 was the name of sm_110 before CUDA 13.
            Suffix::Specific => self.sm == sm || (self.sm, sm) == (101, 110),
        }
    }

    /// Returns the item whose target suits a GPU of this compute capability best: the newest that
    /// it can run. `name` returns an item's target; what is no target is passed over.
    ///
    /// PTX for `sm_80` runs on 8.0 and everything later, PTX for `sm_90a` only on 9.0, and PTX for
    /// `sm_100f` on 10.x. Source: CUDA programming guide, "PTX Compatibility".
    ///
    /// ```
    /// use lanewise_ptx::isa::Architecture;
    ///
    /// let best = |sm| Architecture::best(["sm_80", "sm_90a"], |name| name, sm);
    /// assert_eq!(best(90), Some("sm_90a"));
    /// assert_eq!(best(100), Some("sm_80"));
    /// assert_eq!(best(75), None);
    /// ```
    pub fn best<T>(
        items: impl IntoIterator<Item = T>,
        name: impl Fn(&T) -> &str,
        sm: u32,
    ) -> Option<T> {
        let that_run = items.into_iter().filter_map(|it| {
            let architecture = Architecture::read(name(&it))?;
            // Code for fewer GPUs may use more of what they have.
            let order = (architecture.sm, architecture.suffix as u8);
            architecture.runs_on(sm).then_some((order, it))
        });
        that_run.max_by_key(|(order, _)| *order).map(|(_, it)| it)
    }
}

impl std::fmt::Display for Architecture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let suffix = match self.suffix {
            Suffix::Plain => "",
            Suffix::Family => "f",
            Suffix::Specific => "a",
        };
        write!(f, "sm_{}{suffix}", self.sm)
    }
}

/// Returns the family of a GPU, as its first member. 100, 103 and 107 are one family, and 120
/// and 121 another.
fn family(sm: u32) -> u32 {
    match sm {
        101 => 110,
        sm => sm / 10 * 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str) -> Architecture {
        Architecture::read(name).unwrap_or_else(|| panic!("{name}"))
    }

    #[test]
    fn targets_are_read_as_they_are_written() {
        for name in ["sm_20", "sm_90", "sm_90a", "sm_100f", "sm_121a"] {
            assert_eq!(read(name).to_string(), name);
        }
        assert_eq!(read("compute_90a").to_string(), "sm_90a");
        for name in [
            "",
            "sm_",
            "sm_a",
            "sm_90b",
            "sm_+9",
            "hopper",
            "sm_99999999999",
        ] {
            assert_eq!(Architecture::read(name), None, "{name}");
        }
    }

    #[test]
    fn a_suffix_says_which_gpus_run_the_code() {
        assert!(read("sm_90").runs_on(121) && !read("sm_90").runs_on(89));
        assert!(read("sm_90a").runs_on(90) && !read("sm_90a").runs_on(100));
        assert!(read("sm_100f").runs_on(103) && !read("sm_100f").runs_on(120));
        assert!(!read("sm_103f").runs_on(100) && read("sm_120f").runs_on(121));
    }

    #[test]
    fn the_newest_target_that_the_gpu_runs_is_the_best() {
        let targets = ["sm_80", "sm_90a", "sm_90", "sm_100f"];
        for (sm, best) in [
            (80, Some("sm_80")),
            (89, Some("sm_80")),
            (90, Some("sm_90a")),
            (103, Some("sm_100f")),
            (120, Some("sm_90")),
            (35, None),
        ] {
            assert_eq!(Architecture::best(targets, |name| name, sm), best, "{sm}");
        }
        let others = ["other", "sm_", "sm_x"];
        assert_eq!(Architecture::best(others, |name| name, 90), None);
    }

    #[test]
    fn what_is_specific_is_not_in_plain_targets_nor_other_families() {
        let of = |families, in_family| Target {
            specific: true,
            families,
            in_family,
            ..Target::from(100)
        };
        assert!(!read("sm_100").has(of(&[], true)));
        assert!(read("sm_100f").has(of(&[], true)) && read("sm_103a").has(of(&[], true)));
        assert!(!read("sm_120a").has(of(&[], true)));
        assert!(read("sm_121f").has(of(&[100, 120], true)));
        assert!(!read("sm_100f").has(of(&[100], false)) && read("sm_107a").has(of(&[100], false)));
    }
}
