//! Data flow, step by step: `tree` for what threads add to elements in memory, `butterfly` for
//! what lanes read by shuffles.
//!
//! Both have a row of places for each step, and a line from each place to the one that its value
//! goes to.

use std::collections::BTreeMap;

use super::phases::is_barrier;
use super::record::{Access, Kernel, Step, lanes};
use lanewise_svg::{Anchor, COLORS, INK, Svg, WIDTH};

const LEFT: f64 = 8.0;
/// The height of a step: its name, and the lines of its values.
const STEP: f64 = 44.0;
const LINES: f64 = 22.0;

/// Where values go in one step: from place to place.
#[derive(Debug, Default, PartialEq, Eq)]
struct Level {
    name: String,
    edges: Vec<(usize, usize)>,
}

/// Draws what the threads of a block add to the first elements of the array that they store to.
pub(super) fn tree(kernel: &Kernel, block: u64, elements: usize, what: &str) -> String {
    picture(
        kernel,
        &levels(kernel, block, elements),
        elements,
        what,
        "element",
    )
}

/// Draws what the lanes of a warp read from each other.
pub(super) fn butterfly(kernel: &Kernel, steps: &[&Step], what: &str) -> String {
    let shuffles = steps.iter().filter_map(|step| {
        let sources = step.sources?;
        let edges = lanes(step.lanes).map(|lane| (sources[lane] as usize, lane));
        Some(Level {
            name: kernel.place(step),
            edges: edges.filter(|(from, to)| from != to).collect(),
        })
    });
    picture(kernel, &shuffles.collect::<Vec<_>>(), 32, what, "lane")
}

fn picture(kernel: &Kernel, levels: &[Level], places: usize, what: &str, of: &str) -> String {
    let mut svg = Svg::default();
    svg.heading(&kernel.name, what);
    let cell = (WIDTH - 2.0 * LEFT) / places as f64;
    let x = |place: usize| LEFT + cell * (place as f64 + 0.5);
    let top = 48.0;
    for place in 0..places {
        // Numbers have some 15 units of room.
        if places <= 16 || place % 4 == 0 {
            svg.text((x(place), 28.0), Anchor::Middle, &place.to_string());
        }
    }
    let mut y = top;
    for (i, level) in levels.iter().enumerate() {
        let color = COLORS[[0, 5, 2, 3, 1, 4][i % 6]];
        svg.text((LEFT, y - 6.0), Anchor::Start, &level.name);
        for &(from, to) in &level.edges {
            svg.line((x(from), y), (x(to), y + LINES), color, 1.2);
        }
        for place in 0..places {
            svg.line((x(place), y), (x(place), y + LINES), INK, 0.25);
            svg.dot((x(place), y), 1.6, INK);
        }
        for &(_, to) in &level.edges {
            svg.dot((x(to), y + LINES), 2.6, color);
        }
        y += STEP;
    }
    let moved: usize = levels.iter().map(|level| level.edges.len()).sum();
    let steps = match levels.len() {
        1 => "1 step".to_owned(),
        many => format!("{many} steps"),
    };
    let verdict = format!("{steps}, {moved} values taken from another {of}");
    svg.text((0.0, y - 8.0), Anchor::Start, &verdict);
    let description = format!(
        "{places} {of}s from left to right, steps from top to bottom; a line leads from where a value is read to where it is added. {verdict}."
    );
    svg.finish(
        (WIDTH, y + 4.0),
        &format!("{}: {what}", kernel.name),
        &description,
    )
}

