//! The notation of the rows: sets of modifiers that many rows share, and the parser of
//! a row's text.

use super::{Group, Pattern, Shape, Slot, Typed};
use crate::ast::{Modifier, Type};
use crate::isa::Row;

/// Sets of modifiers that many rows share.
pub const SETS: &[(&str, &str)] = &[
    ("INT", "u16|u32|u64|s16|s32|s64"),
    ("CVTINT", "u8|u16|u32|u64|s8|s16|s32|s64"),
    (
        "LDTYPE",
        "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
    ),
    // At most 128 bits.
    (
        "LDVEC",
        "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64\
        |v2.b8|v2.b16|v2.b32|v2.b64|v2.u8|v2.u16|v2.u32|v2.u64|v2.s8|v2.s16|v2.s32|v2.s64|v2.f32|v2.f64\
        |v4.b8|v4.b16|v4.b32|v4.u8|v4.u16|v4.u32|v4.s8|v4.s16|v4.s32|v4.f32",
    ),
    ("ASYNCTYPE", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"),
    // 256 bits.
    (
        "LDWIDE",
        "v8.b32|v8.u32|v8.s32|v8.f32|v4.b64|v4.u64|v4.s64|v4.f64",
    ),
    (
        "SUVEC",
        "b8|b16|b32|b64|v2.b8|v2.b16|v2.b32|v2.b64|v4.b8|v4.b16|v4.b32",
    ),
    (
        "MOVVEC",
        "v2.b16|v2.b32|v2.b64|v2.u16|v2.u32|v2.u64|v2.s16|v2.s32|v2.s64|v2.f32|v2.f64\
        |v4.b16|v4.b32|v4.u16|v4.u32|v4.s16|v4.s32|v4.f32",
    ),
    ("TEXTYPE", "u32|s32|f16|f32"),
    ("FRND", "rn|rz|rm|rp"),
    ("IRND", "rni|rzi|rmi|rpi"),
    ("UINT", "u16|u32|u64"),
    ("SINT", "s16|s32|s64"),
    ("UCMP", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"),
    ("SCMP", "eq|ne|lt|le|gt|ge"),
    ("FCMP", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("BOOL", "and|or|xor"),
    ("SPARSE", "sp|sp::ordered_metadata"),
    ("VTYPE", "u32|s32"),
    ("VTHEN", "add|min|max"),
    (
        "TESTP",
        "finite|infinite|number|notanumber|normal|subnormal",
    ),
    ("PRMT", "f4e|b4e|rc8|ecl|ecr|rc16"),
    // Memory whose accesses have no hints for the second-level cache.
    (
        "LDNEAR",
        "const|local|param|param::entry|param::func|shared|shared::cta|shared::cluster",
    ),
    (
        "STNEAR",
        "local|param|param::func|shared|shared::cta|shared::cluster",
    ),
    ("ASPACE", "global|shared|shared::cta|shared::cluster"),
    // A cache policy requires global memory.
    (
        "APLACE",
        "shared|shared::cta|shared::cluster|global.L2::cache_hint|global|L2::cache_hint",
    ),
    ("WSPACE", "global|shared|shared::cta"),
    ("SHARED", "shared|shared::cta"),
    ("SHAREDC", "shared|shared::cta|shared::cluster"),
    ("COP", "ca|cg|cs|lu|cv"),
    ("STCOP", "wb|cg|cs|wt"),
    (
        "L1EVICT",
        "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate",
    ),
    ("L2EVICT", "L2::evict_normal|L2::evict_first|L2::evict_last"),
    (
        "POLICY",
        "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged",
    ),
    ("L2HINT", "L2::cache_hint"),
    ("L2FETCH", "L2::64B|L2::128B|L2::256B"),
    ("VEC", "v2|v4"),
    (
        "WG8",
        "m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|m64n80k8\
        |m64n88k8|m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|m64n152k8\
        |m64n160k8|m64n168k8|m64n176k8|m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|m64n224k8\
        |m64n232k8|m64n240k8|m64n248k8|m64n256k8",
    ),
    (
        "WG16",
        "m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|m64n72k16\
        |m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|m64n136k16\
        |m64n144k16|m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16\
        |m64n208k16|m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16",
    ),
    (
        "WG32",
        "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|m64n72k32\
        |m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|m64n136k32\
        |m64n144k32|m64n152k32|m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|m64n200k32\
        |m64n208k32|m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32",
    ),
    (
        "WG64",
        "m64n8k64|m64n16k64|m64n24k64|m64n32k64|m64n40k64|m64n48k64|m64n56k64|m64n64k64|m64n72k64\
        |m64n80k64|m64n88k64|m64n96k64|m64n104k64|m64n112k64|m64n120k64|m64n128k64|m64n136k64\
        |m64n144k64|m64n152k64|m64n160k64|m64n168k64|m64n176k64|m64n184k64|m64n192k64|m64n200k64\
        |m64n208k64|m64n216k64|m64n224k64|m64n232k64|m64n240k64|m64n248k64|m64n256k64",
    ),
    (
        "WGI32",
        "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|m64n112k32\
        |m64n128k32|m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32|m64n240k32\
        |m64n256k32",
    ),
    (
        "WGI64",
        "m64n8k64|m64n16k64|m64n24k64|m64n32k64|m64n48k64|m64n64k64|m64n80k64|m64n96k64|m64n112k64\
        |m64n128k64|m64n144k64|m64n160k64|m64n176k64|m64n192k64|m64n208k64|m64n224k64|m64n240k64\
        |m64n256k64",
    ),
    (
        "WGI256",
        "m64n8k256|m64n16k256|m64n24k256|m64n32k256|m64n48k256|m64n64k256|m64n80k256|m64n96k256\
        |m64n112k256|m64n128k256|m64n144k256|m64n160k256|m64n176k256|m64n192k256|m64n208k256\
        |m64n224k256|m64n240k256|m64n256k256",
    ),
    ("DIM", "1d|2d|3d|4d|5d"),
    ("IMAGES", "3d|4d|5d"),
    ("SCOPE", "cta|cluster|gpu|sys"),
    ("ASEM", "relaxed|acquire|release|acq_rel"),
    ("RSEM", "relaxed|release"),
    ("RELEASE", "release.cta|release.cluster"),
    ("ACQUIRE", "acquire.cta|acquire.cluster"),
    ("RELAXED", "relaxed.cta|relaxed.cluster"),
    // `multimem`: the memory orders of its reads, writes and reductions, each with its scopes.
    (
        "MREAD",
        "weak|relaxed.cta|relaxed.cluster|relaxed.gpu|relaxed.sys\
        |acquire.cta|acquire.cluster|acquire.gpu|acquire.sys",
    ),
    (
        "MWRITE",
        "weak|relaxed.cta|relaxed.cluster|relaxed.gpu|relaxed.sys\
        |release.cta|release.cluster|release.gpu|release.sys",
    ),
    (
        "MCHANGE",
        "relaxed.cta|relaxed.cluster|relaxed.gpu|relaxed.sys\
        |release.cta|release.cluster|release.gpu|release.sys",
    ),
    // Vectors of 32 to 128 bits.
    (
        "HALVES",
        "v2.f16|v2.bf16|v4.f16|v4.bf16|v8.f16|v8.bf16|v2.f16x2|v2.bf16x2|v4.f16x2|v4.bf16x2",
    ),
    (
        "BYTES",
        "v4.e4m3|v4.e5m2|v8.e4m3|v8.e5m2|v2.e4m3x2|v2.e5m2x2|v4.e4m3x2|v4.e5m2x2|v8.e4m3x2|v8.e5m2x2\
        |v2.e4m3x4|v2.e5m2x4|v4.e4m3x4|v4.e5m2x4",
    ),
    ("F8F6F4", "e4m3|e5m2|e3m2|e2m3|e2m1"),
    (
        "TXQ",
        "width|height|depth|channel_data_type|channel_order|normalized_coords|force_unnormalized_coords|filter_mode\
        |addr_mode_0|addr_mode_1|addr_mode_2|array_size|num_mipmap_levels|num_samples",
    ),
    (
        "SUQ",
        "width|height|depth|channel_data_type|channel_order|array_size|memory_layout",
    ),
];

pub(super) fn read(index: u16, row: &'static Row) -> Pattern {
    let groups = row.modifiers.split_whitespace().map(group).collect();
    let slots = (row.operands != "*").then(|| row.operands.split_whitespace().map(slot).collect());
    Pattern {
        index,
        row,
        groups,
        slots,
    }
}

fn group(text: &str) -> Group {
    if text == "*" {
        return Group::Rest;
    }
    let (text, optional) = match text.strip_suffix('?') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let mut words = Vec::new();
    for part in text.split('|') {
        let set = SETS
            .iter()
            .find(|(name, _)| *name == part)
            .map_or(part, |(_, set)| set);
        words.extend(
            set.split('|')
                .map(|sequence| sequence.split('.').map(word).collect()),
        );
    }
    Group::One { words, optional }
}

/// Returns a word of the table. The table's own test reads every row, so a misspelled word
/// cannot be released.
fn word(text: &str) -> Modifier {
    match Modifier::of(text) {
        Some(word) => word,
        None => unreachable!("the instruction table has a word `{text}` that is no modifier"),
    }
}

fn slot(text: &str) -> Slot {
    let (with, text) = match text
        .strip_prefix("if(")
        .and_then(|text| text.split_once(')'))
    {
        Some((with, text)) => (Some(word(with)), text),
        None => (None, text),
    };
    let (text, optional) = match text.strip_suffix('?') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (text, wider) = match text.strip_suffix('+') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (shape, typed) = text
        .split_once('=')
        .map_or((text, Typed::No), |(shape, typed)| (shape, typed_of(typed)));
    Slot {
        shape: shape_of(shape),
        typed,
        wider,
        optional,
        with,
    }
}

fn typed_of(text: &str) -> Typed {
    match text {
        "0" => Typed::Of(0),
        "1" => Typed::Of(1),
        "0*2" => Typed::TwiceOf(0),
        "ptr" => Typed::Pointer,
        _ if text.ends_with('!') => match typed_of(&text[..text.len() - 1]) {
            Typed::Is(ty) => Typed::Exactly(ty),
            typed => typed,
        },
        _ => match Modifier::of(text).and_then(Type::of) {
            Some(ty) => Typed::Is(ty),
            None => unreachable!("the instruction table has an operand of type `{text}`"),
        },
    }
}

fn shape_of(text: &str) -> Shape {
    let count = text[1..].parse().ok();
    match text {
        "d" => Shape::Destination,
        "d_" => Shape::DestinationOrSink,
        "s" => Shape::Source,
        "m" => Shape::Any,
        "i" => Shape::Constant,
        "p" => Shape::Predicate,
        "pp" => Shape::PredicateOrPair,
        "p|p" => Shape::PredicatePair,
        "d|p?" => Shape::DestinationAndMaybe,
        "d|p" => Shape::DestinationAnd,
        "q" => Shape::Condition,
        "pred" => Shape::PredicateSource,
        "A" => Shape::Address,
        "pack" => Shape::Pack,
        "unpack" => Shape::Unpack,
        "T" => Shape::Texture,
        "W" => Shape::Accumulators,
        "O" => Shape::FilterOffsets,
        "grad" => Shape::Gradient,
        "r" => Shape::Register,
        "v" => Shape::Part,
        "-v" => Shape::SignedPart,
        "-s" => Shape::Minus,
        "dv" => Shape::PartDestination,
        "v2" => Shape::Elements(2),
        "v4" => Shape::Elements(4),
        "dv2" => Shape::ElementsDestination(2),
        "dv4" => Shape::ElementsDestination(4),
        "sink" => Shape::Sink,
        "D2|p?" => Shape::DestinationsAndMaybe(2),
        "D4|p?" => Shape::DestinationsAndMaybe(4),
        "e" => Shape::TexelOffsets,
        "label" => Shape::Label,
        "targets" => Shape::Targets,
        "args" => Shape::Arguments,
        "callee" => Shape::Callee,
        "table" => Shape::Table,
        _ if text.starts_with('M') => Shape::TensorMap(count),
        _ if text.starts_with('D') => Shape::Destinations(count),
        _ if text.starts_with('S') => Shape::Sources(count),
        _ => unreachable!("the instruction table has an operand `{text}`"),
    }
}
