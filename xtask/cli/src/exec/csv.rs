//! Counters with the names of Nsight Compute, in the form of its `ncu --csv --page raw`: a row of
//! names, a row of units, and a row for each kernel. Programs that read the one read the other.
//!
//! A row is the sum of all launches of a kernel, where `ncu` has a row for each launch. Columns of
//! `ncu` that the simulator knows nothing of are not there. Names, units and the form of numbers
//! are those of Nsight Compute 2025.3.1 on an H200 (2026-11-28).

use std::collections::BTreeSet;

use serde_json::Value;

/// Returns the text, from the driver's summary.
pub(super) fn text(summary: Option<&Value>) -> String {
    let kernels = summary.and_then(|summary| summary["kernels"].as_array());
    let kernels: Vec<&Value> = kernels.into_iter().flatten().collect();
    let device = summary.and_then(|summary| summary["device"].as_str());
    let metrics = kernels
        .iter()
        .filter_map(|kernel| kernel["ncu"].as_object());
    // `ncu` has no name for a sum of two metrics.
    let names = metrics
        .flat_map(|it| it.keys())
        .filter(|name| !name.contains('+'));
    let names: BTreeSet<&String> = names.collect();
    let fixed = ["ID", "Kernel Name", "device__attribute_display_name"];
    let names = || names.iter().map(|name| name.as_str());
    let mut text = line(fixed.into_iter().chain(names()));
    text += &line(fixed.map(|_| "").into_iter().chain(names().map(unit)));
    for (id, kernel) in kernels.iter().enumerate() {
        let id = id.to_string();
        let name = kernel["kernel"].as_str().unwrap_or_default();
        let head = [id.as_str(), name, device.unwrap_or_default()];
        // A metric without a value has an empty cell.
        let values = names().map(|name| match &kernel["ncu"][name] {
            Value::Number(value) => value.as_f64().map_or(String::new(), number),
            _ => String::new(),
        });
        let cells = head.map(str::to_owned).into_iter().chain(values);
        text += &line(cells);
    }
    text
}

/// Returns the unit that `ncu` gives a metric.
fn unit(name: &str) -> &'static str {
    match name {
        _ if name.ends_with(".pct") => "%",
        _ if name.contains("inst_executed") => "inst",
        _ if name.contains("sectors") => "sector",
        _ => "",
    }
}

/// Returns a number with a comma between thousands, and two digits of a fraction.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, "00"));
    let mut grouped = String::new();
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match fraction {
        "00" => grouped,
        _ => grouped + "." + fraction,
    }
}

fn line<S: AsRef<str>>(cells: impl Iterator<Item = S>) -> String {
    let quoted = cells.map(|cell| format!("\"{}\"", cell.as_ref().replace('"', "\"\"")));
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_kernel_is_a_row_below_names_and_units() {
        let summary = json!({ "device": "NVIDIA H200", "kernels": [{
            "kernel": "add", "ncu": {
                "smsp__inst_executed.sum": 1234567.0, "b.pct": 12.345, "c.ratio": null, "d + e": 1.0,
            },
        }]});
        assert_eq!(
            text(Some(&summary)),
            "\"ID\",\"Kernel Name\",\"device__attribute_display_name\",\"b.pct\",\"c.ratio\",\"smsp__inst_executed.sum\"\n\
             \"\",\"\",\"\",\"%\",\"\",\"inst\"\n\
             \"0\",\"add\",\"NVIDIA H200\",\"12.35\",\"\",\"1,234,567\"\n"
        );
    }
}
