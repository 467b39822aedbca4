//! `--plot DIR`: a pattern over its range, as an SVG chart.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use lanewise_patterns::sweep::{self, Series, Sweep};
use lanewise_patterns::timeline;
use lanewise_patterns::{Pattern, Setup};
use lanewise_svg::{Anchor, COLORS, INK, Svg, WIDTH};

/// Runs the pattern over its range and draws it. The file's path.
pub(crate) fn draw(
    device: &lanewise::Device,
    pattern: &Pattern,
    setup: Setup,
    folder: &Path,
) -> Result<PathBuf> {
    let sweep = Sweep::of(pattern).with_context(|| {
        let known: Vec<_> = sweep::names().collect();
        format!(
            "`{}` has no range to plot; these have: {}",
            pattern.name,
            known.join(", ")
        )
    })?;
    let spinner = ProgressBar::new_spinner();
    let series = sweep.run(device, pattern, setup, |what| {
        spinner.set_message(what.to_owned())
    })?;
    spinner.finish_and_clear();
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create `{}`", folder.display()))?;
    let path = folder.join(format!("{}.svg", pattern.name));
    let title = format!(
        "{} on {} ({}, {} times)",
        pattern.name,
        device.properties().name,
        device.backend(),
        device.backend().times()
    );
    let text = chart(&title, sweep, &series);
    std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(path)
}

/// The area of the curves: left, top, width and height.
const AREA: (f64, f64, f64, f64) = (40.0, 24.0, WIDTH - 48.0, 190.0);

/// The chart as SVG text: a curve for each variant, or a bar if the range is that of the variants.
fn chart(title: &str, sweep: &Sweep, series: &[Series]) -> String {
    let (left, top, width, height) = AREA;
    let bottom = top + height;
    let points = || series.iter().flat_map(|series| &series.points);
    let bars = sweep.is_of_variants();
    // Bars are drawn around their place, so they need room at both ends.
    let margin = if bars { 0.5 } else { 0.0 };
    let from = points().map(|point| point.0).fold(f64::INFINITY, f64::min) - margin;
    let to = points().map(|point| point.0).fold(from + 1.0, f64::max) + margin;
    let most = points().map(|point| point.1).fold(1e-3, f64::max) * 1.05;
    let x = |value: f64| left + width * (value - from) / (to - from);
    let y = |value: f64| bottom - height * value / most;
    let mut svg = Svg::default();
    svg.text((0.0, 14.0), Anchor::Start, "GB/s");
    for tick in ticks(most) {
        svg.line((left, y(tick)), (left + width, y(tick)), INK, 0.2);
        svg.text((left - 5.0, y(tick) + 4.0), Anchor::End, &format!("{tick}"));
    }
    svg.line((left, bottom), (left + width, bottom), INK, 1.0);
    let mut end = bottom + 16.0;
    for (index, series) in series.iter().enumerate() {
        let color = COLORS[if bars { 0 } else { index % COLORS.len() }];
        if bars {
            for &(at, value) in &series.points {
                let (first, last) = (x(at - 0.35), x(at + 0.35));
                svg.rect(
                    (first, y(value)),
                    (last - first, bottom - y(value)),
                    color,
                    1.0,
                );
                let name = series.name.rsplit('_').next().unwrap_or_default();
                svg.text((x(at), end), Anchor::Middle, name);
            }
            continue;
        }
        for two in series.points.windows(2) {
            let ends = [two[0], two[1]].map(|(at, value)| (x(at), y(value)));
            svg.line(ends[0], ends[1], color, 2.0);
        }
    }
    if !bars {
        for tick in ticks(to).filter(|tick| *tick >= from) {
            svg.text((x(tick), end), Anchor::Middle, &format!("{tick}"));
        }
    }
    end += 16.0;
    svg.text((left + width / 2.0, end), Anchor::Middle, sweep.of);
    for (index, series) in series.iter().enumerate().filter(|_| !bars) {
        end += 16.0;
        svg.rect(
            (left, end - 9.0),
            (10.0, 10.0),
            COLORS[index % COLORS.len()],
            1.0,
        );
        svg.text((left + 14.0, end), Anchor::Start, series.name);
    }
    let description = format!("Bandwidth in GB/s over {}, from {from} to {to}.", sweep.of);
    svg.finish((WIDTH, end + 6.0), title, &description)
}

/// Returns round numbers from 0 up to `most`, five to twelve of them.
fn ticks(most: f64) -> impl Iterator<Item = f64> {
    let step = timeline::step(most);
    (0..)
        .map(move |i| f64::from(i) * step)
        .take_while(move |tick| *tick <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_its_title_its_axes_and_a_curve_for_each_variant() {
        let pattern = lanewise_patterns::find("misaligned_read").expect("it is in the catalog");
        let sweep = Sweep::of(pattern).expect("it has a range");
        let series = [("one", 4.0), ("two", 5.0)].map(|(name, y)| Series {
            name,
            points: vec![(0.0, y), (1.0, y + 1.0)],
        });
        let text = chart("a title", sweep, &series);
        for part in ["<svg", "a title", "GB/s", sweep.of, "one", "two", "<line"] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
    }

    #[test]
    fn shapes_of_blocks_are_bars_with_names() {
        let pattern = lanewise_patterns::find("grid_shape").expect("it is in the catalog");
        let sweep = Sweep::of(pattern).expect("it has a range");
        let series = ["sum_32x16", "sum_4x8"]
            .iter()
            .enumerate()
            .map(|(i, name)| Series {
                name,
                points: vec![(i as f64, 3.0)],
            });
        let text = chart("shapes", sweep, &series.collect::<Vec<_>>());
        assert!(text.contains("32x16") && text.contains("4x8"), "{text}");
        assert_eq!(text.matches("<rect").count(), 2, "a bar each: {text}");
    }
}
