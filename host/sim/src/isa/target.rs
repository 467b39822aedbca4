//! Targets: what a module is for, and what a row of the table needs.
//!
//! PTX ISA 11.1.2 "PTX Module Directives: .target". A plain target such as `sm_90` stands for that
//! GPU and all later ones, `sm_100f` for the GPUs of one family, `sm_90a` for one GPU. Which
//! families have what is as ptxas 13.5.37 said when it was given the samples of the table
//! (2026-11-22).

/// The GPUs that have an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Target {
    /// The least compute capability: 90 is `sm_90`.
    pub sm: u32,
    /// Whether only architecture- or family-specific targets such as `sm_90a` have it, and plain
    /// ones do not.
    pub specific: bool,
    /// The families that have it where it is specific; empty for that of `sm` alone.
    pub families: &'static [u32],
    /// Whether a target of a family such as `sm_100f` is enough; otherwise it has to be `sm_100a`
    /// or the like.
    pub in_family: bool,
}

impl Target {
    /// Every GPU from this compute capability on.
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

/// What follows the number of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suffix {
    /// Nothing: later GPUs run it too.
    Plain,
    /// `f`: GPUs of the same family run it, from this one on.
    Family,
    /// `a`: this GPU alone runs it.
    Specific,
}

/// An architecture as `.target` names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Architecture {
    /// The compute capability: 90 is `sm_90`.
    pub sm: u32,
    /// What stands behind the number.
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

    /// Whether it has what needs this target.
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

    /// Whether a GPU of this compute capability runs code for it.
    pub fn runs_on(self, sm: u32) -> bool {
        match self.suffix {
            Suffix::Plain => self.sm <= sm,
            Suffix::Family => self.sm <= sm && family(self.sm) == family(sm),
            // sm_101 is the name that sm_110 had before CUDA 13.
            Suffix::Specific => self.sm == sm || (self.sm, sm) == (101, 110),
        }
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

/// The family of a GPU, by the first of its members: 100, 103 and 107 are one, 120 and 121 another.
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
