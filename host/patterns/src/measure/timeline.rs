//! Timelines: pictures of the trace of each variant of a pattern. Streams are rows, and copies and
//! kernels are bars. The rows above them show the host's calls.
//!
//! The trace (`lanewise::trace`) contains a range for each run of a variant. A [`Panel`] shows the
//! last such range, with the work of the streams in it.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use lanewise_svg::{Anchor, COLORS, INK, Svg, WIDTH};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A variant's run: times are in microseconds from its beginning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// The name of the variant that is shown.
    pub name: String,
    /// The duration of the run, in microseconds.
    pub length: f64,
    /// The host's threads, then the streams of each device. Rows without work are left out.
    pub rows: Vec<TimelineRow>,
}

/// A thread or a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimelineRow {
    /// `host`, `stream 1`, `default stream`.
    pub name: String,
    /// The work of the thread or stream, in order.
    pub bars: Vec<Bar>,
}

/// A call, a copy or a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// The name of the work: the kernel's name, `copy to device`.
    pub name: String,
    /// The kind of the work.
    pub kind: BarKind,
    /// The begin of the work, in microseconds from the beginning of the run.
    pub start: f64,
    /// The end of the work, in microseconds from the beginning of the run.
    pub end: f64,
}

/// The kind of work that a bar shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BarKind {
    /// A call of the driver by the host.
    Call,
    /// A copy to the device.
    CopyIn,
    /// A kernel that ran.
    Kernel,
    /// A copy from the device.
    CopyOut,
    /// Another copy, or a memset.
    Move,
    /// A host function that a stream called.
    Host,
}

impl BarKind {
    const ALL: [Self; 6] = [
        Self::Call,
        Self::CopyIn,
        Self::Kernel,
        Self::CopyOut,
        Self::Move,
        Self::Host,
    ];

    fn of(category: &str, name: &str) -> Option<Self> {
        Some(match (category, name) {
            ("call", _) => Self::Call,
            ("kernel" | "graph", _) => Self::Kernel,
            ("copy", "copy to device") => Self::CopyIn,
            ("copy", "copy to host") => Self::CopyOut,
            ("copy" | "set", _) => Self::Move,
            ("host", _) => Self::Host,
            _ => return None,
        })
    }

    /// Returns the text for the legend.
    fn words(self) -> &'static str {
        match self {
            Self::Call => "host call",
            Self::CopyIn => "copy to device",
            Self::Kernel => "kernel",
            Self::CopyOut => "copy to host",
            Self::Move => "copy on devices, set",
            Self::Host => "host function",
        }
    }

    /// Returns the colour.
    fn color(self) -> &'static str {
        match self {
            Self::Call => COLORS[7],
            Self::CopyIn => COLORS[4],
            Self::Kernel => COLORS[0],
            Self::CopyOut => COLORS[1],
            Self::Move => COLORS[2],
            Self::Host => COLORS[3],
        }
    }
}

/// One event of the trace.
struct Event<'a> {
    device: u64,
    track: u64,
    category: &'a str,
    name: &'a str,
    start: f64,
    end: f64,
}

