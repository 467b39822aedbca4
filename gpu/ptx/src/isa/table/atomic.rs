//! PTX ISA 9.7.13, `atom` and `red`.
//!
//! In the scalar forms, each operation allows certain types. Both opcodes share the lists.

use crate::ast::Opcode::{Atom, Red};
use crate::isa::{Decoder as By, Row, Section};

const fn atom(modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Synchronization, Atom, modifiers, operands).by(By::Atomic)
}

const fn red(modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Synchronization, Red, modifiers, operands).by(By::Atomic)
}

const ATOM: &str = "d_=0 A s=0 if(L2::cache_hint)s=b64";
const CAS: &str = "d_=0 A s=0 s=0";
const RED: &str = "A s=0 if(L2::cache_hint)s=b64";

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    atom("ASEM? SCOPE? APLACE? and|or|xor|exch b32|b64", ATOM),
    atom("ASEM? SCOPE? APLACE? add u32|s32|u64|f32", ATOM),
    atom("ASEM? SCOPE? APLACE? add f64", ATOM).since(5, 0).on(60),
    atom("ASEM? SCOPE? APLACE? inc|dec u32", ATOM),
    atom("ASEM? SCOPE? APLACE? min|max u32|s32|u64|s64", ATOM),
    atom("ASEM? SCOPE? ASPACE? cas b32|b64", CAS),
    atom("ASEM? SCOPE? ASPACE? cas b16", CAS).since(6, 3).on(70),
    atom("ASEM? SCOPE? APLACE? exch b128", "d_=0 A d=0 if(L2::cache_hint)s=b64").since(8, 4).on(90),
    atom("ASEM? SCOPE? ASPACE? cas b128", "d_=0 A d=0 d=0").since(8, 4).on(90),
    atom("ASEM? SCOPE? APLACE? add noftz f16x2", ATOM).since(6, 2).on(60),
    atom("ASEM? SCOPE? APLACE? add noftz f16", ATOM).since(6, 3).on(70),
    atom("ASEM? SCOPE? APLACE? add noftz bf16|bf16x2", ATOM).since(7, 8).on(90),
    atom("ASEM? SCOPE? global? add L2HINT? v2|v4 f32", "D=0 A S=0 if(L2::cache_hint)s=b64").since(8, 1).on(90),
    atom("ASEM? SCOPE? global? add|min|max noftz L2HINT? v2|v4|v8 f16|bf16", "D=0 A S=0 if(L2::cache_hint)s=b64").since(8, 1).on(90),
    atom("ASEM? SCOPE? global? add|min|max noftz L2HINT? v2|v4 f16x2|bf16x2", "D=0 A S=0 if(L2::cache_hint)s=b64").since(8, 1).on(90),
    red("RSEM? SCOPE? APLACE? and|or|xor b32|b64", RED),
    red("RSEM? SCOPE? APLACE? add u32|s32|u64|f32", RED),
    red("RSEM? SCOPE? APLACE? add f64", RED).since(5, 0).on(60),
    red("RSEM? SCOPE? APLACE? inc|dec u32", RED),
    red("RSEM? SCOPE? APLACE? min|max u32|s32|u64|s64", RED),
    red("RSEM? SCOPE? APLACE? add noftz f16x2", RED).since(6, 2).on(60),
    red("RSEM? SCOPE? APLACE? add noftz f16", RED).since(6, 3).on(70),
    red("RSEM? SCOPE? APLACE? add noftz bf16|bf16x2", RED).since(7, 8).on(90),
    red("RSEM? SCOPE? global? add L2HINT? v2|v4 f32", "A S=0 if(L2::cache_hint)s=b64").since(8, 1).on(90),
    red("RSEM? SCOPE? global? add|min|max noftz L2HINT? v2|v4|v8 f16|bf16", "A S=0 if(L2::cache_hint)s=b64").since(8, 1).on(90),
    red("RSEM? SCOPE? global? add|min|max noftz L2HINT? v2|v4 f16x2|bf16x2", "A S=0 if(L2::cache_hint)s=b64").since(8, 1).on(90),
];
