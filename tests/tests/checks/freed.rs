//! Memory that is used after it was freed: by a kernel and by calls of the host. The report names
//! where it was allocated and where it was freed.

use cust::launch;
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use cust::sys;
use lanewise::checks::{Checking, FindingKind};
use tests::isolate::isolated;

const PTX: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry fill(.param .u64 p) {\n\
    .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.global.u64 [%rd1+8], %rd1;\nret;\n}";

/// Allocates memory that another function frees.
#[inline(never)]
fn allocate() -> u64 {
    let mut address = 0;
    // SAFETY: the result has a place.
    assert_eq!(unsafe { sys::cuMemAlloc_v2(&mut address, 64) } as u32, 0);
    address
}

#[inline(never)]
fn free(address: u64) -> u32 {
    // SAFETY: any number may be asked to be freed; one that is none is an error.
    unsafe { sys::cuMemFree_v2(address) as u32 }
}

/// Returns the lines that name where memory was allocated and freed, in their order.
fn said(text: &str) {
    let parts = [
        "8 bytes into freed allocation #",
        "   = allocated by `cuMemAlloc_v2`",
        "     in `checks::freed::allocate`",
        "   = freed by `cuMemFree_v2`",
        "     in `checks::freed::free`",
    ];
    let mut rest = text;
    for part in parts {
        let at = rest.find(part);
        let at = at.unwrap_or_else(|| panic!("{part:?} is not in its place in\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn a_kernel_that_uses_freed_memory_is_told_who_freed_it() {
    if super::simulator().is_none() {
        return;
    }
    let name = "freed::a_kernel_that_uses_freed_memory_is_told_who_freed_it";
    let answer = isolated(name, || {
        let _ = tests::device();
        let _context = cust::quick_init().expect("a device was opened");
        let module = Module::from_ptx(PTX, &[]).expect("PTX");
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
        let _guard = Checking::memory().start();
        let old = allocate();
        assert_eq!(free(old), 0);
        // A new allocation does not take its place.
        assert_ne!(allocate(), old);
        // SAFETY: that the memory is not there is what this is about.
        unsafe { launch!(module.fill<<<1, 1, 0, stream>>>(old)) }.expect("a launch");
        assert!(stream.synchronize().is_err());
        lanewise_driver::last_message().unwrap_or_default()
    });
    assert!(
        answer.text.contains("8-byte write of freed memory"),
        "{}",
        answer.text
    );
    said(&answer.text);
}

#[test]
fn a_call_that_names_freed_memory_is_a_finding() {
    if super::simulator().is_none() {
        return;
    }
    let _ = tests::device();
    let guard = Checking::memory().report().start();
    let old = allocate();
    assert_eq!(free(old), 0);
    assert!(guard.findings().is_empty());
    let mut bytes = [0u8; 8];
    let (there, here) = (old + 8, bytes.as_mut_ptr());
    // SAFETY: the host's side is valid; that the device's is not is an error.
    let codes = unsafe {
        [
            sys::cuMemcpyDtoH_v2(here.cast(), there, 8) as u32,
            // An address of either kind, which is none of the host's because it was the device's.
            sys::cuMemcpy(there, here.addr() as u64, 8) as u32,
            sys::cuMemsetD8_v2(there, 0, 8) as u32,
        ]
    };
    assert_eq!(codes, [1; 3]);
    let findings = guard.findings();
    assert_eq!(findings.len(), 3, "{findings:#?}");
    for finding in &findings {
        assert_eq!(finding.kind, FindingKind::Freed);
        let text = finding.to_string();
        assert!(
            text.starts_with("freed memory is used by the host\n"),
            "{text}"
        );
        said(&text);
    }
    assert_eq!(free(old), 1);
    let twice = guard.findings().remove(0).to_string();
    assert!(
        twice.starts_with("freed memory is freed a second time\n"),
        "{twice}"
    );
    drop(guard);
    // Without the check the call fails all the same, as on a GPU.
    assert_eq!(free(old), 1);
}

#[test]
fn a_pointer_of_the_hosts_is_called_what_it_is() {
    if super::simulator().is_none() {
        return;
    }
    let name = "freed::a_pointer_of_the_hosts_is_called_what_it_is";
    let answer = isolated(name, || {
        let _ = tests::device();
        let _context = cust::quick_init().expect("a device was opened");
        let module = Module::from_ptx(PTX, &[]).expect("PTX");
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
        let mut own = Box::new([0u64; 2]);
        let address = own.as_mut_ptr().addr() as u64;
        // SAFETY: that the memory is none of the device's is what this is about.
        unsafe { launch!(module.fill<<<1, 1, 0, stream>>>(address)) }.expect("a launch");
        assert!(stream.synchronize().is_err());
        assert_eq!(*own, [0; 2]);
        lanewise_driver::last_message().unwrap_or_default()
    });
    for part in [
        "8-byte write through a host pointer",
        "address is in the host's own memory\n",
        "help: copy the data to a buffer of the device, or use pinned, managed or registered memory",
    ] {
        assert!(
            answer.text.contains(part),
            "{part:?} is not in\n{}",
            answer.text
        );
    }
}
