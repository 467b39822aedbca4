//! The instructions that can be judged: samples of the table, and the special registers.

use lanewise_sim::isa::Row;
use lanewise_sim::isa::pattern::patterns;
use lanewise_sim::isa::sample::{Sample, samples};

use crate::case::{Case, Harness, LEAST};
use crate::harness;
use crate::image;
use crate::surroundings::matrix;
use crate::surroundings::special;

/// Returns every sample of every row that the table does not refuse, in the table's order, and
/// every special register.
pub fn all() -> Vec<Case> {
    let rows = patterns()
        .iter()
        .filter(|pattern| pattern.row.refused.is_none());
    let sampled = rows.flat_map(|pattern| {
        let mut of = samples(pattern, LEAST.0, LEAST.1);
        for more in image::combinations(pattern) {
            if !of.contains(&more) {
                of.push(more);
            }
        }
        of.into_iter().map(|sample| case(pattern.row, sample))
    });
    sampled.chain(special::cases()).collect()
}

fn case(row: &'static Row, mut sample: Sample) -> Case {
    let mut harness = match row.gone {
        // Instructions that only Hopper has were removed in Blackwell. They are judged on Hopper.
        Some((_, sm)) if sm <= 90 => Harness::None("GPUs of today do not have it any more"),
        _ => harness::of(row, &sample),
    };
    if harness == Harness::Matrix {
        let needs = matrix::chain(&sample).map(|chain| {
            let parts = chain.parts.map(|(_, part)| (part.version, part.target));
            parts
                .into_iter()
                .fold((sample.version, sample.target), |most, part| {
                    (most.0.max(part.0), most.1.max(part.1))
                })
        });
        match needs {
            Some(needs) => (sample.version, sample.target) = needs,
            None => {
                harness = Harness::None("the table has no other instructions for such matrices")
            }
        }
    }
    Case {
        row,
        sample,
        harness,
        special: None,
    }
}
