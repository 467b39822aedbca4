//! Folded stacks: a line for each stack of Rust lines, with the instructions that warps executed
//! there. inferno, speedscope and other programs for flame graphs read them.
//!
//! The driver's record has the first launch of each kernel, and of it the first steps of its first
//! blocks ([`crate::figure`]), so a stack's share is that of these.

use std::collections::BTreeMap;

use crate::figure::Record;

/// Returns the text.
pub(super) fn text(record: &Record) -> String {
    let mut text = String::new();
    for kernel in record.kernels() {
        let mut counts = BTreeMap::new();
        for step in &kernel.steps {
            let Some(instruction) = kernel.instructions.get(step.instruction) else {
                continue;
            };
            *counts.entry(instruction.stack.join(";")).or_insert(0_u64) += 1;
        }
        for (stack, count) in counts {
            let separator = if stack.is_empty() { "" } else { ";" };
            text += &format!("{}{separator}{stack} {count}\n", kernel.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_by_their_stacks() {
        let record = r#"{ "kernels": [{
            "kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "sector": 32, "bank_width": 4,
            "instructions": [
                { "name": "add", "line": 3, "stack": ["a.rs:3"] },
                { "name": "ld", "line": 9, "stack": ["a.rs:3", "b.rs:9"] },
                { "name": "ret", "line": null, "stack": [] }
            ],
            "steps": [
                { "block": 0, "warp": 0, "instruction": 0, "active": 1, "lanes": 1, "sources": null },
                { "block": 0, "warp": 0, "instruction": 1, "active": 1, "lanes": 1, "sources": null },
                { "block": 0, "warp": 0, "instruction": 0, "active": 1, "lanes": 1, "sources": null },
                { "block": 0, "warp": 0, "instruction": 2, "active": 1, "lanes": 1, "sources": null }
            ]
        }] }"#;
        let record: Record = serde_json::from_str(record).expect("a record");
        assert_eq!(text(&record), "k 1\nk;a.rs:3 2\nk;a.rs:3;b.rs:9 1\n");
    }
}
