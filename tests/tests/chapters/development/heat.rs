//! The program that goes through the steps assess, parallelise, optimise and deploy: right at each
//! step, and better according to the counters.

use lanewise::counters::profilers::METRICS;
use lanewise_patterns::Setup;
use lanewise_patterns::development::heat::deploy::{BATCH, HeatError, settle};
use lanewise_patterns::development::heat::{PATTERN, Plate, SWEEPS, swept};
use tests::agree::agrees;
use tests::count::count;

fn plate(columns: usize, rows: usize) -> Setup {
    Setup {
        rows: Some(rows),
        ..Setup::new(columns, 1)
    }
}

#[test]
fn every_stage_agrees_with_the_cpu_to_the_last_bit() {
    for variant in PATTERN.variants {
        for (columns, rows) in [(0, 0), (1, 1), (3, 3), (33, 9), (64, 17), (31, 40)] {
            let setup = plate(columns, rows);
            assert_eq!(agrees(variant.name, setup), Ok(()), "{}", variant.name);
        }
    }
}

/// Returns the value of a metric, by nvprof's name.
fn metric(counters: &lanewise::counters::Counters, name: &str) -> f64 {
    let row = METRICS.iter().find(|row| row.nvprof == name);
    let value = (row.expect("a metric").ours)(counters);
    value.unwrap_or_else(|| panic!("{name}: nothing was counted"))
}

#[test]
fn each_stage_mends_what_the_counters_showed_of_the_one_before() {
    let size = 64;
    let count = |name| count(name, Setup::new(size, 1));
    let (Some(ported), Some(resident), Some(coalesced), Some(tiled)) = (
        count("parallelise"),
        count("optimise_resident"),
        count("optimise_coalesced"),
        count("optimise_tiled"),
    ) else {
        return;
    };
    // The copies are gone, and the kernel is the same.
    assert_eq!(ported, resident);
    // A sector for each lane; then four or, at the tile's edges, five for each warp.
    let per_request = |counters| metric(counters, "gld_transactions_per_request");
    assert!(per_request(&resident) > 25.0, "{}", per_request(&resident));
    assert!(per_request(&coalesced) < 5.0, "{}", per_request(&coalesced));
    assert!(metric(&resident, "gst_transactions_per_request") > 31.0);
    assert_eq!(metric(&coalesced, "gst_transactions_per_request"), 4.0);
    assert!(metric(&coalesced, "gld_efficiency") > 0.85);
    // Four loads of a cell become one, and a border of eighths.
    let bytes = |counters: &lanewise::counters::Counters| counters.global_loads.bytes as f64;
    let cells = (4 * size * size * SWEEPS) as f64;
    assert!(
        bytes(&coalesced) > 3.8 * cells,
        "{}",
        bytes(&coalesced) / cells
    );
    assert!(bytes(&tiled) < 1.4 * cells, "{}", bytes(&tiled) / cells);
    assert_eq!(
        (tiled.shared_loads.conflicts, tiled.shared_stores.conflicts),
        (0, 0)
    );
    for metric in METRICS {
        assert!((metric.ours)(&tiled).is_some(), "{}", metric.nvprof);
    }
}

/// The book's table has every metric, under both names.
#[test]
fn the_page_has_each_metric_by_its_names() {
    let page = include_str!("../../../../docs/src/development/heat.md");
    for row in METRICS {
        let names = row.ncu.split(" + ").chain(row.nvprof.split(" + "));
        for name in names {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}

#[test]
fn a_plate_comes_to_rest_and_one_that_does_not_is_told() {
    let device = tests::device();
    let start = Plate::new(24, 10);
    let settled = settle(&device, start.clone(), 1e-3, 10_000).expect("it comes to rest");
    assert!(settled.change <= 1e-3 && settled.sweeps.is_multiple_of(BATCH));
    assert_eq!(settled.plate, swept(start.clone(), settled.sweeps));
    match settle(&device, start.clone(), 0.0, 2 * BATCH + 5) {
        Err(HeatError::Unsettled { sweeps, change }) => {
            assert_eq!(sweeps, 2 * BATCH);
            assert!(change > 0.0);
        }
        other => panic!("{other:?}"),
    }
    let wrong = Plate { rows: 11, ..start };
    let error = settle(&device, wrong, 0.0, 100).expect_err("no plate");
    assert!(matches!(error, HeatError::Shape { .. }), "{error}");
}
