//! The strict check of initialisation: the host reads memory of the device that nobody wrote.

use cust::sys;
use lanewise::checks::{Checking, Finding, FindingKind};
use tests::isolate::isolated;

/// Copies a new allocation to the host, and returns what the check found.
fn found(checking: Checking, write: bool) -> Vec<Finding> {
    let guard = checking.report().start();
    let (mut address, mut words) = (0, [0u32; 16]);
    let to = words.as_mut_ptr().cast();
    // SAFETY: both sides have this many bytes.
    let codes = unsafe {
        [
            sys::cuMemAlloc_v2(&mut address, 64) as u32,
            match write {
                true => sys::cuMemsetD8_v2(address, 1, 64) as u32,
                false => 0,
            },
            sys::cuMemcpyDtoH_v2(to, address, 64) as u32,
            sys::cuMemFree_v2(address) as u32,
        ]
    };
    assert_eq!(codes, [0; 4]);
    guard.findings()
}

#[test]
fn a_copy_to_the_host_of_what_nobody_wrote_is_a_finding() {
    if super::simulator().is_none() {
        return;
    }
    let name = "strict::a_copy_to_the_host_of_what_nobody_wrote_is_a_finding";
    let answer = isolated(name, || {
        let _ = tests::device();
        assert_eq!(found(Checking::strict_init(), true), []);
        assert_eq!(found(Checking::init(), false), []);
        let found = found(Checking::strict_init(), false);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(found[0].kind, FindingKind::UnwrittenRead);
        found[0].to_string()
    });
    let text = answer.text;
    assert!(
        text.starts_with("the host reads uninitialised memory of the device\n"),
        "{text}"
    );
    for part in [
        "= read by `cuMemcpyDtoH_v2`",
        "= 64 bytes were never written",
        "= the first is 0 bytes into allocation #",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
