//! Writes the part of the fuzzer's corpus that has one kernel of every opcode, and of kinds that
//! are decoded in their own way: `cargo run --example corpus`.

use std::collections::BTreeSet;
use std::path::Path;

use lanewise_diff::kernel;
use lanewise_diff::{Harness, cases};
use lanewise_sim::ptx::ast::Modifier;

/// Words that make another instruction of an opcode.
const KINDS: [Modifier; 5] = [
    Modifier::SpOrderedMetadata,
    Modifier::Reduce,
    Modifier::Bulk,
    Modifier::Async,
    Modifier::Oob,
];

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/fuzz/corpus/run");
    let mut seen = BTreeSet::new();
    for case in cases::all() {
        let kind = KINDS.into_iter().find(|&word| case.has(word));
        let kind = kind.map_or(String::new(), |word| {
            format!("_{}", word.name().replace("::", "_"))
        });
        let name = format!("{}{kind}", case.row.opcode.name());
        let judged = !matches!(case.harness, Harness::None(_));
        let text = kernel::module(&[&case]);
        // One that loads: the decoder refuses what is not modelled before there is
        // anything to find.
        if judged && !seen.contains(&name) && lanewise_sim::Module::load(&text).is_ok() {
            std::fs::write(folder.join(format!("op_{name}.ptx")), text)?;
            seen.insert(name);
        }
    }
    println!("{} kernels", seen.len());
    Ok(())
}
