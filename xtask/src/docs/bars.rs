//! The table of bars in the book: what each family of algorithms was to reach, and what it has.
//!
//! A line `{{#bar FAMILY | BAR: NAME .. | BAR: NAME ..}}` is a row of it. The names are rows of the
//! records ([`super::times`]). A bar is a number in their unit (`2718`), a part of one
//! (`95% of 41.3`), or a part of the library beside them (`95%`).

use anyhow::{Context, Result};
use lanewise_records::{Row, median};

use super::markdown;
use super::times::Records;

/// The text in a page before the family.
const MARK: &str = "{{#bar ";

/// Returns a page with the rows of its table of bars.
///
/// # Errors
/// If a mark does not end, a bar is none, or no record has a name with what it is compared with.
pub(super) fn inserted(page: &str, records: &Records) -> Result<String> {
    markdown::replaced(page, MARK, &mut |text| {
        row(text, records).with_context(|| format!("the bar {text}"))
    })
}

/// Returns the row of a family.
fn row(text: &str, records: &Records) -> Result<String> {
    let mut parts = text.split('|').map(str::trim);
    let family = parts.next().unwrap_or_default();
    let (mut bars, mut reached) = (Vec::new(), Vec::new());
    let (mut below, mut all) = (Vec::new(), 0);
    for part in parts {
        let (bar, names) = part.split_once(':').context("a bar has names")?;
        let mut had = Vec::new();
        let mut unit = "";
        for name in names.split_whitespace() {
            // A name of both records is the library's here, which comes last.
            let rows = records.rows().map(|(_, row)| row);
            let row = rows
                .filter(|row| row.name == name)
                .last()
                .with_context(|| format!("no record has `{name}`"))?;
            let compared = Compared::of(row, bar)?;
            if compared.has < compared.bar {
                below.push(format!("`{name}`"));
            }
            all += 1;
            had.push(compared.has);
            unit = compared.unit;
            let shown = compared.shown;
            if bars.last() != Some(&shown) {
                bars.push(shown);
            }
        }
        had.sort_by(f64::total_cmp);
        let (least, most) = (had.first().context("it has no names")?, had[had.len() - 1]);
        let digits = usize::from(*least < 100.0);
        let range = match format!("{least:.digits$}") {
            least if had.len() > 1 => format!("{least} to {most:.digits$}"),
            one => one,
        };
        reached.push(format!("{range} {unit}"));
    }
    let met = match below.len() {
        0 => "yes".to_owned(),
        1..=3 => format!("but for {}", below.join(", ")),
        few => format!("{} of {all}", all - few),
    };
    let (bars, reached) = (bars.join("; "), reached.join("; "));
    Ok(format!("| {family} | {bars} | {reached} | {met} |"))
}

/// A row beside its bar, both in the same unit.
struct Compared {
    has: f64,
    bar: f64,
    unit: &'static str,
    /// The bar as text.
    shown: String,
}

impl Compared {
    fn of(row: &Row, bar: &str) -> Result<Self> {
        let (part, whole) = match (bar.split_once("% of "), bar.strip_suffix('%')) {
            (Some((part, number)), _) => (part, Some(number)),
            (_, Some(part)) => (part, None),
            _ => ("100", Some(bar)),
        };
        let number = |text: &str| text.parse::<f64>().context("a bar is a number or a part");
        let percent = number(part)?;
        let (has, bar, unit, of) = if let Some(whole) = whole {
            let (has, unit) = row.value().context("a row has a rate")?;
            let bar = percent / 100.0 * number(whole)?;
            (has, bar, unit, format!("{whole} {unit}"))
        } else {
            let beside = row.beside.as_ref().context("no library is beside it")?;
            let (theirs, ours) = (median(&beside.milliseconds), row.time());
            let has = theirs.zip(ours).map(|(theirs, ours)| theirs / ours * 100.0);
            (
                has.context("a row has a time")?,
                percent,
                "%",
                beside.name.clone(),
            )
        };
        let shown = match part {
            "100" => of,
            _ => format!("{part} % of {of}"),
        };
        Ok(Self {
            has,
            bar,
            unit,
            shown,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn a_mark_becomes_a_row_of_bars_and_what_was_reached() -> Result<()> {
        let records = Records::read(workspace::root())?;
        let row = |bars: &str| inserted(&format!("{{{{#bar all | {bars}}}}}"), &records);
        let page = row("1: copy | 1%: sum_f32 | 50% of 2: sum_i32 max_f32")?;
        assert!(
            page.starts_with("| all | 1 GB/s; 1 % of CUB; 50 % of 2 GB/s | "),
            "{page}"
        );
        assert!(page.ends_with(" GB/s | yes |"), "{page}");
        let page = row("1e9: copy sum_f32 | 1: copy")?;
        assert!(page.ends_with(" | but for `copy`, `sum_f32` |"), "{page}");
        let page = row("1e9: copy copy copy copy | 1: copy")?;
        assert!(page.ends_with(" | 1 of 5 |"), "{page}");
        for wrong in ["copy", "1: copie", "much: copy", "9%: copy", "1:"] {
            assert!(row(wrong).is_err(), "{wrong}");
        }
        Ok(())
    }
}
