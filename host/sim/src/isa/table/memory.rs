//! PTX ISA 9.7.9, first half: `mov`, loads, stores, caches and addresses.

use crate::isa::{Decoder as By, Row, Section};
use crate::ptx::ast::Opcode::{self, *};

const fn row(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::DataMovement, opcode, modifiers, operands).by(by)
}

/// An optional cache policy follows `.L2::cache_hint`.
const LOAD: &str = "D=0+ A if(L2::cache_hint)s=b64";
const STORE: &str = "A S=0+ if(L2::cache_hint)s=b64";

const NARROW: &str = "generic addresses have 64 bits; compile for `.address_size 64`";

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(By::Move, Mov, "b16|b32|b64|INT|f32|f64", "d=0 m=0"),
    row(By::Move, Mov, "VEC b16|b32|b64|INT|f32|f64", "D=0 S=0"),
    row(By::Move, Mov, "b128", "d=0 d=0").since(8, 3).on(70),
    row(By::Move, Mov, "pred", "p pred"),
    row(By::Move, Mov, "b16|b32|b64", "d=0 pack=0"),
    row(By::Move, Mov, "b16|b32|b64", "unpack=0 d=0"),
    row(By::Move, Mov, "b128", "d=0 pack=0").since(8, 3).on(70),
    row(By::Move, Mov, "b128", "unpack=0 d=0").since(8, 3).on(70),
    row(By::Registers, Prmt, "b32 PRMT?", "d=b32 s=b32 s=b32 s=b32").since(2, 0).on(20),
    row(By::Transfer, Ld, "weak? LDSPACE? COP? L2HINT? L2FETCH? VEC? LDTYPE", LOAD),
    row(By::Transfer, Ld, "weak? global? L1EVICT L2HINT? L2FETCH? VEC? LDTYPE", LOAD),
    row(By::Transfer, Ld, "weak? LDSPACE? COP? L2HINT? L2FETCH? b128", LOAD).since(8, 3).on(70),
    row(By::Transfer, Ld, "weak? global? L1EVICT L2HINT? L2FETCH? b128", LOAD).since(8, 3).on(70),
    row(By::Transfer, Ld, "volatile MSPACE? L2FETCH? b128", LOAD).since(8, 3).on(70),
    row(By::Transfer, Ld, "global ca|cg|cs? nc L2HINT? L2FETCH? b128", LOAD).since(8, 3).on(70),
    row(By::Transfer, Ld, "global nc L1EVICT L2HINT? L2FETCH? b128", LOAD).since(8, 3).on(70),
    row(By::Transfer, Ldu, "global? b128", LOAD).since(8, 3).on(70),
    row(By::Transfer, Ld, "volatile MSPACE? L2FETCH? VEC? LDTYPE", LOAD),
    row(By::Transfer, Ld, "volatile local VEC? LDTYPE", LOAD).since(9, 1),
    row(By::Transfer, Ld, "relaxed|acquire SCOPE MSPACE? L2HINT? L2FETCH? VEC? LDTYPE", LOAD).since(6, 0).on(70),
    row(By::Transfer, Ld, "relaxed|acquire SCOPE global? L1EVICT L2HINT? L2FETCH? VEC? LDTYPE", LOAD).since(6, 0).on(70),
    row(By::Transfer, Ld, "relaxed|acquire SCOPE MSPACE? L2HINT? L2FETCH? b128", LOAD).since(8, 4).on(70),
    row(By::Transfer, Ld, "relaxed|acquire SCOPE global? L1EVICT L2HINT? L2FETCH? b128", LOAD).since(8, 4).on(70),
    row(By::Transfer, Ld, "mmio relaxed sys global? b128", "d=b128 A").since(8, 4).on(70),
    row(By::Transfer, Ld, "mmio relaxed sys global? LDTYPE", "d=0+ A").since(8, 2).on(70),
    row(By::Transfer, Ld, "global ca|cg|cs? nc L2HINT? L2FETCH? VEC? LDTYPE", LOAD).since(3, 1).on(32),
    row(By::Transfer, Ld, "global nc L1EVICT L2HINT? L2FETCH? VEC? LDTYPE", LOAD),
    row(By::Transfer, Ld, "global nc? L1EVICT? L2EVICT? L2HINT? L2FETCH? v8 b32|u32|s32|f32", LOAD).since(8, 8).on(100),
    row(By::Transfer, Ld, "global nc? L1EVICT? L2EVICT? L2HINT? L2FETCH? v4 b64|u64|s64|f64", LOAD).since(8, 8).on(100),
    row(By::Transfer, Ldu, "global? VEC? LDTYPE", LOAD).since(2, 0),
    row(By::Transfer, St, "weak? STSPACE? STCOP? L2HINT? VEC? LDTYPE", STORE),
    row(By::Transfer, St, "weak? global? L1EVICT L2HINT? VEC? LDTYPE", STORE),
    row(By::Transfer, St, "weak? STSPACE? STCOP? L2HINT? b128", "A d=b128 if(L2::cache_hint)s=b64").since(8, 3).on(70),
    row(By::Transfer, St, "weak? global? L1EVICT L2HINT? b128", "A d=b128 if(L2::cache_hint)s=b64").since(8, 3).on(70),
    row(By::Transfer, St, "volatile MSPACE? b128", "A d=b128").since(8, 3).on(70),
    row(By::Transfer, St, "volatile MSPACE? VEC? LDTYPE", STORE),
    row(By::Transfer, St, "volatile local VEC? LDTYPE", STORE).since(9, 1),
    row(By::Transfer, St, "relaxed|release SCOPE MSPACE? L2HINT? VEC? LDTYPE", STORE).since(6, 0).on(70),
    row(By::Transfer, St, "relaxed|release SCOPE global? L1EVICT L2HINT? VEC? LDTYPE", STORE).since(6, 0).on(70),
    row(By::Transfer, St, "relaxed|release SCOPE MSPACE? L2HINT? b128", "A d=b128 if(L2::cache_hint)s=b64").since(8, 4).on(70),
    row(By::Transfer, St, "relaxed|release SCOPE global? L1EVICT L2HINT? b128", "A d=b128 if(L2::cache_hint)s=b64").since(8, 4).on(70),
    row(By::Transfer, St, "mmio relaxed sys global? b128", "A d=b128").since(8, 4).on(70),
    row(By::Transfer, St, "global L1EVICT? L2EVICT? L2HINT? v8 b32|u32|s32|f32", STORE).since(8, 8).on(100),
    row(By::Transfer, St, "global L1EVICT? L2EVICT? L2HINT? v4 b64|u64|s64|f64", STORE).since(8, 8).on(100),
    row(By::Transfer, St, "mmio relaxed sys global? LDTYPE", "A s=0+").since(8, 2).on(70),
    row(By::Hint, Prefetch, "global|local? L1|L2", "A").since(2, 0).on(20),
    row(By::Hint, Prefetch, "global L2::evict_last|L2::evict_normal", "A").since(7, 4).on(80),
    row(By::Hint, Prefetch, "const|param? tensormap", "A").since(8, 0).on(90),
    row(By::Hint, Prefetchu, "L1", "A").since(2, 0).on(20),
    row(By::Hint, Applypriority, "global? L2::evict_normal", "A i").since(7, 4).on(80),
    row(By::Hint, Discard, "global? L2", "A i").since(7, 4).on(80),
    row(By::CachePolicy, Createpolicy, "fractional POLICY b64", "d=b64 s=f32?").since(7, 4).on(80),
    row(By::CachePolicy, Createpolicy, "fractional POLICY L2::evict_first|L2::evict_unchanged b64", "d=b64 s=f32?").since(7, 4).on(80),
    row(By::CachePolicy, Createpolicy, "range global? POLICY b64", "d=b64 A s=u32 s=u32").since(7, 4).on(80),
    row(By::CachePolicy, Createpolicy, "range global? POLICY L2::evict_first|L2::evict_unchanged b64", "d=b64 A s=u32 s=u32").since(7, 4).on(80),
    row(By::CachePolicy, Createpolicy, "cvt L2 b64", "d=b64 s=b64").since(7, 4).on(80),
    row(By::AddressTest, Isspacep, "const|global|local|SHAREDC", "p s=ptr").since(2, 0).on(20),
    row(By::AddressTest, Isspacep, "param|param::entry", "p s=ptr").since(7, 7).on(70),
    row(By::AddressConversion, Cvta, "const|global|local|SHAREDC u64", "d=0 m=0").since(2, 0).on(20),
    row(By::AddressConversion, Cvta, "param|param::entry u64", "d=0 m=0").since(7, 7).on(70),
    row(By::AddressConversion, Cvta, "to const|global|local|SHAREDC u64", "d=0 s=0").since(2, 0).on(20),
    row(By::AddressConversion, Cvta, "to param|param::entry u64", "d=0 s=0").since(7, 7).on(70),
    row(By::AddressConversion, Cvta, "to? const|global|local|SHAREDC|param|param::entry u32", "d=0 m=0").since(2, 0).on(20).refused(NARROW),
    row(By::AddressInCluster, Mapa, "shared::cluster u32|u64", "d=0 m=0 s=u32").since(7, 8).on(90),
    row(By::AddressInCluster, Mapa, "u64", "d=0 m=0 s=u32").since(7, 8).on(90),
    row(By::AddressInCluster, Mapa, "u32", "d=0 m=0 s=u32").since(7, 8).on(90).refused(NARROW),
    row(By::RankOfAddress, Getctarank, "shared::cluster u32|u64", "d=u32 m=0").since(7, 8).on(90),
    row(By::RankOfAddress, Getctarank, "u64", "d=u32 m=0").since(7, 8).on(90),
    row(By::RankOfAddress, Getctarank, "u32", "d=u32 m=0").since(7, 8).on(90).refused(NARROW),
    Row::new(Section::Stack, Stacksave, "u32|u64", "d=0").by(By::Stack).since(7, 3).on(52),
    Row::new(Section::Stack, Stackrestore, "u32|u64", "s=0").by(By::Stack).since(7, 3).on(52),
    Row::new(Section::Stack, Alloca, "u32|u64", "d=0 s=0 i?").by(By::Stack).since(7, 3).on(52),
];
