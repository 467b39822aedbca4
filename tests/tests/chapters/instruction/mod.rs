//! Chapter 6: instructions. Arithmetic to the last place, races, and every atomic.

mod aggregated;
mod atomics;
mod fma;
mod functions;
mod increment;
mod precision;
mod threshold;

use lanewise::checks::{self, Checking, FindingKind};
use lanewise_patterns::Setup;
use tests::agree::variant;

/// Asserts that the race check finds races in one variant, and none in the others.
#[track_caller]
fn assert_races_are_found_in(racy: &str, others: impl IntoIterator<Item = &'static str>) {
    let Some(device) = tests::simulator("races", "a GPU checks nothing") else {
        return;
    };
    let found = |name: &str| {
        let found = checks::of(&device, Checking::race(), || -> anyhow::Result<()> {
            let mut case = (variant(name).prepare)(&device, Setup::new(256, 1))?;
            case.launch(&device.stream()?)
        });
        let ((), found) = found.expect("it runs");
        let found = found.expect("the simulator checks");
        found.iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    let races = found(racy);
    let is_race = |kind: &FindingKind| *kind == FindingKind::Race;
    assert!(
        !races.is_empty() && races.iter().all(is_race),
        "{racy}: {races:?}"
    );
    for name in others {
        assert_eq!(found(name), [], "{name}");
    }
}
