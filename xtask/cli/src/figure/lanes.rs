//! `lanes`: which lanes of a warp run, over time.
//!
//! Time goes down. A row is a stretch of instructions that the same lanes execute; the numbers
//! beside it are the lines of the source and the number of instructions.

use super::numbers;
use super::record::{Kernel, Step};
use lanewise_svg::{Anchor, COLORS, INK, Svg, WIDTH};

/// Rows that a picture has at most.
const MOST: usize = 48;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 36.0;
const CELL: f64 = (WIDTH - LEFT - RIGHT) / 32.0;
const HEIGHT: f64 = 13.0;

/// A stretch of instructions that the same lanes execute.
#[derive(Debug, PartialEq, Eq)]
struct Stretch {
    lanes: u32,
    count: usize,
    lines: Option<(u32, u32)>,
}

/// Draws the steps of one warp.
pub(super) fn draw(kernel: &Kernel, steps: &[&Step], exist: u32, what: &str) -> String {
    let stretches = stretches(kernel, steps);
    let mut svg = Svg::default();
    svg.heading(&kernel.name, what);
    let mut y = 20.0;
    svg.text((0.0, y + 10.0), Anchor::Start, "lines");
    svg.text((WIDTH, y + 10.0), Anchor::End, "instr.");
    numbers(&mut svg, LEFT, CELL, y + 10.0);
    y += 14.0;
    for stretch in stretches.iter().take(MOST) {
        if let Some((first, last)) = stretch.lines {
            let lines = if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            };
            svg.text((0.0, y + HEIGHT - 3.0), Anchor::Start, &lines);
        }
        svg.text(
            (WIDTH, y + HEIGHT - 3.0),
            Anchor::End,
            &stretch.count.to_string(),
        );
        for lane in (0..32).filter(|lane| exist >> lane & 1 != 0) {
            let (color, opacity) = match stretch.lanes >> lane & 1 {
                0 => (INK, 0.1),
                _ => (COLORS[0], 1.0),
            };
            let at = (LEFT + CELL * f64::from(lane) + 0.5, y);
            svg.rect(at, (CELL - 1.0, HEIGHT - 1.0), color, opacity);
        }
        y += HEIGHT;
    }
    if stretches.len() > MOST {
        let more = format!(".. and {} more stretches", stretches.len() - MOST);
        svg.text((LEFT, y + 11.0), Anchor::Start, &more);
        y += 13.0;
    }
    let verdict = verdict(&stretches, exist);
    svg.text((0.0, y + 12.0), Anchor::Start, &verdict);
    let description =
        format!("The lanes of a warp from left to right, time from top to bottom. {verdict}.");
    svg.finish(
        (WIDTH, y + 18.0),
        &format!("{}: {what}", kernel.name),
        &description,
    )
}

/// Merges neighbouring steps of the same lanes.
fn stretches(kernel: &Kernel, steps: &[&Step]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for step in steps {
        let instruction = kernel.instruction(step);
        // The guard of a branch says where lanes go, and all of them execute it.
        let jumps = ["bra", "ret", "exit"]
            .iter()
            .any(|name| instruction.name.starts_with(name));
        let lanes = if jumps { step.active } else { step.lanes };
        let line = instruction.line.filter(|line| *line != 0);
        let join = |lines: Option<(u32, u32)>| match (lines, line) {
            (Some((first, last)), Some(line)) => Some((first.min(line), last.max(line))),
            (lines, line) => lines.or(line.map(|line| (line, line))),
        };
        match stretches.last_mut().filter(|last| last.lanes == lanes) {
            Some(last) => {
                last.count += 1;
                last.lines = join(last.lines);
            }
            None => stretches.push(Stretch {
                lanes,
                count: 1,
                lines: join(None),
            }),
        }
    }
    stretches
}

/// Returns the sentence below the picture.
fn verdict(stretches: &[Stretch], exist: u32) -> String {
    let all: usize = stretches.iter().map(|stretch| stretch.count).sum();
    let lanes: usize = stretches
        .iter()
        .map(|stretch| stretch.count * stretch.lanes.count_ones() as usize)
        .sum();
    let used = 100 * lanes / (all * exist.count_ones() as usize).max(1);
    format!("{all} instructions, in which {used} % of the lanes work")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::record::Instruction;

    #[test]
    fn steps_of_the_same_lanes_are_one_stretch() {
        let instruction = |name: &str, line| Instruction {
            name: name.into(),
            line: Some(line),
            stack: Vec::new(),
        };
        let kernel = Kernel {
            instructions: vec![
                instruction("add", 3),
                instruction("bra", 4),
                instruction("mul", 9),
            ],
            ..Kernel::default()
        };
        let step = |instruction, lanes, active| Step {
            instruction,
            lanes,
            active,
            ..Step::default()
        };
        // A branch that lane 0 takes; then lane 0 alone, then lane 1 alone.
        let steps = [step(0, 3, 3), step(1, 1, 3), step(2, 1, 1), step(0, 2, 2)];
        let found = stretches(&kernel, &steps.iter().collect::<Vec<_>>());
        let stretch = |lanes, count, lines| Stretch {
            lanes,
            count,
            lines: Some(lines),
        };
        assert_eq!(
            found,
            [
                stretch(3, 2, (3, 4)),
                stretch(1, 1, (9, 9)),
                stretch(2, 1, (3, 3))
            ]
        );
        assert_eq!(
            verdict(&found, 3),
            "4 instructions, in which 75 % of the lanes work"
        );
    }
}
