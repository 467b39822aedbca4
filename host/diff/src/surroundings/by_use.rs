//! Instructions whose result is specific to the machine: addresses, stack pointers, register
//! counts, clocks. They are judged by what a program can do with the result.
//!
//! An address is good if a value that was stored can be loaded through it. The test of a window
//! is good if it recognises addresses that `cvta` made. A stack pointer is good if restoring it
//! gives the same memory again. PTX ISA 9.7.9 (`isspacep`, `cvta`, `mapa`, `getctarank`,
//! `discard`), 7.1 (parameters of functions), 9.7.13 (`bar.arrive`), 9.7.17 (the stack), 9.7.19
//! (`setmaxnreg`), 10 (special registers).

use lanewise_sim::isa::sample::{Sample, Usage};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use crate::case::{Case, TABLE_NAME};
use crate::surroundings::Surroundings;
use crate::surroundings::special;
use crate::surroundings::warpgroup;

/// The size of a thread's record in bytes: words that are compared, then a line of 128 bytes that
/// is not compared.
pub const RESULTS: usize = 256;
/// The number of bytes of a record that are compared.
pub const COMPARED: usize = 128;

/// Variables and registers of every kernel that judges by use.
pub const DECLARATIONS: [&str; 4] = [
    warpgroup::DECLARATION,
    ".shared .align 128 .b8 cells[512];",
    ".local .align 16 .b8 mine[64];",
    ".reg .u64 %a, %b; .reg .u32 %w, %v; .reg .pred %q;",
];

/// Variables of a module with such kernels, besides its table of constants.
pub const VARIABLE: &str =
    ".global .align 16 .b8 place[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};\n";

/// Returns whether an instruction is judged by use, for opcodes whose other instances are not.
pub fn works_for(opcode: Opcode, sample: &Sample) -> bool {
    use Opcode::*;
    let has = |word| sample.words.contains(&word);
    match opcode {
        Discard | Setmaxnreg => true,
        Ld => has(Modifier::ParamFunc),
        St => has(Modifier::Param) || has(Modifier::ParamFunc),
        Bar | Barrier => has(Modifier::Arrive) && !has(Modifier::Cluster),
        Prefetch => has(Modifier::Tensormap),
        Fence => has(Modifier::TensormapGeneric),
        _ => false,
    }
}

/// Returns the value of an operand that is not random.
pub fn operand(case: &Case, index: usize) -> Option<u128> {
    match (case.row.opcode, index) {
        // The barrier's number, and the number of threads.
        (Opcode::Bar | Opcode::Barrier, 0) => Some(1),
        (Opcode::Bar | Opcode::Barrier, _) => Some(128),
        _ => None,
    }
}

/// Returns the code around a case.
pub fn of(case: &Case) -> Surroundings {
    use Opcode::*;
    if let Some(register) = case.special {
        return Surroundings {
            after: special::after(register, &case.sample),
            ..Surroundings::default()
        };
    }
    match case.row.opcode {
        Isspacep => window(case),
        Cvta => convert(case),
        Mapa | Getctarank => cluster(case),
        Ld => returned(case),
        St => passed(case),
        Bar | Barrier => arrive(),
        Setmaxnreg => registers(case),
        Wgmma => warpgroup::of(case),
        Discard | Prefetch | Fence => line(case),
        _ => stack(case),
    }
}

fn lines(of: &[&str]) -> Vec<String> {
    of.iter().map(|&line| line.to_owned()).collect()
}

/// Stores `%w` as the first word.
const STORE: &str = "st.global.u32 [%out], %w;";

/// Returns a variable in the instruction's space, and the name of the space for `ld`.
fn variable(case: &Case) -> (&'static str, &'static str) {
    let has = |word| case.has(word);
    match () {
        () if has(Modifier::Const) => (TABLE_NAME, "const"),
        () if has(Modifier::Global) => ("place", "global"),
        () if has(Modifier::Local) => ("mine", "local"),
        () if has(Modifier::Param) || has(Modifier::ParamEntry) => ("parameter", "param"),
        () => ("cells", "shared"),
    }
}

/// Stores the thread's number in its local variable, and the first thread's in shared memory.
fn filled() -> Vec<String> {
    lines(&[
        "st.local.u32 [mine], %index;",
        "setp.eq.u32 %q, %thread, 0;",
        "@%q st.shared.u32 [cells], %index;",
        "bar.sync 0;",
    ])
}

