//! `tiles`: which block, warp or thread accesses which element of an array.
//!
//! Elements are in rows of `columns`, as those of a matrix. The colour says whose they are.

use std::collections::BTreeMap;

use super::record::{Access, Kernel, lanes};
use lanewise_svg::{Anchor, COLORS, INK, Svg, WIDTH};

/// Rows that a picture has at most.
const MOST: u64 = 40;
const LEFT: f64 = 30.0;

/// Whose elements have one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Owner {
    /// A block of the grid.
    Block,
    /// A warp of a block.
    Warp,
    /// A lane of a warp.
    Lane,
    /// How often the thread has executed the instruction before: the trip of a loop.
    Trip,
}

/// Draws the elements that an instruction accesses.
pub(super) fn draw(
    kernel: &Kernel,
    (instruction, array): (usize, Option<usize>),
    (owner, columns): (Owner, u64),
    what: &str,
) -> String {
    let owners = owners(kernel, (instruction, array), owner);
    let rows = owners
        .keys()
        .map(|element| element / columns + 1)
        .max()
        .unwrap_or(0);
    let shown = rows.min(MOST);
    let width = (WIDTH - LEFT) / columns as f64;
    let height = width.clamp(3.0, 12.0);
    let mut svg = Svg::default();
    svg.heading(&kernel.name, what);
    let top = 20.0;
    for row in 0..shown {
        let y = top + height * row as f64;
        if row % (15.0 / height).ceil() as u64 == 0 {
            let first = (row * columns).to_string();
            svg.text((LEFT - 4.0, y + height.min(10.0)), Anchor::End, &first);
        }
        for column in 0..columns {
            let gap = if width > 5.0 { 0.8 } else { 0.0 };
            let (color, opacity) = match owners.get(&(row * columns + column)) {
                None => (INK, 0.1),
                Some(owner) => (COLORS[(*owner % COLORS.len() as u64) as usize], 1.0),
            };
            let at = (LEFT + width * column as f64, y);
            svg.rect(at, (width - gap, height - gap), color, opacity);
        }
    }
    let mut y = top + height * shown as f64 + 4.0;
    let (name, mut all) = (name(owner), owners.values().copied().collect::<Vec<_>>());
    all.sort_unstable();
    all.dedup();
    for (i, of) in all.iter().take(COLORS.len()).enumerate() {
        let at = (LEFT + 82.0 * (i % 4) as f64, y + 15.0 * (i / 4) as f64);
        svg.rect(
            at,
            (9.0, 9.0),
            COLORS[(*of % COLORS.len() as u64) as usize],
            1.0,
        );
        svg.text(
            (at.0 + 13.0, at.1 + 9.0),
            Anchor::Start,
            &format!("{name} {of}"),
        );
    }
    y += 15.0 * all.len().min(COLORS.len()).div_ceil(4) as f64;
    let mut verdict = format!(
        "{} elements in rows of {columns}, {} {name}s",
        owners.len(),
        all.len()
    );
    if all.len() > COLORS.len() {
        verdict += "; colours repeat";
    }
    svg.text((0.0, y + 11.0), Anchor::Start, &verdict);
    let description = format!(
        "The elements of an array, each in the colour of the {name} that accesses it. {verdict}."
    );
    svg.finish(
        (WIDTH, y + 17.0),
        &format!("{}: {what}", kernel.name),
        &description,
    )
}

/// Returns the word for an owner.
pub(super) fn name(owner: Owner) -> &'static str {
    match owner {
        Owner::Block => "block",
        Owner::Warp => "warp",
        Owner::Lane => "lane",
        Owner::Trip => "trip",
    }
}

/// Returns the number of the owner of each element.
fn owners(
    kernel: &Kernel,
    (instruction, array): (usize, Option<usize>),
    owner: Owner,
) -> BTreeMap<u64, u64> {
    let mut owners = BTreeMap::new();
    let mut trips: BTreeMap<(u64, u32, usize), u64> = BTreeMap::new();
    for step in kernel
        .steps
        .iter()
        .filter(|step| step.instruction == instruction)
    {
        let of_array = |access: &&Access| access.array == array;
        for access in step.accesses.iter().filter(of_array) {
            for lane in lanes(access.lanes) {
                let trip = trips.entry((step.block, step.warp, lane)).or_default();
                let of = match owner {
                    Owner::Block => step.block,
                    Owner::Warp => step.warp.into(),
                    Owner::Lane => lane as u64,
                    Owner::Trip => *trip,
                };
                *trip += 1;
                owners.insert(access.offsets[lane] / access.bytes.max(1), of);
            }
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::record::Step;

    #[test]
    fn each_element_belongs_to_who_accesses_it() {
        let step = |block, first: u64| Step {
            block,
            accesses: vec![Access {
                array: Some(0),
                bytes: 4,
                lanes: 0b11,
                offsets: std::array::from_fn(|lane| (first + lane as u64) * 4),
                ..Access::default()
            }],
            ..Step::default()
        };
        // Two blocks of two threads, which go over eight elements with a grid's stride.
        let kernel = Kernel {
            steps: vec![step(0, 0), step(0, 4), step(1, 2), step(1, 6)],
            ..Kernel::default()
        };
        let by = |owner| {
            owners(&kernel, (0, Some(0)), owner)
                .into_values()
                .collect::<Vec<_>>()
        };
        assert_eq!(by(Owner::Block), [0, 0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(by(Owner::Trip), [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(by(Owner::Lane), [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(by(Owner::Warp), [0; 8]);
    }
}
