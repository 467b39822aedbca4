//! Which operations overlap on the simulator, whose times are modelled. The tests read the trace,
//! span by span; it is the same in every run.

use lanewise_patterns::timeline::{Bar, BarKind, Panel, panels};
use lanewise_patterns::{Setup, run, streams};
use tests::agree::variant;
use tests::isolate::isolated_with;

/// One hardware queue for all streams, as Fermi had.
const FERMI: &[(&str, &str)] = &[("CUDA_DEVICE_MAX_CONNECTIONS", "1")];

/// Runs a variant in a process of its own that keeps a trace, and gives what it shows of it. `test`
/// is the calling test.
fn run_alone(
    test: &str,
    environment: &[(&str, &str)],
    variants: &[(&'static str, Setup)],
) -> Option<Vec<Panel>> {
    tests::simulator("what runs beside what", "its times are the machine's")?;
    let answer = isolated_with(environment, test, || {
        lanewise::trace::keep();
        for (name, setup) in variants {
            let outcome = run::run(&tests::device(), variant(name), *setup).expect("it runs");
            outcome.check.expect("it was compared").expect("it agrees");
        }
        let names: Vec<&str> = variants.iter().map(|(name, _)| *name).collect();
        let found = panels(&lanewise::trace::so_far(), &names);
        serde_json::to_string(&found).expect("panels are JSON")
    });
    let found: Vec<Panel> = serde_json::from_str(&answer.text).expect("the child's panels");
    assert_eq!(found.len(), variants.len());
    Some(found)
}

/// The kernels of each stream that has some.
fn kernels(panel: &Panel) -> Vec<Vec<&Bar>> {
    let kernels = panel.rows.iter().map(|row| {
        let of_row = row.bars.iter().filter(|bar| bar.kind == BarKind::Kernel);
        of_row.collect::<Vec<_>>()
    });
    kernels.filter(|bars| !bars.is_empty()).collect()
}

/// Returns whether two bars overlap for more than a moment.
fn overlap(a: &Bar, b: &Bar) -> bool {
    a.start.max(b.start) + 1e-3 < a.end.min(b.end)
}

/// How many pairs of kernels of neighbouring streams overlap.
fn neighbours(panel: &Panel) -> Vec<usize> {
    let streams = kernels(panel);
    let pairs = streams.windows(2).map(|two| {
        let both = two[0]
            .iter()
            .flat_map(|a| two[1].iter().map(move |b| (*a, *b)));
        both.filter(|(a, b)| overlap(a, b)).count()
    });
    pairs.collect()
}

fn schedules() -> [(&'static str, Setup); 3] {
    ["depth_first", "breadth_first", "thread_per_stream"].map(|name| (name, Setup::new(256, 1)))
}

#[test]
fn one_queue_makes_false_dependencies_depth_first_only() {
    let _turn = tests::turn();
    let test = "times::one_queue_makes_false_dependencies_depth_first_only";
    let Some(panels) = run_alone(test, FERMI, &schedules()[..2]) else {
        return;
    };
    // Depth first, a chain's first kernel is behind the last of the chain before: it starts with
    // that one, and nothing else overlaps.
    assert_eq!(neighbours(&panels[0]), [1; 3]);
    for two in kernels(&panels[0]).windows(2) {
        let (last, first) = (two[0][streams::scheduling::KERNELS - 1], two[1][0]);
        assert_eq!(first.start, last.start);
    }
    // Breadth first, all four chains run side by side.
    let all_beside: Vec<usize> = neighbours(&panels[1]);
    assert!(
        all_beside
            .iter()
            .all(|&pairs| pairs >= streams::scheduling::KERNELS),
        "{all_beside:?}"
    );
}

#[test]
fn several_queues_make_none_and_every_run_is_the_same() {
    let _turn = tests::turn();
    let test = "times::several_queues_make_none_and_every_run_is_the_same";
    let Some(first) = run_alone(test, &[], &schedules()) else {
        return;
    };
    for panel in &first {
        let pairs = neighbours(panel);
        assert!(
            pairs
                .iter()
                .all(|&pairs| pairs >= streams::scheduling::KERNELS),
            "{}: {pairs:?}",
            panel.name
        );
        let of_streams = kernels(panel);
        assert_eq!(
            of_streams.len(),
            streams::scheduling::STREAMS,
            "{}",
            panel.name
        );
        for chain in of_streams {
            assert!(
                chain.windows(2).all(|two| two[1].start >= two[0].end),
                "{}",
                panel.name
            );
        }
    }
    let again = run_alone(test, &[], &schedules()).expect("the simulator");
    // The order in which threads call is the host's; what comes of it is not.
    let spans = |panels: &[Panel]| -> Vec<Vec<(f64, f64)>> {
        let spans = |panel: &Panel| {
            let mut spans: Vec<_> = kernels(panel)
                .concat()
                .iter()
                .map(|bar| (bar.start, bar.end))
                .collect();
            spans.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            spans
        };
        panels.iter().map(spans).collect()
    };
    assert_eq!(spans(&first), spans(&again));
}

#[test]
fn the_default_stream_stands_between_blocking_streams_and_not_between_others() {
    let _turn = tests::turn();
    let test = "times::the_default_stream_stands_between_blocking_streams_and_not_between_others";
    let variants =
        ["default_stream_blocks", "non_blocking_streams"].map(|name| (name, Setup::new(256, 1)));
    let Some(panels) = run_alone(test, &[], &variants) else {
        return;
    };
    // In the order in which they ran.
    let spans = |panel: &Panel| {
        let mut all: Vec<Bar> = kernels(panel).concat().into_iter().cloned().collect();
        all.sort_by(|a, b| a.start.total_cmp(&b.start));
        assert_eq!(all.len(), 3);
        all
    };
    let [first, second, third] = &spans(&panels[0])[..] else {
        panic!("three kernels")
    };
    assert_eq!((second.start, third.start), (first.end, second.end));
    let [first, second, third] = &spans(&panels[1])[..] else {
        panic!("three kernels")
    };
    assert!(overlap(first, second) && overlap(second, third) && overlap(first, third));
}

#[test]
fn the_last_stream_starts_after_all_others_and_the_urgent_one_goes_next() {
    let _turn = tests::turn();
    let test = "times::the_last_stream_starts_after_all_others_and_the_urgent_one_goes_next";
    let variants =
        ["event_joins_streams", "stream_priority"].map(|name| (name, Setup::new(256, 1)));
    let Some(panels) = run_alone(test, &[], &variants) else {
        return;
    };
    let streams = kernels(&panels[0]);
    let (last, others) = streams.split_last().expect("streams");
    assert_eq!(others.len(), streams::dependencies::OTHERS);
    assert!(others.windows(2).all(|two| overlap(two[0][0], two[1][0])));
    let latest = others
        .iter()
        .map(|kernels| kernels[0].end)
        .fold(0.0, f64::max);
    assert_eq!(last[0].start, latest);

    let streams = kernels(&panels[1]);
    let (urgent, others) = streams.split_last().expect("streams");
    assert_eq!(others.len(), streams::dependencies::WAITING);
    // Those that had started by the time it came, one after another, and then it.
    let before = others
        .iter()
        .filter(|kernels| kernels[0].end <= urgent[0].start)
        .count();
    assert!(
        before < others.len() - 1,
        "{before} of {} ran before the urgent one",
        others.len()
    );
    let host = &panels[1].rows[0].bars;
    let launches: Vec<&Bar> = host
        .iter()
        .filter(|bar| bar.name == "cuLaunchKernel")
        .collect();
    let came = launches.last().expect("launches").end;
    let running = others
        .iter()
        .map(|kernels| kernels[0])
        .find(|bar| bar.start < came && came <= bar.end);
    assert_eq!(
        urgent[0].start,
        running.expect("the device is busy when it comes").end
    );
}

#[test]
fn a_staged_copy_takes_as_long_as_the_longer_of_copies_and_kernels() {
    let _turn = tests::turn();
    let test = "times::a_staged_copy_takes_as_long_as_the_longer_of_copies_and_kernels";
    let setup = Setup {
        by: Some(64),
        ..Setup::new(1 << 20, 1)
    };
    let Some(panels) = run_alone(test, &[], &[("staged_copy", setup)]) else {
        return;
    };
    let bars = || panels[0].rows.iter().flat_map(|row| &row.bars);
    let on_device = || bars().filter(|bar| bar.kind != BarKind::Call);
    let of = |kind: BarKind| on_device().filter(move |bar| bar.kind == kind);
    let (copies, kernels) = (busy(of(BarKind::CopyIn)), busy(of(BarKind::Kernel)));
    let start = on_device().map(|bar| bar.start).fold(f64::MAX, f64::min);
    let together = on_device().map(|bar| bar.end).fold(0.0, f64::max) - start;
    assert!(
        together <= 1.05 * copies.max(kernels) && together < 0.8 * (copies + kernels),
        "{together} us together, {copies} us of copies, {kernels} us of kernels"
    );
}

/// How long at least one of these is under way.
fn busy<'a>(bars: impl Iterator<Item = &'a Bar>) -> f64 {
    let mut bars: Vec<&Bar> = bars.collect();
    bars.sort_by(|a, b| a.start.total_cmp(&b.start));
    let (mut time, mut until) = (0.0, f64::MIN);
    for bar in bars {
        time += (bar.end - bar.start.max(until)).max(0.0);
        until = until.max(bar.end);
    }
    time
}
