//! The text of a race between two operations.

use super::host::Addresses;
use super::ticket::{FREE, PastOperation, submitted};
use lanewise_sim::checks::{Conflict, FindingKind};
use lanewise_sim::{FaultReport, Finding};

/// A race between two operations; `beside` says whether the later one was a dependent launch that
/// began before the other had ended.
pub(super) fn report(
    before: &PastOperation,
    now: &PastOperation,
    (conflict, beside): (Conflict, bool),
    addresses: Addresses,
) -> Finding {
    let verb = |past: &PastOperation, writes: bool| match (past.label.as_str(), writes) {
        (FREE, _) => FREE,
        (_, true) => "a write",
        (_, false) => "a read",
    };
    let by = match beside {
        true => "a kernel and the one behind it, which begins before it has ended",
        false => "operations that nothing orders",
    };
    let what = format!(
        "race: {} and {} of the same memory by {by}",
        verb(before, conflict.writes[0]),
        verb(now, conflict.writes[1])
    );
    let (place, note) = submitted(&now.ticket, &now.label, conflict.writes[1]);
    let (other, other_note) = submitted(&before.ticket, &before.label, conflict.writes[0]);
    let size = conflict.end - conflict.start;
    let s = if size == 1 { "" } else { "s" };
    let at = (addresses.describe)(conflict.start);
    let of_one_launch = before.ticket.graph_launch.is_some()
        && before.ticket.graph_launch == now.ticket.graph_launch;
    let help = match of_one_launch {
        _ if beside => {
            "let the second wait for the first (`griddepcontrol.wait`, `programmatic::wait`, `cudaGridDependencySynchronize`) before it touches the same memory"
        }
        true => {
            "add a dependency from the second node on the first; in a capture, let the second one's stream wait for an event recorded after the first"
        }
        false => {
            "put both into one stream, let the second one's stream wait for an event recorded after the first, or wait for the first"
        }
    };
    let report = FaultReport::of_host(
        what,
        place.or(other),
        vec![
            note,
            other_note,
            format!("both touch {size} byte{s}; the first {at}"),
        ],
        Some(help.into()),
    );
    Finding::new(FindingKind::Race, report)
}