/// Returns the panels of a trace: the last range with each of these names, in this order. Names
/// that did not run are left out.
pub fn panels(trace: &Value, names: &[&str]) -> Vec<Panel> {
    let all = trace["traceEvents"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let mut tracks: BTreeMap<(u64, u64), &str> = BTreeMap::new();
    let mut events: Vec<Event<'_>> = Vec::new();
    for event in all {
        let place = (
            event["pid"].as_u64().unwrap_or(0),
            event["tid"].as_u64().unwrap_or(0),
        );
        match event["ph"].as_str() {
            Some("M") if event["name"] == "thread_name" => {
                tracks.insert(place, event["args"]["name"].as_str().unwrap_or(""));
            }
            Some("X") => {
                let start = event["ts"].as_f64().unwrap_or(0.0);
                events.push(Event {
                    device: place.0,
                    track: place.1,
                    category: event["cat"].as_str().unwrap_or(""),
                    name: event["name"].as_str().unwrap_or(""),
                    start,
                    end: start + event["dur"].as_f64().unwrap_or(0.0),
                });
            }
            _ => {}
        }
    }
    let devices = tracks
        .keys()
        .map(|(device, _)| device)
        .max()
        .map_or(1, |last| last + 1);
    let range = |name: &&str| {
        let of_name = |event: &&Event<'_>| event.category == "range" && event.name == *name;
        events
            .iter()
            .filter(of_name)
            .max_by(|a, b| a.start.total_cmp(&b.start))
    };
    let ranges = names.iter().filter_map(range);
    ranges
        .map(|range| panel(range, &events, &tracks, devices))
        .collect()
}

/// Rounds to a nanosecond, so that bars that touch in the model touch in the picture.
fn nanosecond(microseconds: f64) -> f64 {
    (microseconds * 1e3).round() / 1e3
}

/// Returns the panel with the events in a range.
fn panel(
    range: &Event<'_>,
    events: &[Event<'_>],
    tracks: &BTreeMap<(u64, u64), &str>,
    devices: u64,
) -> Panel {
    let inside = |event: &&Event<'_>| {
        event.start >= range.start && event.end <= range.end && event.category != "range"
    };
    let mut rows: BTreeMap<(bool, u64, u64), Vec<Bar>> = BTreeMap::new();
    for event in events.iter().filter(inside) {
        let Some(kind) = BarKind::of(event.category, event.name) else {
            continue;
        };
        let is_stream = kind != BarKind::Call;
        let bars = rows
            .entry((is_stream, event.device, event.track))
            .or_default();
        bars.push(Bar {
            name: event.name.to_owned(),
            kind,
            start: nanosecond(event.start - range.start),
            end: nanosecond(event.end - range.start),
        });
    }
    let (mut streams, mut threads) = (BTreeMap::new(), BTreeMap::new());
    let rows = rows
        .into_iter()
        .map(|((is_stream, device, track), mut bars)| {
            bars.sort_by(|a, b| a.start.total_cmp(&b.start));
            // Calls that can't be distinguished in the picture become one bar, for example those of
            // a host that polls.
            let speck = (range.end - range.start) / 1000.0;
            bars.retain(|bar| bar.kind != BarKind::Call || bar.end > bar.start);
            bars.dedup_by(|later, earlier| {
                let is_speck = later.kind == BarKind::Call
                    && later.start - earlier.end < speck
                    && later.end - later.start < speck;
                if is_speck {
                    earlier.end = earlier.end.max(later.end);
                }
                is_speck
            });
            let counted = if is_stream {
                &mut streams
            } else {
                &mut threads
            };
            let number: &mut u64 = counted.entry(device).or_insert(0);
            let of_device = if devices > 1 {
                format!("device {device}, ")
            } else {
                String::new()
            };
            let name = match tracks.get(&(device, track)) {
                Some(name) if name.starts_with("default stream") => "default stream".to_owned(),
                _ => {
                    *number += 1;
                    match (is_stream, *number) {
                        (true, number) => format!("stream {number}"),
                        (false, 1) => "host".to_owned(),
                        (false, number) => format!("host, thread {number}"),
                    }
                }
            };
            TimelineRow {
                name: format!("{of_device}{name}"),
                bars,
            }
        });
    Panel {
        name: range.name.to_owned(),
        length: nanosecond(range.end - range.start),
        rows: rows.collect(),
    }
}

/// The height of a row: its name, and the bars below it.
const ROW: f64 = 28.0;
const BAR: f64 = 13.0;
const TITLE: f64 = 22.0;
/// The height of a line of the legend, and the width of each of its columns.
const LEGEND: (f64, f64) = (16.0, WIDTH / 3.0);
/// Room on both sides for the axis' numbers.
const SIDE: f64 = 8.0;

/// Draws the panels one below another, at one scale, as SVG. `times` describes the source of the
/// times: `modelled` or `measured`.
///
/// # Errors
/// An error if there is nothing to draw.
pub fn draw(panels: &[Panel], times: &str) -> Result<String> {
    let longest = panels
        .iter()
        .fold(0.0, |longest: f64, panel| longest.max(panel.length));
    ensure!(longest > 0.0, "no variant has run, so there is no timeline");
    let x = |time: f64| SIDE + time / longest * (WIDTH - 2.0 * SIDE);
    let mut svg = Svg::default();
    let mut y = legend(&mut svg, panels);
    for panel in panels {
        let title = format!("{}: {:.1} us", panel.name, panel.length);
        svg.text((0.0, y + 16.0), Anchor::Start, &title);
        svg.line((0.0, y + 20.0), (WIDTH, y + 20.0), INK, 0.5);
        y += TITLE;
        for row in &panel.rows {
            svg.text((SIDE, y + 11.0), Anchor::Start, &row.name);
            svg.rect((SIDE, y + 14.0), (WIDTH - 2.0 * SIDE, BAR), INK, 0.08);
            for bar in &row.bars {
                // A gap keeps bars apart that follow one another.
                let width = (x(bar.end) - x(bar.start) - 0.6).max(0.8);
                svg.rect(
                    (x(bar.start), y + 14.0),
                    (width, BAR),
                    bar.kind.color(),
                    1.0,
                );
            }
            y += ROW;
        }
        y += 6.0;
    }
    svg.line((SIDE, y), (WIDTH - SIDE, y), INK, 1.0);
    let step = step(longest);
    let mut tick = 0.0;
    while tick <= longest {
        svg.line((x(tick), y), (x(tick), y + 4.0), INK, 1.0);
        svg.text((x(tick), y + 15.0), Anchor::Middle, &format!("{tick}"));
        tick += step;
    }
    let unit = format!("time in us, {times}");
    svg.text((WIDTH / 2.0, y + 30.0), Anchor::Middle, &unit);
    let lengths = panels
        .iter()
        .map(|panel| format!("{} takes {:.1} us", panel.name, panel.length));
    let lengths: Vec<String> = lengths.collect();
    let description = format!(
        "Streams and host threads as rows, copies and kernels as bars, time from left to right. {}.",
        lengths.join(", ")
    );
    Ok(svg.finish((WIDTH, y + 36.0), "Timeline", &description))
}

/// Draws the legend of the kinds of work that there are, and returns where it ends.
fn legend(svg: &mut Svg, panels: &[Panel]) -> f64 {
    let bars = || {
        panels
            .iter()
            .flat_map(|panel| &panel.rows)
            .flat_map(|row| &row.bars)
    };
    let kinds = BarKind::ALL
        .into_iter()
        .filter(|kind| bars().any(|bar| bar.kind == *kind));
    let mut lines = 0;
    for (i, kind) in kinds.enumerate() {
        let (x, y) = (LEGEND.1 * (i % 3) as f64, LEGEND.0 * (i / 3) as f64);
        svg.rect((x, y + 2.0), (10.0, 10.0), kind.color(), 1.0);
        svg.text((x + 14.0, y + 11.0), Anchor::Start, kind.words());
        lines = i / 3 + 1;
    }
    LEGEND.0 * lines as f64
}

/// Returns a round number that fits 5 to 12 times into `longest`, for the marks of an axis.
pub fn step(longest: f64) -> f64 {
    let power = 10f64.powf((longest / 5.0).log10().floor());
    let fits = [5.0, 2.0]
        .into_iter()
        .find(|factor| longest / (factor * power) >= 5.0);
    power * fits.unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn trace() -> Value {
        let bar = |tid: u64, category: &str, name: &str, start: f64, duration: f64| json!({ "ph": "X", "pid": 0, "tid": tid, "cat": category, "name": name, "ts": start, "dur": duration });
        let track = |tid: u64, name: &str| json!({ "ph": "M", "name": "thread_name", "pid": 0, "tid": tid, "args": { "name": name } });
        json!({ "traceEvents": [
            track(1, "host thread 1"), track(2, "default stream, context 0x1"), track(3, "stream 0x10"), track(4, "stream 0x11"),
            bar(1, "range", "first", 100.0, 50.0), bar(1, "call", "cuLaunchKernel", 101.0, 1.5),
            bar(3, "copy", "copy to device", 105.0, 10.0), bar(4, "kernel", "advance", 115.0, 20.0),
            bar(2, "copy", "copy to host", 135.0, 5.0), bar(3, "kernel", "before", 10.0, 5.0),
            bar(1, "range", "second", 200.0, 10.0), bar(3, "host", "host function", 201.0, 0.0),
        ] })
    }

    #[test]
    fn a_panel_has_what_its_range_has() {
        let panels = panels(&trace(), &["second", "first", "third"]);
        let names: Vec<&str> = panels.iter().map(|panel| panel.name.as_str()).collect();
        assert_eq!(names, ["second", "first"]);
        let rows: Vec<&str> = panels[1].rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(rows, ["host", "default stream", "stream 1", "stream 2"]);
        let kernel = &panels[1].rows[3].bars[0];
        assert_eq!(
            (kernel.kind, kernel.start, kernel.end),
            (BarKind::Kernel, 15.0, 35.0)
        );
    }

    #[test]
    fn a_timeline_is_an_svg_with_every_row_and_what_nothing_ran_in_is_refused() {
        let svg = draw(&panels(&trace(), &["first"]), "modelled").expect("there is a panel");
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
            "{svg}"
        );
        for text in [
            "first: 50.0 us",
            "default stream",
            "stream 2",
            "time in us, modelled",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(draw(&[], "modelled").is_err());
    }

    #[test]
    fn ticks_are_round_and_few() {
        for longest in [0.7, 1.0, 5.0, 9.9, 47.0, 100.0, 12345.0] {
            let count = longest / step(longest);
            assert!((4.99..=12.5).contains(&count), "{longest}: {count}");
        }
    }
}