/// Returns the steps in which threads combine elements. An element of a store gets what its thread
/// has loaded since its last store.
fn levels(kernel: &Kernel, block: u64, elements: usize) -> Vec<Level> {
    let in_block = || kernel.steps.iter().filter(|step| step.block == block);
    let stores = || {
        in_block()
            .flat_map(|step| &step.accesses)
            .filter(|access| access.kind == "store")
    };
    // The array in which elements are combined is the one with the most stores.
    let mut counts: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    for access in stores() {
        *counts.entry(access.array).or_default() += 1;
    }
    let Some(array) = counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .map(|(array, _)| array)
    else {
        return Vec::new();
    };
    let in_array = |access: &&Access| access.array == array;
    let start = in_block()
        .flat_map(|step| &step.accesses)
        .filter(in_array)
        .flat_map(|access| lanes(access.lanes).map(|lane| access.offsets[lane]))
        .min()
        .unwrap_or(0);
    let element = |offset: u64, bytes: u64| (offset.wrapping_sub(start) / bytes) as usize;
    let mut loaded: BTreeMap<(u32, usize), Vec<usize>> = BTreeMap::new();
    let mut passed: BTreeMap<u32, usize> = BTreeMap::new();
    // The steps of a warp between two barriers are told apart by their order.
    let mut levels: BTreeMap<(usize, usize), Level> = BTreeMap::new();
    let mut since: BTreeMap<u32, usize> = BTreeMap::new();
    for step in in_block() {
        if is_barrier(kernel, step) {
            *passed.entry(step.warp).or_default() += 1;
            since.insert(step.warp, 0);
        }
        for access in step.accesses.iter().filter(in_array) {
            let phase = passed.get(&step.warp).copied().unwrap_or(0);
            let order = since.entry(step.warp).or_default();
            let mut edges = Vec::new();
            for lane in lanes(access.lanes) {
                let (thread, at) = (
                    (step.warp, lane),
                    element(access.offsets[lane], access.bytes),
                );
                if access.kind == "load" {
                    loaded.entry(thread).or_default().push(at);
                } else {
                    let sources = loaded.remove(&thread).unwrap_or_default();
                    edges.extend(
                        sources
                            .into_iter()
                            .filter(|from| *from != at)
                            .map(|from| (from, at)),
                    );
                }
            }
            edges.retain(|&(from, to)| from < elements && to < elements);
            if !edges.is_empty() {
                let level = levels.entry((phase, *order)).or_default();
                level.name = kernel.place(step);
                level.edges.extend(edges);
                *order += 1;
            }
        }
    }
    levels.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::record::Instruction;

    fn kernel(steps: Vec<Step>) -> Kernel {
        let instruction = |name: &str| Instruction {
            name: name.into(),
            line: None,
            stack: Vec::new(),
        };
        Kernel {
            block: [4, 1, 1],
            instructions: ["ld", "st", "bar.sync"].map(instruction).into(),
            steps,
            ..Kernel::default()
        }
    }

    fn access(instruction: usize, lanes: u32, offset: impl Fn(u64) -> u64) -> Step {
        Step {
            instruction,
            lanes,
            accesses: vec![Access {
                kind: ["load", "store"][instruction].into(),
                array: Some(0),
                bytes: 4,
                lanes,
                offsets: std::array::from_fn(|lane| offset(lane as u64)),
                ..Access::default()
            }],
            ..Step::default()
        }
    }

    #[test]
    fn a_store_gets_what_its_thread_loaded_before() {
        let barrier = || Step {
            instruction: 2,
            ..Step::default()
        };
        let steps = vec![
            access(0, 0b11, |lane| 64 + lane * 4),
            access(0, 0b11, |lane| 64 + lane * 4 + 8),
            access(1, 0b11, |lane| 64 + lane * 4),
            barrier(),
            access(0, 0b1, |_| 68),
            access(1, 0b1, |_| 64),
        ];
        let found: Vec<_> = levels(&kernel(steps), 0, 4)
            .into_iter()
            .map(|level| level.edges)
            .collect();
        assert_eq!(found, [vec![(2, 0), (3, 1)], vec![(1, 0)]]);
    }

    #[test]
    fn a_shuffle_is_a_step_from_lane_to_lane() {
        let shuffle = Step {
            lanes: u32::MAX,
            sources: Some(std::array::from_fn(|lane| lane as u32 ^ 16)),
            ..Step::default()
        };
        let picture = butterfly(&kernel(Vec::new()), &[&shuffle], "");
        assert!(
            picture.contains("1 step, 32 values taken from another lane"),
            "{picture}"
        );
    }
}
