//! Results that others published for CUDA C++ versions of these kernels. They are printed below the
//! table of a run, so that a reader can hold a run against them.
//!
//! Source: the study notes that the book's page "Sources" names, with the GPU where they name one.

/// One published result.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    /// The name of the pattern that the result belongs to.
    pub pattern: &'static str,
    /// The GPU, if the text names it.
    pub gpu: Option<&'static str>,
    /// The result that the author measured or saw.
    pub saw: &'static str,
}

/// Makes a result on a GPU that is named.
const fn on(pattern: &'static str, gpu: &'static str, saw: &'static str) -> Published {
    Published {
        pattern,
        gpu: Some(gpu),
        saw,
    }
}

/// Makes a result on a GPU that is not named.
const fn somewhere(pattern: &'static str, saw: &'static str) -> Published {
    Published {
        pattern,
        gpu: None,
        saw,
    }
}

/// All results, in the order of [`crate::ALL`].
const ALL: &[Published] = &[
    somewhere(
        "nested_reduce",
        "2048 blocks make 16384 children; without the synchronisations a third of the time; with one child for all blocks 8 children",
    ),
    somewhere(
        "cache_operators",
        "through lines of 128 bytes, a warp that reads one address of 4 bytes uses 3.125 % of what is moved",
    ),
    somewhere(
        "misaligned_read",
        "four loads a thread: 3.04 to 3.17 times as fast as one; without L1 a misaligned load is the more efficient",
    ),
    somewhere(
        "aos_soa",
        "reading x alone from an array of structures uses half of what is moved",
    ),
    somewhere(
        "transpose",
        "copying by rows 70 % of the theoretical peak, by columns 33 %; naive_col is faster than naive_row",
    ),
    on(
        "offset_stride",
        "Tesla V100",
        "about 790 GB/s at offsets that are multiples of 8, about 9/10 of it at others (4/5 were expected); 50 % at stride 2",
    ),
    on(
        "transfers",
        "Tesla V100, PCIe x16 Gen3",
        "about 12 GB/s with pinned memory, of 16 GB/s; the device's own memory has 898 GB/s",
    ),
];

/// Returns the results for a pattern.
pub fn about(pattern: &str) -> impl Iterator<Item = &'static Published> {
    ALL.iter().filter(move |seen| seen.pattern == pattern)
}

impl std::fmt::Display for Published {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let gpu = self.gpu.map_or_else(
            || "on a GPU that is not named".to_owned(),
            |gpu| format!("on a {gpu}"),
        );
        write!(out, "Published, {gpu}: {}.", self.saw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_of_a_pattern() {
        for seen in ALL {
            let found = crate::ALL
                .iter()
                .any(|pattern| pattern.name == seen.pattern);
            assert!(found, "{} is no pattern", seen.pattern);
        }
    }

    #[test]
    fn the_gpu_is_named_where_it_is_known() {
        let text = about("transfers")
            .map(ToString::to_string)
            .collect::<Vec<_>>();
        assert_eq!(text.len(), 1);
        assert!(text[0].starts_with("Published, on a Tesla V100, PCIe x16 Gen3: about 12 GB/s"));
        assert_eq!(about("hello").count(), 0);
    }
}
