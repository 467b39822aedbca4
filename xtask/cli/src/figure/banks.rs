//! `banks`: the words of shared memory that one load or store accesses, by bank.
//!
//! A column is a bank. If a bank has to serve several words, the access takes several passes, and
//! those words have the colour of what costs.

use std::collections::BTreeMap;

use super::numbers;
use super::record::{Access, Kernel, lanes};
use lanewise_svg::{Anchor, BAD, GOOD, INK, Svg, WIDTH};

const BANKS: u64 = 32;
/// Rows that a picture has at most.
const MOST: usize = 34;
const LEFT: f64 = 44.0;
const CELL: f64 = (WIDTH - LEFT - 3.0) / 32.0;
const HEIGHT: f64 = 8.0;

/// Draws an access to shared memory. `what` says which one it is.
pub(super) fn draw(kernel: &Kernel, access: &Access, what: &str) -> String {
    let words = words(access, kernel.bank_width);
    let busiest = busiest(access, &words, kernel.bank_width);
    let mut svg = Svg::default();
    svg.heading(&kernel.name, what);
    let mut y = 22.0;
    svg.text((0.0, y + 9.0), Anchor::Start, "bank");
    numbers(&mut svg, LEFT, CELL, y + 9.0);
    y += 13.0;
    let mut rows: Vec<u64> = words.keys().map(|word| word / BANKS).collect();
    rows.dedup();
    let all = rows.len();
    // Rows between those that are accessed show how far apart these are.
    if let (Some(&first), Some(&last)) = (rows.first(), rows.last())
        && last - first < MOST as u64
    {
        rows = (first..=last).collect();
    }
    for (i, row) in rows.iter().take(MOST).enumerate() {
        if i == 0 || i + 1 == rows.len().min(MOST) || rows.len() < 10 {
            let byte = row * BANKS * kernel.bank_width;
            svg.text((LEFT - 4.0, y + HEIGHT), Anchor::End, &byte.to_string());
        }
        for bank in 0..BANKS {
            let (color, opacity) = match words.get(&(row * BANKS + bank)) {
                None => (INK, 0.1),
                Some(_) if busiest[bank as usize] > 1 => (BAD, 1.0),
                Some(_) => (GOOD, 1.0),
            };
            let at = (LEFT + CELL * bank as f64 + 0.5, y);
            svg.rect(at, (CELL - 1.0, HEIGHT - 1.0), color, opacity);
        }
        y += HEIGHT;
    }
    if rows.len() > MOST {
        svg.text(
            (LEFT, y + 12.0),
            Anchor::Start,
            &format!(".. and {} more rows", all - MOST),
        );
        y += 12.0;
    }
    let verdict = verdict(access, &words, &busiest);
    svg.text((0.0, y + 13.0), Anchor::Start, &verdict);
    let description = format!(
        "The words of shared memory that a warp accesses, in 32 columns, one for each bank. {verdict}."
    );
    svg.finish(
        (WIDTH, y + 19.0),
        &format!("{}: {what}", kernel.name),
        &description,
    )
}

/// Returns the words that lanes access, each with the number of its lanes.
fn words(access: &Access, width: u64) -> BTreeMap<u64, usize> {
    let mut words = BTreeMap::new();
    for lane in lanes(access.lanes) {
        let offset = access.offsets[lane];
        for word in offset / width..=(offset + access.bytes - 1) / width {
            *words.entry(word).or_default() += 1;
        }
    }
    words
}

/// Returns how many passes each bank takes. A wide access has several phases, and each bank may
/// serve a word in each of them.
fn busiest(access: &Access, words: &BTreeMap<u64, usize>, width: u64) -> [u64; BANKS as usize] {
    let phases = access.bytes.div_ceil(width).max(1);
    let mut banks = [0; BANKS as usize];
    for word in words.keys() {
        banks[(word % BANKS) as usize] += 1;
    }
    banks.map(|words: u64| words.div_ceil(phases))
}

/// Returns the sentence below the picture.
fn verdict(access: &Access, words: &BTreeMap<u64, usize>, busiest: &[u64]) -> String {
    let passes = match access.passes {
        1 => "1 wavefront".to_owned(),
        many => format!("{many} wavefronts"),
    };
    let most = busiest.iter().max().copied().unwrap_or(0);
    let shared = words.values().max().copied().unwrap_or(0);
    match most {
        0 | 1 if shared > 1 => format!("{passes}: lanes share words, and no bank has two"),
        0 | 1 => format!("{passes}: no bank conflict"),
        most => format!("{passes}: a bank has to serve {most} words"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_a_tile_is_one_bank_and_of_a_padded_tile_all_of_them() {
        let access = |row: u64, passes| Access {
            bytes: 4,
            lanes: u32::MAX,
            passes,
            offsets: std::array::from_fn(|lane| lane as u64 * row * 4),
            ..Access::default()
        };
        let rows = [
            (
                access(32, 32),
                32,
                "32 wavefronts: a bank has to serve 32 words",
            ),
            (access(33, 1), 1, "1 wavefront: no bank conflict"),
            (
                access(0, 1),
                1,
                "1 wavefront: lanes share words, and no bank has two",
            ),
        ];
        for (access, most, said) in rows {
            let words = words(&access, 4);
            let busiest = busiest(&access, &words, 4);
            assert_eq!(busiest[0], most);
            assert_eq!(verdict(&access, &words, &busiest), said);
        }
        let kernel = Kernel {
            bank_width: 4,
            ..Kernel::default()
        };
        let picture = draw(&kernel, &access(32, 32), "");
        assert_eq!(picture.matches(BAD).count(), 32);
        assert_eq!(draw(&kernel, &access(33, 1), "").matches(BAD).count(), 0);
    }
}
