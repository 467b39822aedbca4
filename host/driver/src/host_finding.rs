//! Findings that are not a launch's: in what the host does. To whom they are told.

use crate::observe::{self, Observed};
use crate::{log, summary};
use lanewise_sim::Finding;

/// Tells a finding to the observers of the calling thread, to the summary, and on stderr unless an observer wants none of it there.
pub(crate) fn found(finding: Finding) {
    let terms = observe::now();
    if !terms.launches.quiet {
        log::found(&finding);
    }
    terms.keep(&Observed {
        kernel: String::new(),
        counters: None,
        findings: vec![finding.clone()],
    });
    summary::found_on_host(finding);
}
