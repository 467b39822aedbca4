//! Ladders in the book: kernels of one job from the first to the best, beside a library.
//!
//! A page contains `{{#ladder NAME ..}}`, with names of variants or algorithms in the order of the
//! rungs. It becomes a plot and a table. The times come from the records in the repository
//! ([`super::times`]). The bar that all are compared with is what the last one has beside it.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};
use lanewise_records::{Beside, Provenance, Row, Unit, duration, median};
use lanewise_svg::{Anchor, BAD, GOOD, INK, Svg, WIDTH};

use super::markdown;
use super::times::Records;

/// The text in a page before the names.
const MARK: &str = "{{#ladder ";

/// Returns a page with its ladders.
///
/// # Errors
/// If a mark does not end, or a ladder can't be made of its names.
pub(super) fn inserted(page: &str, records: &Records) -> Result<String> {
    markdown::replaced(page, MARK, &mut |names| {
        let ladder = Ladder::of(names, records).with_context(|| format!("the ladder {names}"))?;
        Ok(super::figures::figure(&[ladder.plot()], "") + &ladder.table())
    })
}

/// A rung: its name, its median in milliseconds and its record.
struct Rung<'a> {
    name: &'a str,
    time: f64,
    measured: &'a Provenance,
}

/// Kernels that do the same work.
struct Ladder<'a> {
    rungs: Vec<Rung<'a>>,
    /// What each of them moves or computes.
    work: (f64, Unit),
    /// What they are compared with: its name and its time.
    bar: (&'a str, f64),
}

impl<'a> Ladder<'a> {
    /// Returns the ladder of some names.
    ///
    /// # Errors
    /// If a name is in no record, they are different work, or the last has nothing beside it.
    fn of(names: &'a str, records: &'a Records) -> Result<Self> {
        let mut rungs = Vec::new();
        let mut last: Option<&Row> = None;
        for name in names.split_whitespace() {
            let work = last.map(|row| row.work);
            let (measured, row) = records
                .rows()
                .find(|(_, row)| row.name == name && work.is_none_or(|work| work == row.work))
                .with_context(|| format!("no record has `{name}`, or not of the same work"))?;
            let time = row.time().context("a row has a time")?;
            rungs.push(Rung {
                name,
                time,
                measured,
            });
            last = Some(row);
        }
        let Some(last) = last else {
            bail!("it has no names");
        };
        let work = last.work.context("its rows have no throughput")?;
        let beside: &Beside = last
            .beside
            .as_ref()
            .with_context(|| format!("`{}` has no library beside it", last.name))?;
        let bar = median(&beside.milliseconds).context("a library has a time")?;
        ensure!(bar > 0.0, "the library's time is not positive");
        Ok(Self {
            rungs,
            work,
            bar: (&beside.name, bar),
        })
    }

    fn rate(&self, time: f64) -> String {
        self.work.1.rate(self.work.0, time)
    }

    /// Draws a bar a rung. The line is the library.
    fn plot(&self) -> String {
        const ROW: f64 = 28.0;
        const TOP: f64 = 18.0;
        let best = self.rungs.iter().map(|rung| rung.time);
        let best = best.fold(self.bar.1, f64::min);
        // A bar is as long as its speed.
        let length = |time: f64| (WIDTH - 2.0) * best / time;
        let mut svg = Svg::default();
        let height = TOP + ROW * self.rungs.len() as f64;
        let line = length(self.bar.1);
        svg.line((line, 4.0), (line, height), BAD, 1.0);
        let label = format!("{} {}", self.bar.0, self.rate(self.bar.1));
        svg.text((line - 4.0, 12.0), Anchor::End, &label);
        for (at, rung) in self.rungs.iter().enumerate() {
            let y = TOP + ROW * at as f64;
            svg.text((0.0, y + 12.0), Anchor::Start, rung.name);
            // On the right of what the longest name takes, and on the left of the line.
            svg.text((line - 4.0, y + 12.0), Anchor::End, &self.rate(rung.time));
            svg.rect((0.0, y + 16.0), (length(rung.time), 8.0), GOOD, 1.0);
        }
        svg.line((0.0, TOP), (0.0, height), INK, 1.0);
        let last = self.rungs.last().map_or(self.bar.1, |rung| rung.time);
        let description = format!(
            "Throughput of each kernel; the last has {:.0} percent of {}.",
            self.bar.1 / last * 100.0,
            self.bar.0
        );
        svg.finish((WIDTH, height + 2.0), "a ladder", &description)
    }

    /// Returns the table in Markdown, and below it where and when it was measured.
    fn table(&self) -> String {
        let mut text = format!(
            "| rung | time | throughput | times the one before | percent of {} |\n| --- | --: | --: | --: | --: |\n",
            self.bar.0
        );
        let mut before: Option<f64> = None;
        for Rung { name, time, .. } in &self.rungs {
            let step = before.map_or_else(String::new, |before| format!("{:.2}", before / time));
            let percent = self.bar.1 / time * 100.0;
            let _ = writeln!(
                text,
                "| `{name}` | {} | {} | {step} | {percent:.0} |",
                duration(*time),
                self.rate(*time)
            );
            before = Some(*time);
        }
        let (name, bar) = self.bar;
        let _ = writeln!(
            text,
            "| {name} | {} | {} | | |\n",
            duration(bar),
            self.rate(bar)
        );
        let mut places: Vec<String> = Vec::new();
        for rung in &self.rungs {
            let place = rung.measured.to_string();
            if !places.contains(&place) {
                places.push(place);
            }
        }
        text + &places.join("; ") + "."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn a_mark_becomes_a_plot_and_a_table() -> Result<()> {
        let records = Records::read(workspace::root())?;
        let page = "Before\n\n{{#ladder reduce_interleaved reduce_unrolling8 sum_i32}}\n\nafter";
        let page = inserted(page, &records)?;
        assert!(page.contains("<figure class=\"drawn\">"), "{page}");
        assert!(page.contains("\n| `reduce_interleaved` | "), "{page}");
        assert!(page.contains("\n| CUB | "), "{page}");
        Ok(())
    }

    #[test]
    fn a_ladder_of_different_work_or_without_a_library_is_an_error() -> Result<()> {
        let records = Records::read(workspace::root())?;
        let wrong = [
            (
                "sum_i32 transpose_f32",
                "`transpose_f32`, or not of the same work",
            ),
            ("reduce_smem", "has no library beside it"),
            ("", "it has no names"),
        ];
        for (names, expected) in wrong {
            let error = inserted(&format!("{{{{#ladder {names}}}}}"), &records);
            let error = format!("{:#}", error.expect_err("it is refused"));
            assert!(error.contains(expected), "{error}");
        }
        Ok(())
    }
}
