//! `order`: two accesses to one place, and what should order them, from the report of a race.
//!
//! The report is that of a wrong kernel (`tests/wrong/reports`), which a test compares with the
//! simulator's. Each thread is a line down which time goes.

use anyhow::{Context, Result};
use lanewise_svg::{Anchor, BAD, COLORS, GOOD, INK, Svg, WIDTH};

/// One of the two accesses of a report.
#[derive(Debug, PartialEq, Eq)]
struct Event {
    /// Either `write` or `read`.
    act: String,
    /// The instruction of the PTX, such as `ld.shared.b32`.
    instruction: String,
    /// The line of the source.
    line: String,
    /// `block (0,0,0), thread (1,0,0)`.
    thread: String,
}

/// The first race of a report.
#[derive(Debug, PartialEq, Eq)]
struct Race {
    kernel: String,
    earlier: Event,
    later: Event,
    /// The place in memory.
    place: String,
}

/// Draws the first race of a report.
pub(super) fn draw(report: &str) -> Result<String> {
    let race = Race::read(report).context("the report is not that of a race")?;
    let mut svg = Svg::default();
    let column = [WIDTH * 0.25, WIDTH * 0.75];
    for (x, event) in column.iter().zip([&race.earlier, &race.later]) {
        let (block, thread) = event.thread.split_once(", ").unwrap_or(("", &event.thread));
        svg.text((*x, 13.0), Anchor::Middle, thread);
        svg.text((*x, 27.0), Anchor::Middle, block);
        svg.line((*x, 34.0), (*x, 150.0), INK, 1.0);
    }
    for (x, y, event) in [
        (column[0], 48.0, &race.earlier),
        (column[1], 108.0, &race.later),
    ] {
        let color = if event.act == "read" { GOOD } else { COLORS[1] };
        let (w, h) = (150.0, 34.0);
        svg.rect((x - w / 2.0, y), (w, h), "var(--bg, white)", 1.0);
        svg.rect((x - w / 2.0, y), (w, h), color, 0.25);
        svg.frame((x - w / 2.0, y), (w, h), color);
        let said = format!("{}, line {}", event.act, event.line);
        svg.text((x, y + 14.0), Anchor::Middle, &said);
        svg.text((x, y + 28.0), Anchor::Middle, &event.instruction);
    }
    svg.line(
        (column[0] + 75.0, 65.0),
        (column[1] - 75.0, 125.0),
        BAD,
        2.0,
    );
    svg.text(
        (WIDTH / 2.0 + 8.0, 92.0),
        Anchor::Start,
        "no happens-before edge",
    );
    svg.text((0.0, 172.0), Anchor::Start, &race.place);
    let description = format!(
        "Two threads of `{}`: a {} by {} and a {} by {}, of one place in memory. Nothing orders the two.",
        race.kernel, race.earlier.act, race.earlier.thread, race.later.act, race.later.thread
    );
    Ok(svg.finish(
        (WIDTH, 180.0),
        &format!("{}: data race", race.kernel),
        &description,
    ))
}

impl Race {
    /// Reads the report's first race.
    fn read(report: &str) -> Option<Self> {
        let first = report.split("\nrace:").next()?;
        let mut lines = first.lines();
        // `a read and a write of ..`: the earlier one comes first.
        let title = lines.next()?.strip_prefix("race: ")?;
        let later = title.split(' ').nth(4)?.to_owned();
        let at = lines.next()?;
        let note = |start: &str| {
            let mut notes = first
                .lines()
                .filter_map(|line| line.trim().strip_prefix("= "));
            notes.find_map(|note| note.strip_prefix(start).map(str::to_owned))
        };
        let kernel = note("kernel `")?;
        let (kernel, thread) = kernel.split_once("`, ")?;
        let (thread, _) = thread.split_once(", seed")?;
        let other = ["read", "write", "atomic"]
            .into_iter()
            .find_map(|act| Some((act, note(&format!("the {act} was at "))?)));
        let (act, other) = other?;
        let (there, other_thread) = other.split_once("), ")?;
        let other_thread = other_thread.split(';').next()?;
        let place = note("shared address ").map(|at| format!("shared memory, address {at}"));
        let place = place.or_else(|| note("address ").map(|at| format!("address {at}")))?;
        Some(Self {
            kernel: kernel.into(),
            earlier: Event::new(act, there, other_thread)?,
            later: Event::new(&later, at, thread)?,
            place,
        })
    }
}

impl Event {
    /// Reads `FILE:LINE (ptx line N, `INSTRUCTION`)`.
    fn new(act: &str, place: &str, thread: &str) -> Option<Self> {
        let (file, ptx) = place.trim().split_once(" (")?;
        Some(Self {
            act: act.into(),
            instruction: ptx.split('`').nth(1)?.into(),
            line: file.rsplit_once(':')?.1.into(),
            thread: thread.trim_end_matches(')').to_owned() + ")",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "race: a write and a read of shared memory that nothing orders
  --> tests/wrong/kernels/src/race/k.rs:19 (ptx line N, `ld.shared.b32`)
   = kernel `k`, block (0,0,0), thread (32,0,0), seed 0
   = the write was at tests/wrong/kernels/src/race/k.rs:17 (ptx line N, `st.shared.b32`), block (0,0,0), thread (1,0,0); it left 0x0
   = shared address 0x480, 4 bytes into `tile`
   = help: put a barrier
race: a second one";

    #[test]
    fn both_accesses_are_read_from_the_report() {
        let race = Race::read(REPORT).expect("it is a race");
        let event = |act: &str, instruction: &str, line: &str, thread: &str| Event {
            act: act.into(),
            instruction: instruction.into(),
            line: line.into(),
            thread: format!("block (0,0,0), thread ({thread},0,0)"),
        };
        assert_eq!(race.earlier, event("write", "st.shared.b32", "17", "1"));
        assert_eq!(
            race.place,
            "shared memory, address 0x480, 4 bytes into `tile`"
        );
        assert_eq!(race.kernel, "k");
        let picture = draw(REPORT).expect("it is drawn");
        assert!(picture.contains("write, line 17") && picture.contains("no happens-before edge"));
        assert!(draw("out of bounds: a read").is_err());
    }
}
