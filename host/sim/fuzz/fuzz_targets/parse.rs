//! Any text: the parser gives an error or a module; a module is checked, printed, and its print
//! parses to the same print.
//!
//! From `host/sim`:
//!
//! ```sh
//! RUSTC_BOOTSTRAP=1 cargo fuzz run --fuzz-dir fuzz parse fuzz/corpus/parse tests/ptx -- \
//!     -dict=fuzz/ptx.dict -max_len=20000 -max_total_time=60
//! ```
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(mut module) = lanewise_sim::ptx::parse(text) else { return };
    let _ = lanewise_sim::isa::check(&mut module);
    let printed = lanewise_sim::ptx::print(&module);
    match lanewise_sim::ptx::parse(&printed) {
        Ok(again) => assert_eq!(lanewise_sim::ptx::print(&again), printed),
        Err(error) => panic!("{error}\n{printed}"),
    }
});
