//! The table against itself: every row can be read, and every sample of it parses and is found again.

use super::pattern::patterns;
use super::sample::samples;
use super::*;

#[test]
fn every_sample_of_every_row_parses_and_checks() {
    for pattern in patterns() {
        for sample in samples(pattern, (1, 0), 10) {
            let checked = match crate::ptx::parse(&sample.module) {
                Ok(module) => check(&module).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            match (pattern.row.refused, checked) {
                (None, Ok(())) => {}
                (Some(why), Err(error)) if error.contains(why) => {}
                (_, checked) => panic!("{:?}\n{}\n{checked:?}", pattern.row, sample.module),
            }
        }
    }
}

#[test]
fn what_is_refused_does_not_load_and_the_rest_does_not_shrink() {
    let rows = super::coverage::coverage();
    assert!(
        rows.iter()
            .all(|row| row.row.refused.is_none() || row.modelled == 0)
    );
    let whole = rows
        .iter()
        .filter(|row| row.modelled == row.samples)
        .count();
    // 638 of 653 on 2026-11-21; raise it when the decoder learns more.
    assert!(whole >= 638, "{whole} of {} rows", rows.len());
}
