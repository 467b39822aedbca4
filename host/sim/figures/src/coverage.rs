//! Which rows of the instruction table the machine runs. To find out, the samples of each row are
//! loaded as a program would be.
//!
//! The coverage page of the book and the tests both use this module, so the page lists exactly what
//! the decoder accepts.

use lanewise_sim::Module;
use lanewise_sim::isa::Row;
use lanewise_sim::isa::pattern::{Pattern, patterns};
use lanewise_sim::isa::sample::samples;

/// A row and how much of it the machine runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The row of the instruction table.
    pub row: &'static Row,
    /// The number of samples of the row. Every modifier of the row occurs in one of them.
    pub samples: usize,
    /// The number of samples of the row that load.
    pub modelled: usize,
    /// The first sample that does not load, with the reason.
    pub missing: Option<(String, String)>,
}

/// Returns the coverage of every row of the table.
pub fn coverage() -> Vec<Coverage> {
    patterns().iter().map(of).collect()
}

fn of(pattern: &Pattern) -> Coverage {
    let samples = samples(pattern, (1, 0), 20);
    let mut coverage = Coverage {
        row: pattern.row,
        samples: samples.len(),
        modelled: 0,
        missing: None,
    };
    for sample in samples {
        let loaded = Module::load(&sample.module).and_then(|module| {
            let refused = module
                .kernel("sample")
                .and_then(|kernel| kernel.refused.clone());
            refused.map_or(Ok(()), Err)
        });
        match loaded {
            Ok(()) => coverage.modelled += 1,
            Err(error) if coverage.missing.is_none() => {
                coverage.missing = Some((sample.instruction, error.to_string()));
            }
            Err(_) => {}
        }
    }
    coverage
}
