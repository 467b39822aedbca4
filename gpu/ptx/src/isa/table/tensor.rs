//! PTX ISA 9.7.9: copies of boxes of tensors, and `tensormap`.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn row(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::DataMovement, opcode, modifiers, operands)
        .by(by)
        .since(8, 0)
        .on(90)
}

const fn replace(modifiers: &'static str, operands: &'static str) -> Row {
    row(By::TensorMapReplace, Tensormap, modifiers, operands)
        .since(8, 3)
        .families(&[90, 100, 110, 120])
}

/// The operands after a load's shared address: map, mbarrier, blocks, policy.
const LOAD: &str = "A M A if(multicast::cluster)s=u16 if(L2::cache_hint)s=b64";
const IMAGES: &str = "A M A O if(multicast::cluster)s=u16 if(L2::cache_hint)s=b64";
const GATHER: &str = "A M5 A if(multicast::cluster)s=u16 if(L2::cache_hint)s=b64";
const STORE: &str = "M A if(L2::cache_hint)s=b64";

const WIDE: &str = "`im2col::w` is left out; use `im2col`";
const PAIR: &str = "pairs of blocks (`cta_group::2`) are left out";

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    row(By::TensorCopy, Cp, "async bulk tensor DIM shared::cluster global tile? mbarrier::complete_tx::bytes multicast::cluster? L2HINT?", LOAD),
    row(By::TensorCopy, Cp, "async bulk tensor DIM shared::cluster global tile? mbarrier::complete_tx::bytes multicast::cluster? cta_group::1 L2HINT?", LOAD).since(8, 6).families(&[100, 110]),
    row(By::TensorCopy, Cp, "async bulk tensor IMAGES shared::cluster global im2col mbarrier::complete_tx::bytes multicast::cluster? L2HINT?", IMAGES),
    row(By::TensorCopy, Cp, "async bulk tensor 2d shared::cluster global tile::gather4 mbarrier::complete_tx::bytes multicast::cluster? cta_group::1? L2HINT?", GATHER).since(8, 6).families(&[100, 110]),
    row(By::TensorCopy, Cp, "async bulk tensor DIM shared::cta global tile? mbarrier::complete_tx::bytes L2HINT?", LOAD).since(8, 6),
    row(By::TensorCopy, Cp, "async bulk tensor IMAGES shared::cta global im2col mbarrier::complete_tx::bytes L2HINT?", IMAGES).since(8, 6),
    row(By::TensorCopy, Cp, "async bulk tensor 2d shared::cta global tile::gather4 mbarrier::complete_tx::bytes L2HINT?", GATHER).since(8, 6).on(100),
    row(By::TensorCopy, Cp, "async bulk tensor IMAGES shared::cluster|shared::cta global im2col::w|im2col::w::128 *", "*").since(8, 6).on(100).refused(WIDE),
    row(By::TensorCopy, Cp, "async bulk tensor DIM shared::cluster global tile|tile::gather4|im2col? mbarrier::complete_tx::bytes multicast::cluster? cta_group::2 L2HINT?", "*").since(8, 6).families(&[100, 110]).refused(PAIR),
    row(By::TensorCopy, Cp, "async bulk tensor DIM global shared::cta tile? bulk_group L2HINT?", STORE),
    row(By::TensorCopy, Cp, "async bulk tensor IMAGES global shared::cta im2col_no_offs bulk_group L2HINT?", STORE),
    row(By::TensorCopy, Cp, "async bulk tensor 2d global shared::cta tile::scatter4 bulk_group L2HINT?", "M5 A if(L2::cache_hint)s=b64").since(8, 6).families(&[100, 110]),
    row(By::TensorCopy, Cp, "reduce async bulk tensor DIM global shared::cta add|min|max|inc|dec|and|or|xor tile? bulk_group L2HINT?", STORE),
    row(By::TensorCopy, Cp, "reduce async bulk tensor IMAGES global shared::cta add|min|max|inc|dec|and|or|xor im2col_no_offs bulk_group L2HINT?", STORE),
    row(By::TensorCopy, Cp, "async bulk prefetch tensor DIM L2 global tile? L2HINT?", "M if(L2::cache_hint)s=b64"),
    row(By::TensorCopy, Cp, "async bulk prefetch tensor IMAGES L2 global im2col L2HINT?", "M O if(L2::cache_hint)s=b64"),
    row(By::TensorCopy, Cp, "async bulk prefetch tensor 2d L2 global tile::gather4 L2HINT?", "M5 if(L2::cache_hint)s=b64").since(8, 6).families(&[100, 110]),
    row(By::TensorCopy, Cp, "async bulk prefetch tensor IMAGES L2 global im2col::w|im2col::w::128 L2HINT?", "*").since(8, 6).families(&[100, 110]).refused(WIDE),
    replace("replace tile global_address global|shared::cta? b1024 b64", "A s=b64"),
    replace("replace tile rank global|shared::cta? b1024 b32", "A s=b32"),
    replace("replace tile box_dim|global_dim|element_stride global|shared::cta? b1024 b32", "A i s=b32"),
    replace("replace tile global_stride global|shared::cta? b1024 b64", "A i s=b64"),
    replace("replace tile elemtype|interleave_layout|swizzle_mode|fill_mode global|shared::cta? b1024 b32", "A i"),
    replace("replace tile swizzle_atomicity global|shared::cta? b1024 b32", "A i").since(8, 6).families(&[100, 110, 120]),
    row(By::TensorMapPublish, Tensormap, "cp_fenceproxy global shared::cta tensormap::generic release SCOPE sync aligned", "A A i").since(8, 3),
];
