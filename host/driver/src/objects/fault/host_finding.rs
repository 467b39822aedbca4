//! Findings in what the host does, rather than in a launch, and where they are reported.

use crate::error::Result;
use crate::objects::fault;
use crate::observe::{self, LaunchTerms, Observed};
use crate::settings::OnFinding;
use crate::{log, summary};
use lanewise_sim::Finding;

/// Tells a finding of the call that the calling thread is in: to its observers, to the summary, and
/// on stderr unless an observer wants none of it there. It is an error of that call already.
pub(crate) fn found(finding: Finding) {
    let terms = observe::now();
    if !terms.launches.quiet {
        log::found(&finding);
    }
    keep(&terms, vec![finding]);
}

/// Tells findings of an operation that was submitted on these terms.
///
/// # Errors
/// The fault that they are, where findings are to be that.
pub(crate) fn told(terms: &LaunchTerms, findings: Vec<Finding>) -> Result {
    if findings.is_empty() {
        return Ok(());
    }
    let outcome: Result = match terms.launches.on_finding {
        OnFinding::Fault => Err(fault::found(&findings)),
        OnFinding::Report if terms.launches.quiet => Ok(()),
        OnFinding::Report => {
            findings.iter().for_each(log::found);
            Ok(())
        }
    };
    keep(terms, findings);
    outcome
}

fn keep(terms: &LaunchTerms, findings: Vec<Finding>) {
    findings.iter().cloned().for_each(summary::found_on_host);
    terms.keep(&Observed {
        kernel: String::new(),
        counters: None,
        findings,
    });
}
