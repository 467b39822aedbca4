//! Which rows of the instruction table the machine runs. To find out, the samples of each row are
//! loaded as a program would be.
//!
//! The coverage page of the book and the tests both use this module, so the page lists exactly what
//! the decoder accepts.

use crate::isa::Row;
use crate::isa::pattern::{Pattern, patterns};
use crate::isa::sample::samples;
use crate::module::Module;

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

/// Returns the names that the decoder has for instructions that work on registers alone, and for
/// parts of other instructions. Text in parentheses after a name is not part of the instruction. It
/// distinguishes two instructions of the same name.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    crate::decode::table::keys()
}

/// Returns the functions that the machine provides to modules that only declare them, as
/// a driver does.
pub fn functions() -> impl Iterator<Item = &'static str> {
    crate::decode::functions()
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
