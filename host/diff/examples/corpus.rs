//! Writes the part of the fuzzer's corpus that has one kernel of every opcode: `cargo run -p diff-device --example corpus`.

use std::collections::BTreeSet;
use std::path::Path;

use diff_device::case::{self, Harness};
use diff_device::kernel;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/fuzz/corpus/run");
    let mut seen = BTreeSet::new();
    for case in case::all() {
        let name = case.row.opcode.name();
        let judged = !matches!(case.harness, Harness::None(_));
        let text = kernel::module(&[&case]);
        // One that loads: the decoder refuses what is not modelled before there is anything to find.
        if judged && !seen.contains(name) && sim::Module::load(&text).is_ok() {
            seen.insert(name);
            std::fs::write(folder.join(format!("op_{name}.ptx")), text)?;
        }
    }
    println!("{} opcodes", seen.len());
    Ok(())
}
