//! `access`: the lanes of one load or store, and the sectors of global memory that they touch.
//!
//! Eight neighbouring lanes have one colour. If they access one sector of 32 bytes, it has that
//! colour too; the pale rest of a sector is moved in vain.

use super::numbers;
use super::record::{Access, Kernel, lanes};
use lanewise_svg::{Anchor, COLORS, INK, Svg, WIDTH};

/// Bytes of a row of memory: a line of the cache.
const ROW: u64 = 128;
/// Rows that a picture has at most.
const MOST: usize = 33;
const LEFT: f64 = 44.0;
const CELL: f64 = (WIDTH - LEFT - 3.0) / 32.0;
const HEIGHT: f64 = 9.0;

/// Draws an access to global memory. `what` says which one it is.
pub(super) fn draw(kernel: &Kernel, access: &Access, what: &str) -> String {
    let (size, sector) = (access.bytes, kernel.sector);
    let mut svg = Svg::default();
    svg.heading(&kernel.name, what);
    let mut y = 22.0;
    numbers(&mut svg, LEFT, CELL, y + 9.0);
    svg.text((0.0, y + 20.0), Anchor::Start, "lane");
    y += 12.0;
    for lane in 0..32 {
        let (color, opacity) = match access.lanes >> lane & 1 {
            0 => (INK, 0.1),
            _ => (COLORS[lane / 8], 1.0),
        };
        let at = (LEFT + CELL * lane as f64 + 0.5, y);
        svg.rect(at, (CELL - 1.0, HEIGHT), color, opacity);
    }
    y += HEIGHT + 12.0;
    let at = |offset: u64| LEFT + CELL * 32.0 * (offset % ROW) as f64 / ROW as f64;
    let sectors = sectors(access, sector);
    let mut rows: Vec<u64> = sectors.iter().map(|of| of * sector / ROW).collect();
    rows.dedup();
    for (i, row) in rows.iter().take(MOST).enumerate() {
        if i == 0 || i + 1 == rows.len().min(MOST) || rows.len() < 10 {
            svg.text(
                (LEFT - 4.0, y + HEIGHT - 0.5),
                Anchor::End,
                &(row * ROW).to_string(),
            );
        }
        for of in sectors.iter().filter(|of| **of * sector / ROW == *row) {
            let width = at(sector - 1) - LEFT + CELL * 32.0 / ROW as f64;
            svg.rect((at(of * sector), y), (width - 0.8, HEIGHT), INK, 0.18);
        }
        for lane in lanes(access.lanes) {
            let offset = access.offsets[lane];
            for word in words(offset, size).filter(|(from, _)| from / ROW == *row) {
                let width = CELL * 32.0 * word.1 as f64 / ROW as f64 - 0.8;
                svg.rect((at(word.0), y), (width, HEIGHT), COLORS[lane / 8], 1.0);
            }
        }
        y += HEIGHT + 2.0;
    }
    if rows.len() > MOST {
        svg.text(
            (LEFT, y + 10.0),
            Anchor::Start,
            &format!(".. and {} more rows", rows.len() - MOST),
        );
        y += 12.0;
    }
    let verdict = verdict(access, sector);
    svg.text((0.0, y + 12.0), Anchor::Start, &verdict);
    let description = format!(
        "The 32 lanes of a warp above the sectors of {sector} bytes that they access. {verdict}."
    );
    svg.finish(
        (WIDTH, y + 18.0),
        &format!("{}: {what}", kernel.name),
        &description,
    )
}

/// Returns the sectors that lanes access, by number, in order.
fn sectors(access: &Access, sector: u64) -> Vec<u64> {
    let of_lane = |lane: usize| {
        let offset = access.offsets[lane];
        offset / sector..=(offset + access.bytes - 1) / sector
    };
    let mut sectors: Vec<u64> = lanes(access.lanes).flat_map(of_lane).collect();
    sectors.sort_unstable();
    sectors.dedup();
    sectors
}

/// Splits an access at the ends of rows: offsets and lengths.
fn words(offset: u64, size: u64) -> impl Iterator<Item = (u64, u64)> {
    let cut = (offset / ROW + 1) * ROW;
    let first = size.min(cut - offset);
    [(offset, first), (cut, size - first)]
        .into_iter()
        .filter(|(_, size)| *size != 0)
}

/// Returns the sentence below the picture.
fn verdict(access: &Access, sector: u64) -> String {
    let mut wanted: Vec<u64> = lanes(access.lanes)
        .map(|lane| access.offsets[lane])
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    let (wanted, moved) = (wanted.len() as u64 * access.bytes, access.passes * sector);
    let sectors = if access.passes == 1 {
        "sector"
    } else {
        "sectors"
    };
    let used = 100.0 * wanted as f64 / moved.max(1) as f64;
    let used = format!("{used:.1}");
    let used = used.trim_end_matches(".0");
    format!(
        "{} {sectors} moved, {moved} bytes, for {wanted} wanted: {used} %",
        access.passes
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(offset: impl Fn(u64) -> u64, passes: u64) -> Access {
        Access {
            bytes: 4,
            lanes: u32::MAX,
            passes,
            offsets: std::array::from_fn(|lane| offset(lane as u64)),
            ..Access::default()
        }
    }

    #[test]
    fn sectors_and_their_use_are_those_of_the_addresses() {
        let rows = [
            (
                access(|lane| lane * 4, 4),
                vec![0, 1, 2, 3],
                "4 sectors moved, 128 bytes, for 128 wanted: 100 %",
            ),
            (
                access(|lane| lane * 4 + 16, 5),
                vec![0, 1, 2, 3, 4],
                "5 sectors moved, 160 bytes, for 128 wanted: 80 %",
            ),
            (
                access(|_| 68, 1),
                vec![2],
                "1 sector moved, 32 bytes, for 4 wanted: 12.5 %",
            ),
        ];
        for (access, expected, said) in rows {
            assert_eq!(sectors(&access, 32), expected);
            assert_eq!(verdict(&access, 32), said);
        }
    }

    #[test]
    fn a_picture_has_a_box_for_each_lane_and_sector_and_each_accessed_word() {
        let kernel = Kernel {
            sector: 32,
            ..Kernel::default()
        };
        let boxes = |access| draw(&kernel, &access, "").matches("<rect").count();
        assert_eq!(boxes(access(|lane| lane * 4, 4)), 32 + 4 + 32);
        assert_eq!(boxes(access(|lane| lane * 128, 32)), 32 + 32 + 32);
    }

    #[test]
    fn an_access_over_the_end_of_a_row_is_two_boxes() {
        assert_eq!(words(120, 16).collect::<Vec<_>>(), [(120, 8), (128, 8)]);
        assert_eq!(words(112, 16).collect::<Vec<_>>(), [(112, 16)]);
    }
}