/// `isspacep`: tests an address in each window, selected by the thread's number.
fn window(case: &Case) -> Surroundings {
    let mut before = lines(&["mov.b64 %x1, %in;", "and.b32 %w, %thread, 3;"]);
    let spaces = [
        ("cells", "shared"),
        ("mine", "local"),
        (TABLE_NAME, "const"),
    ];
    for (number, (variable, space)) in (1..).zip(spaces) {
        before.push(format!("setp.eq.u32 %q, %w, {number};"));
        before.push(format!("mov.u64 %a, {variable};"));
        before.push(format!("cvta.{space}.u64 %a, %a;"));
        before.push("@%q mov.b64 %x1, %a;".to_owned());
    }
    // In other spaces, parameters may count as constants or not.
    if case.has(Modifier::Param) || case.has(Modifier::ParamEntry) {
        before.extend(lines(&[
            "setp.eq.u32 %q, %w, 3;",
            "mov.u64 %a, parameter;",
            "cvta.param.u64 %a, %a;",
            "@%q mov.b64 %x1, %a;",
        ]));
    }
    Surroundings {
        before,
        after: lines(&["selp.u32 %w, 1, 0, %x0;", STORE]),
        ..Surroundings::default()
    }
}

/// `cvta`: converts an address in either direction, then loads through it.
fn convert(case: &Case) -> Surroundings {
    let (variable, space) = variable(case);
    let mut before = filled();
    before.push(format!("mov.u64 %x1, {variable};"));
    let load = if case.has(Modifier::To) {
        before.push(format!("cvta.{space}.u64 %x1, %x1;"));
        format!("ld.{space}.u32 %w, [%x0];")
    } else {
        "ld.u32 %w, [%x0];".to_owned()
    };
    Surroundings {
        before,
        after: vec![load, STORE.to_owned()],
        ..Surroundings::default()
    }
}

/// `mapa` and `getctarank`: two blocks read from each other, or query the block of an address.
fn cluster(case: &Case) -> Surroundings {
    let bits = if case.types().contains(&Type::U32) {
        32
    } else {
        64
    };
    let named = case.has(Modifier::SharedCluster);
    let space = if named { "shared::cluster." } else { "" };
    let mut before = lines(&[
        "mov.u64 %a, cells;",
        "mad.wide.u32 %b, %thread, 4, %a;",
        "st.shared.u32 [%b], %index;",
    ]);
    if !named {
        before.push("cvta.shared.u64 %b, %b;".to_owned());
    }
    before.extend(lines(&[
        "barrier.cluster.arrive.aligned;",
        "barrier.cluster.wait.aligned;",
        "mov.u32 %v, %cluster_ctarank;",
    ]));
    let narrow = if bits == 32 { "cvt.u32.u64" } else { "mov.b64" };
    before.push(format!("{narrow} %x1, %b;"));
    let mut after = if case.row.opcode == Opcode::Mapa {
        before.push("xor.b32 %x2, %v, 1;".to_owned());
        vec![format!("ld.{space}u32 %w, [%x0];")]
    } else {
        before.push("and.b32 %v, %thread, 1;".to_owned());
        before.push(format!("mapa.{space}u{bits} %x1, %x1, %v;"));
        lines(&["mov.b32 %w, %x0;"])
    };
    after.extend(lines(&[
        STORE,
        "barrier.cluster.arrive.aligned;",
        "barrier.cluster.wait.aligned;",
    ]));
    Surroundings {
        attributes: " .explicitcluster .reqnctapercluster 2, 1, 1",
        before,
        after,
        ..Surroundings::default()
    }
}

/// `ld.param::func`: the value that a function returned.
fn returned(case: &Case) -> Surroundings {
    let bits = case.cell_type().size() * 8;
    Surroundings {
        functions: "\
.func (.param .align 16 .b8 result[128]) giver{n}(.param .b32 number)
{
    .reg .b32 %w; .reg .b64 %a; .reg .b128 %q;
    ld.param.b32 %w, [number];
    mul.wide.u32 %a, %w, 0x9e3779b1;
    mov.b128 %q, {%a, %a};
    st.param.b128 [result], %q;
    ret;
}
"
        .to_owned(),
        before: lines(&[
            ".param .align 16 .b8 argument[128];",
            ".param .b32 number;",
            "st.param.b32 [number], %index;",
            "call (argument), giver{n}, (number);",
        ]),
        after: vec![format!("st.global.b{bits} [%out], %x0;")],
        ..Surroundings::default()
    }
}

