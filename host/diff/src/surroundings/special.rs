//! Special registers. Their values must be equal if the ISA defines them, and in bounds or
//! increasing if it leaves them to the machine.
//!
//! PTX ISA 10. They are operands of `mov`, so no row of the table names them. Here each is
//! a separate case.

use lanewise_sim::isa::pattern;
use lanewise_sim::isa::sample::{Register, Sample, Usage};
use lanewise_sim::isa::{Row, Target};
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use crate::case::{Case, Harness, LEAST};

/// How a register is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judgement {
    /// The values are the same.
    Equal,
    /// A later value is not smaller.
    Rises,
    /// The value is less than that of another register.
    Below(&'static str),
    /// The value is not zero.
    Positive,
}

use Judgement::*;

#[rustfmt::skip] // a line for each kind
const REGISTERS: &[(Judgement, Type, &[&str])] = &[
    (Equal, Type::U32, &["tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z"]),
    (Equal, Type::U32, &["laneid", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt"]),
    (Equal, Type::U32, &["clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z"]),
    (Equal, Type::U32, &["cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z"]),
    (Equal, Type::U32, &["cluster_ctarank", "cluster_nctarank", "dynamic_smem_size"]),
    (Rises, Type::U32, &["clock", "clock_hi", "globaltimer_hi"]),
    (Rises, Type::U64, &["clock64", "globaltimer"]),
    (Rises, Type::U32, &["globaltimer_lo"]),
    (Below("nwarpid"), Type::U32, &["warpid"]),
    (Below("nsmid"), Type::U32, &["smid"]),
    (Positive, Type::U32, &["nwarpid", "nsmid"]),
];

/// Returns one case for each register.
pub fn cases() -> Vec<Case> {
    let Some(row) = pattern::of(Opcode::Mov).first().map(|pattern| pattern.row) else {
        return Vec::new();
    };
    let registers = REGISTERS.iter();
    registers
        .flat_map(|&(how, ty, names)| names.iter().map(move |name| case(row, how, ty, name)))
        .collect()
}

fn case(row: &'static Row, how: Judgement, ty: Type, name: &'static str) -> Case {
    let word = if ty == Type::U64 {
        Modifier::U64
    } else {
        Modifier::U32
    };
    Case {
        row,
        sample: Sample {
            instruction: format!("mov.{} %x0, %{name};", ty.name()),
            module: String::new(),
            words: vec![word],
            registers: vec![Register {
                declared: ty,
                value: ty,
                usage: Usage::Write,
                operand: 0,
            }],
            version: LEAST.0,
            // Clusters require sm_90.
            target: Target::from(90),
        },
        harness: if how == Equal {
            Harness::Registers
        } else {
            Harness::Use
        },
        special: Some(name),
    }
}

/// Returns the code that shows that a register is right if its value differs between machines.
pub(crate) fn after(name: &str, sample: &Sample) -> Vec<String> {
    let found = REGISTERS.iter().find(|(_, _, names)| names.contains(&name));
    let Some(&(how, ty, _)) = found else {
        return Vec::new();
    };
    let again = sample
        .instruction
        .replace("%x0", if ty == Type::U64 { "%a" } else { "%w" });
    let ty = ty.name();
    let compare = match how {
        // The difference is used, so that a counter of 32 bits may wrap around.
        Rises if ty == "u64" => vec![
            again,
            "sub.u64 %a, %a, %x0;".into(),
            "setp.ge.s64 %q, %a, 0;".into(),
        ],
        Rises => vec![
            again,
            "sub.u32 %w, %w, %x0;".into(),
            "setp.ge.s32 %q, %w, 0;".into(),
        ],
        Below(limit) => vec![
            format!("mov.u32 %w, %{limit};"),
            "setp.lt.u32 %q, %x0, %w;".into(),
        ],
        Positive | Equal => vec!["setp.ne.u32 %q, %x0, 0;".into()],
    };
    let store = [
        "selp.u32 %w, 1, 0, %q;".to_owned(),
        "st.global.u32 [%out], %w;".to_owned(),
    ];
    [compare, store.to_vec()].concat()
}
