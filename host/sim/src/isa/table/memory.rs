//! PTX ISA 9.7.9, first half: `mov`, loads, stores, caches and addresses.

use crate::isa::{Row, Section};
use crate::ptx::ast::Opcode::{self, *};

const fn row(opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::DataMovement, opcode, modifiers, operands)
}

pub(super) const ROWS: &[Row] = &[
    row(Mov, "b16|b32|b64|INT|f32|f64", "d=0 m=0"),
    row(Mov, "b128", "d=0 d=0").since(8, 3).on(70),
    row(Mov, "f16|bf16|f16x2|bf16x2", "d=0 m=0")
        .since(4, 2)
        .on(53),
    row(Mov, "pred", "p pred"),
    row(Mov, "b16|b32|b64", "d=0 pack=0"),
    row(Mov, "b16|b32|b64", "unpack=0 d=0"),
    row(Mov, "b128", "d=0 pack=0").since(8, 3).on(70),
    row(Mov, "b128", "unpack=0 d=0").since(8, 3).on(70),
    row(Prmt, "b32 PRMT?", "d=b32 s=b32 s=b32 s=b32")
        .since(2, 0)
        .on(20),
    row(
        Ld,
        "weak? LDSPACE? COP? L2HINT? L2FETCH? VEC? LDTYPE",
        "D=0+ A if(L2::cache_hint)s=b64",
    ),
    row(
        Ld,
        "weak? LDSPACE? L1EVICT? L2EVICT? L2HINT? L2FETCH? VEC? LDTYPE",
        "D=0+ A if(L2::cache_hint)s=b64",
    )
    .since(7, 4)
    .on(70),
    row(Ld, "weak? LDSPACE? b128", "d=b128 A")
        .since(8, 3)
        .on(70),
    row(
        Ld,
        "weak? global L1EVICT? L2EVICT? L2HINT? L2FETCH? v8 b32|u32|s32|f32",
        "D=0 A if(L2::cache_hint)s=b64",
    )
    .since(8, 8)
    .on(100),
    row(Ld, "volatile LDSPACE? L2FETCH? VEC? LDTYPE", "D=0+ A"),
    row(
        Ld,
        "relaxed|acquire SCOPE LDSPACE? L1EVICT? L2EVICT? L2HINT? L2FETCH? VEC? LDTYPE",
        "D=0+ A if(L2::cache_hint)s=b64",
    )
    .since(6, 0)
    .on(70),
    row(Ld, "relaxed|acquire SCOPE LDSPACE? b128", "d=b128 A")
        .since(8, 4)
        .on(70),
    row(Ld, "mmio relaxed sys global? LDTYPE", "d=0+ A")
        .since(8, 2)
        .on(70),
    row(
        Ld,
        "global ca|cg|cs? nc L2HINT? L2FETCH? VEC? LDTYPE",
        "D=0+ A if(L2::cache_hint)s=b64",
    )
    .since(3, 1)
    .on(32),
    row(
        Ld,
        "global nc L1EVICT? L2EVICT? L2HINT? L2FETCH? VEC? LDTYPE",
        "D=0+ A if(L2::cache_hint)s=b64",
    )
    .since(7, 4)
    .on(70),
    row(
        Ld,
        "global nc L1EVICT? L2EVICT? L2HINT? L2FETCH? v8 b32|u32|s32|f32",
        "D=0 A if(L2::cache_hint)s=b64",
    )
    .since(8, 8)
    .on(100),
    row(Ldu, "global? VEC? LDTYPE", "D=0+ A").since(2, 0),
    row(
        St,
        "weak? STSPACE? STCOP? L2HINT? VEC? LDTYPE",
        "A S=0+ if(L2::cache_hint)s=b64",
    ),
    row(
        St,
        "weak? STSPACE? L1EVICT? L2EVICT? L2HINT? VEC? LDTYPE",
        "A S=0+ if(L2::cache_hint)s=b64",
    )
    .since(7, 4)
    .on(70),
    row(St, "weak? STSPACE? b128", "A d=b128")
        .since(8, 3)
        .on(70),
    row(
        St,
        "weak? global L1EVICT? L2EVICT? L2HINT? v8 b32|u32|s32|f32",
        "A S=0 if(L2::cache_hint)s=b64",
    )
    .since(8, 8)
    .on(100),
    row(St, "volatile STSPACE? VEC? LDTYPE", "A S=0+"),
    row(
        St,
        "relaxed|release SCOPE STSPACE? L1EVICT? L2EVICT? L2HINT? VEC? LDTYPE",
        "A S=0+ if(L2::cache_hint)s=b64",
    )
    .since(6, 0)
    .on(70),
    row(St, "relaxed|release SCOPE STSPACE? b128", "A d=b128")
        .since(8, 4)
        .on(70),
    row(St, "mmio relaxed sys global? LDTYPE", "A s=0+")
        .since(8, 2)
        .on(70),
    row(Prefetch, "global|local? L1|L2", "A").since(2, 0).on(20),
    row(Prefetch, "global L2::evict_last|L2::evict_normal", "A")
        .since(7, 4)
        .on(80),
    row(Prefetch, "const|param|param::entry? tensormap", "A")
        .since(8, 0)
        .on(90),
    row(Prefetchu, "L1", "A").since(2, 0).on(20),
    row(Applypriority, "global? L2::evict_normal", "A i")
        .since(7, 4)
        .on(80),
    row(Discard, "global? L2", "A i").since(7, 4).on(80),
    row(Createpolicy, "fractional POLICY b64", "d=b64 s=f32?")
        .since(7, 4)
        .on(80),
    row(
        Createpolicy,
        "fractional POLICY L2::evict_first|L2::evict_unchanged b64",
        "d=b64 s=f32?",
    )
    .since(7, 4)
    .on(80),
    row(
        Createpolicy,
        "range global? POLICY b64",
        "d=b64 A s=u32 s=u32",
    )
    .since(7, 4)
    .on(80),
    row(
        Createpolicy,
        "range global? POLICY L2::evict_first|L2::evict_unchanged b64",
        "d=b64 A s=u32 s=u32",
    )
    .since(7, 4)
    .on(80),
    row(Createpolicy, "cvt L2 b64", "d=b64 s=b64")
        .since(7, 4)
        .on(80),
    row(
        Isspacep,
        "const|global|local|shared|shared::cta|shared::cluster|param|param::entry",
        "p s=ptr",
    )
    .since(2, 0)
    .on(20),
    row(Cvta, "CVTASPACE u32|u64", "d=0 m=0").since(2, 0).on(20),
    row(Cvta, "to CVTASPACE u32|u64", "d=0 s=0")
        .since(2, 0)
        .on(20),
    row(Mapa, "shared::cluster? u32|u64", "d=0 m=0 s=u32")
        .since(7, 8)
        .on(90),
    row(Getctarank, "shared::cluster? u32|u64", "d=u32 m=0")
        .since(7, 8)
        .on(90),
    Row::new(Section::Stack, Stacksave, "u32|u64", "d=0")
        .since(7, 3)
        .on(52),
    Row::new(Section::Stack, Stackrestore, "u32|u64", "s=0")
        .since(7, 3)
        .on(52),
    Row::new(Section::Stack, Alloca, "u32|u64", "d=0 s=0 i?")
        .since(7, 3)
        .on(52),
];
