//! `--plot DIR`: a pattern over its range, as an SVG chart.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use indicatif::ProgressBar;
use lanewise_patterns::sweep::{self, Series, Sweep};
use lanewise_patterns::{Pattern, Setup};
use plotters::prelude::*;

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
    let text = chart(&title, sweep, &series)?;
    std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(path)
}

/// The chart as SVG text.
fn chart(title: &str, sweep: &Sweep, series: &[Series]) -> Result<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (800, 440)).into_drawing_area();
        render(&area, title, sweep, series)
            .map_err(|error| anyhow!("cannot draw the chart: {error}"))?;
    }
    Ok(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type DrawResult =
    Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;

fn render(area: &Area<'_>, title: &str, sweep: &Sweep, series: &[Series]) -> DrawResult {
    let points = || series.iter().flat_map(|series| &series.points);
    let bars = sweep.is_of_variants();
    // Bars are drawn around their place, so they need room at both ends.
    let margin = if bars { 0.5 } else { 0.0 };
    let from = points().map(|point| point.0).fold(f64::INFINITY, f64::min) - margin;
    let to = points().map(|point| point.0).fold(from + 1.0, f64::max) + margin;
    let top = points().map(|point| point.1).fold(1e-3, f64::max) * 1.1;

    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(from..to, 0.0..top)?;
    let name = |x: &f64| {
        let variant = series.get(x.round() as usize);
        variant.map_or(String::new(), |series| {
            series
                .name
                .rsplit('_')
                .next()
                .unwrap_or_default()
                .to_owned()
        })
    };
    let number = |x: &f64| format!("{x:.0}");
    let x_label: &dyn Fn(&f64) -> String = if bars { &name } else { &number };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(sweep.of)
        .y_desc("GB/s")
        .x_labels(if bars { series.len() } else { 9 })
        .x_label_formatter(x_label)
        .draw()?;
    for (index, series) in series.iter().enumerate() {
        let color = Palette99::pick(if bars { 0 } else { index }).to_rgba();
        if bars {
            let bar = |&(x, y): &(f64, f64)| {
                Rectangle::new([(x - 0.35, 0.0), (x + 0.35, y)], color.filled())
            };
            chart.draw_series(series.points.iter().map(bar))?;
            continue;
        }
        chart
            .draw_series(LineSeries::new(
                series.points.iter().copied(),
                color.stroke_width(2),
            ))?
            .label(series.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    if !bars {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
    }
    area.present()
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
        let text = chart("a title", sweep, &series).expect("it can be drawn");
        for part in [
            "<svg",
            "a title",
            "GB/s",
            sweep.of,
            "one",
            "two",
            "<polyline",
        ] {
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
        let text = chart("shapes", sweep, &series.collect::<Vec<_>>()).expect("it can be drawn");
        assert!(text.contains("32x16") && text.contains("4x8"), "{text}");
        assert!(text.matches("<rect").count() > 2, "{text}");
    }
}
