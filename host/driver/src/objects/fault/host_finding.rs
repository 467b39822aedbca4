//! Findings in the host's actions, rather than in a launch, and where they are reported.

use crate::error::Result;
use crate::objects::fault;
use crate::observe::{self, LaunchTerms, Observed};
use crate::settings::OnFinding;
use crate::{log, summary};
use lanewise_sim::Finding;

/// Reports a finding in the calling thread's current call to its observers, to the summary, and on
/// stderr unless an observer is quiet. The call returns an error for it anyway.
pub(crate) fn found(finding: Finding) {
    let terms = observe::now();
    if !terms.launches.quiet {
        log::found(&finding);
    }
    keep(&terms, vec![finding]);
}

/// Reports findings in an operation that was submitted on these terms.
///
/// # Errors
/// Returns the fault made from the findings, if the terms make findings faults.
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
        notes: Vec::new(),
    });
}