/// `st.param`: the value that is passed to a function.
fn passed(_: &Case) -> Surroundings {
    Surroundings {
        functions: "\
.func (.param .align 16 .b8 result[16]) taker{n}(.param .align 16 .b8 argument[128])
{
    .reg .b64 %a, %b;
    ld.param.b64 %a, [argument];
    ld.param.b64 %b, [argument+8];
    st.param.b64 [result], %b;
    st.param.b64 [result+8], %a;
    ret;
}
"
        .to_owned(),
        before: lines(&[
            ".param .align 16 .b8 argument[128];",
            ".param .align 16 .b8 result[16];",
            "st.param.b64 [argument], 0;",
            "st.param.b64 [argument+8], 0;",
        ]),
        after: lines(&[
            "call (result), taker{n}, (argument);",
            "ld.param.b64 %a, [result];",
            "ld.param.b64 %b, [result+8];",
            "st.global.b64 [%out], %a;",
            "st.global.b64 [%out+8], %b;",
        ]),
        ..Surroundings::default()
    }
}

/// `bar.arrive`: half of the block arrives. The other half waits for it and reads what it stored.
fn arrive() -> Surroundings {
    Surroundings {
        before: lines(&[
            "mov.u64 %a, cells;",
            "mad.wide.u32 %a, %thread, 4, %a;",
            "setp.ge.u32 %q, %thread, 64;",
            "@%q bra waiters;",
            "st.shared.u32 [%a], %index;",
        ]),
        after: lines(&[
            "bra.uni joined;",
            "waiters:",
            "bar.sync 1, 128;",
            "ld.shared.u32 %w, [%a+-256];",
            STORE,
            "joined:",
        ]),
        ..Surroundings::default()
    }
}

/// `setmaxnreg`: the warps of a block release registers, or release some and request them again.
fn registers(case: &Case) -> Surroundings {
    let takes = case.has(Modifier::Inc);
    let before = if takes {
        lines(&["setmaxnreg.dec.sync.aligned.u32 40;"])
    } else {
        Vec::new()
    };
    Surroundings {
        attributes: if takes {
            " .maxntid 128, 1, 1 .maxnreg 64"
        } else {
            " .maxntid 128, 1, 1 .maxnreg 96"
        },
        before,
        after: lines(&["mov.u32 %w, %index;", STORE]),
        ..Surroundings::default()
    }
}

/// Instructions that work on a line of 128 bytes and have no visible effect. The memory around it
/// is unchanged, and the line is usable.
fn line(case: &Case) -> Surroundings {
    let mut before = lines(&["mov.u32 %w, %index;", STORE]);
    let address = case.registers(Usage::Address).next();
    let of = if case.has(Modifier::Const) {
        TABLE_NAME
    } else {
        "%b"
    };
    if let Some((number, _)) = address {
        before.push("add.u64 %b, %out, 128;".to_owned());
        before.push(format!("mov.b64 %x{number}, {of};"));
    }
    Surroundings {
        before,
        after: lines(&[
            "st.global.u32 [%out+128], %index;",
            "ld.global.u32 %w, [%out+128];",
            "st.global.u32 [%out+4], %w;",
        ]),
        ..Surroundings::default()
    }
}

/// `alloca`, `stacksave`, `stackrestore`: the memory contains what was stored, and the same memory
/// is allocated again.
fn stack(case: &Case) -> Surroundings {
    let bits = if case.types().contains(&Type::U32) {
        32
    } else {
        64
    };
    let wide = if bits == 32 { "cvt.u64.u32" } else { "mov.b64" };
    let difference = lines(&["sub.u64 %a, %a, %b;", "st.global.u64 [%out+8], %a;"]);
    let stored = lines(&[
        "st.local.u32 [%a], %index;",
        "ld.local.u32 %w, [%a];",
        STORE,
    ]);
    let (before, after) = match case.row.opcode {
        Opcode::Stacksave => (
            Vec::new(),
            [
                lines(&["alloca.u64 %a, 32;"]),
                stored,
                vec![format!("stackrestore.u{bits} %x0;")],
                lines(&["alloca.u64 %b, 32;"]),
                difference,
            ]
            .concat(),
        ),
        Opcode::Stackrestore => (
            [
                vec![format!("stacksave.u{bits} %x0;")],
                lines(&["alloca.u64 %a, 32;"]),
                stored,
            ]
            .concat(),
            [lines(&["alloca.u64 %b, 32;"]), difference].concat(),
        ),
        _ => (
            vec![format!("mov.b{bits} %x1, 32;")],
            [
                vec![format!("{wide} %a, %x0;")],
                lines(&["alloca.u64 %b, 32;", "st.local.u32 [%b], %thread;"]),
                stored,
                lines(&["ld.local.u32 %w, [%b];", "st.global.u32 [%out+4], %w;"]),
            ]
            .concat(),
        ),
    };
    Surroundings {
        before,
        after,
        ..Surroundings::default()
    }
}
