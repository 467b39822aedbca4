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
