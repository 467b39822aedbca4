//! PTX ISA 9.7.9, asynchronous copies, and 9.7.13, `mbarrier`.

use crate::ast::Opcode::{self, *};
use crate::isa::{Decoder as By, Row, Section};

const fn copy(by: By, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::DataMovement, Cp, modifiers, operands)
        .by(by)
        .since(7, 0)
        .on(80)
}

const fn bulk(by: By, opcode: Opcode, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::DataMovement, opcode, modifiers, operands)
        .by(by)
        .since(8, 0)
        .on(90)
}

const fn mbarrier(by: By, modifiers: &'static str, operands: &'static str) -> Row {
    Row::new(Section::Synchronization, Mbarrier, modifiers, operands)
        .by(by)
        .since(7, 0)
        .on(80)
}

#[rustfmt::skip] // a line for each row
pub(super) const ROWS: &[Row] = &[
    copy(By::CopyOfThread, "async ca SHARED global L2HINT? L2FETCH?", "A A i s=u32? if(L2::cache_hint)s=b64"),
    copy(By::CopyOfThread, "async cg SHARED global L2HINT? L2FETCH?", "A A i s=u32? if(L2::cache_hint)s=b64"),
    copy(By::CopyOfThread, "async ca|cg SHARED global L2HINT? L2FETCH?", "A A i pred if(L2::cache_hint)s=b64").since(7, 5),
    copy(By::CopyCommit, "async commit_group", ""),
    copy(By::CopyWait, "async wait_group", "i"),
    copy(By::CopyWait, "async wait_all", ""),
    copy(By::CopyArrive, "async mbarrier arrive noinc? SHARED? b64", "A"),
    bulk(By::BulkCopy, Cp, "async bulk shared::cluster global mbarrier::complete_tx::bytes multicast::cluster? L2HINT?", "A A s=u32 A if(multicast::cluster)s=u16 if(L2::cache_hint)s=b64"),
    bulk(By::BulkCopy, Cp, "async bulk shared::cta global mbarrier::complete_tx::bytes L2HINT?", "A A s=u32 A if(L2::cache_hint)s=b64").since(8, 6),
    bulk(By::BulkCopy, Cp, "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes", "A A s=u32 A"),
    bulk(By::BulkCopy, Cp, "async bulk global shared::cta bulk_group L2HINT?", "A A s=u32 if(L2::cache_hint)s=b64"),
    bulk(By::BulkCopy, Cp, "async bulk global shared::cta bulk_group L2HINT? cp_mask", "A A s=u32 if(L2::cache_hint)s=b64 s=u16").since(8, 6).on(100),
    bulk(By::Hint, Cp, "async bulk prefetch L2 global L2HINT?", "A s=u32 if(L2::cache_hint)s=b64"),
    bulk(By::CopyCommit, Cp, "async bulk commit_group", ""),
    bulk(By::CopyWait, Cp, "async bulk wait_group read?", "i"),
    bulk(By::BulkCopy, Cp, "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes and|or|xor b32", "A A s=u32 A"),
    bulk(By::BulkCopy, Cp, "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes add|inc|dec|min|max u32", "A A s=u32 A"),
    bulk(By::BulkCopy, Cp, "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes add|min|max s32", "A A s=u32 A"),
    bulk(By::BulkCopy, Cp, "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes add u64", "A A s=u32 A"),
    bulk(By::BulkCopy, Cp, "reduce async bulk global shared::cta bulk_group L2HINT? and|or|xor b32|b64", "A A s=u32 if(L2::cache_hint)s=b64"),
    bulk(By::BulkCopy, Cp, "reduce async bulk global shared::cta bulk_group L2HINT? inc|dec u32", "A A s=u32 if(L2::cache_hint)s=b64"),
    bulk(By::BulkCopy, Cp, "reduce async bulk global shared::cta bulk_group L2HINT? add|min|max u32|s32|u64", "A A s=u32 if(L2::cache_hint)s=b64"),
    bulk(By::BulkCopy, Cp, "reduce async bulk global shared::cta bulk_group L2HINT? min|max s64|f16|bf16", "A A s=u32 if(L2::cache_hint)s=b64"),
    bulk(By::BulkCopy, Cp, "reduce async bulk global shared::cta bulk_group L2HINT? add f32|f64", "A A s=u32 if(L2::cache_hint)s=b64"),
    bulk(By::BulkCopy, Cp, "reduce async bulk global shared::cta bulk_group L2HINT? add noftz f16|bf16", "A A s=u32 if(L2::cache_hint)s=b64"),
    bulk(By::BulkFill, St, "bulk weak? shared::cta?", "A s=u64 i").since(8, 6).on(100),
    bulk(By::BulkFill, St, "bulk weak? shared::cta?", "A s=u32 i").since(9, 0).on(100),
    bulk(By::StoreToCluster, St, "async weak|cluster? shared::cluster? mbarrier::complete_tx::bytes VEC? b32|u32|s32|f32", "A S=0 A").since(8, 1),
    bulk(By::StoreToCluster, St, "async weak|cluster? shared::cluster? mbarrier::complete_tx::bytes v2? b64|u64|s64|f64", "A S=0 A").since(8, 1),
    // Stores to global memory, without an mbarrier.
    bulk(By::Transfer, St, "async gpu|sys? global? ASYNCTYPE", "A s=0").since(8, 7),
    bulk(By::Transfer, St, "async weak global? ASYNCTYPE", "A s=0").since(8, 7),
    bulk(By::Transfer, St, "async mmio? release gpu|sys global? ASYNCTYPE", "A s=0").since(8, 7).on(100),
    bulk(By::StoreToCluster, Red, "async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes add|inc|dec|min|max u32", "A s=0 A").since(8, 1),
    bulk(By::StoreToCluster, Red, "async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes add|min|max s32", "A s=0 A").since(8, 1),
    bulk(By::StoreToCluster, Red, "async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes and|or|xor b32", "A s=0 A").since(8, 1),
    bulk(By::StoreToCluster, Red, "async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes add u64|s64", "A s=0 A").since(8, 1),
    bulk(By::Atomic, Red, "async relaxed gpu|sys global? add|inc|dec|min|max u32", "A s=0").since(8, 7),
    bulk(By::Atomic, Red, "async relaxed gpu|sys global? add|min|max s32", "A s=0").since(8, 7),
    bulk(By::Atomic, Red, "async relaxed gpu|sys global? and|or|xor b32", "A s=0").since(8, 7),
    bulk(By::Atomic, Red, "async relaxed gpu|sys global? add u64|s64", "A s=0").since(8, 7),
    bulk(By::Atomic, Red, "async mmio? release gpu|sys global? add|inc|dec|min|max u32", "A s=0").since(8, 7).on(100),
    bulk(By::Atomic, Red, "async mmio? release gpu|sys global? add|min|max s32", "A s=0").since(8, 7).on(100),
    bulk(By::Atomic, Red, "async mmio? release gpu|sys global? and|or|xor b32", "A s=0").since(8, 7).on(100),
    bulk(By::Atomic, Red, "async mmio? release gpu|sys global? add u64|s64", "A s=0").since(8, 7).on(100),
    mbarrier(By::Mbarrier, "init SHARED? b64", "A s=u32"),
    mbarrier(By::Mbarrier, "inval SHARED? b64", "A"),
    mbarrier(By::Mbarrier, "expect_tx|complete_tx RELAXED? SHAREDC? b64", "A s=u32").since(8, 0).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop SHARED? b64", "d_=b64 A"),
    mbarrier(By::Mbarrier, "arrive|arrive_drop SHARED? b64", "d_=b64 A s=u32").since(7, 8).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop shared::cluster b64", "sink A s=u32?").since(8, 0).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop RELEASE SHARED? b64", "d_=b64 A").since(8, 0),
    mbarrier(By::Mbarrier, "arrive|arrive_drop RELEASE SHARED? b64", "d_=b64 A s=u32").since(8, 0).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop RELEASE shared::cluster b64", "sink A s=u32?").since(8, 0).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop RELAXED SHARED? b64", "d_=b64 A s=u32?").since(8, 6).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop RELAXED shared::cluster b64", "sink A s=u32?").since(8, 6).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop expect_tx RELEASE? SHARED? b64", "d_=b64 A s=u32").since(8, 0).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop expect_tx RELEASE? shared::cluster b64", "sink A s=u32").since(8, 0).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop expect_tx RELAXED SHARED? b64", "d_=b64 A s=u32").since(8, 6).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop expect_tx RELAXED shared::cluster b64", "sink A s=u32").since(8, 6).on(90),
    mbarrier(By::Mbarrier, "arrive|arrive_drop noComplete SHARED? b64", "d_=b64 A s=u32"),
    mbarrier(By::Mbarrier, "arrive|arrive_drop noComplete release.cta SHARED? b64", "d_=b64 A s=u32").since(8, 0),
    mbarrier(By::MbarrierWait, "test_wait SHARED? b64", "p A s=b64"),
    mbarrier(By::MbarrierWait, "test_wait parity SHARED? b64", "p A s=u32").since(7, 1),
    mbarrier(By::MbarrierWait, "test_wait ACQUIRE SHARED? b64", "p A s=b64").since(8, 0),
    mbarrier(By::MbarrierWait, "test_wait parity ACQUIRE SHARED? b64", "p A s=u32").since(8, 0),
    mbarrier(By::MbarrierWait, "test_wait RELAXED SHARED? b64", "p A s=b64").since(8, 6).on(90),
    mbarrier(By::MbarrierWait, "test_wait parity RELAXED SHARED? b64", "p A s=u32").since(8, 6).on(90),
    mbarrier(By::MbarrierWait, "try_wait SHARED? b64", "p A s=b64 s=u32?").since(7, 8).on(90),
    mbarrier(By::MbarrierWait, "try_wait parity SHARED? b64", "p A s=u32 s=u32?").since(7, 8).on(90),
    mbarrier(By::MbarrierWait, "try_wait ACQUIRE SHARED? b64", "p A s=b64 s=u32?").since(8, 0).on(90),
    mbarrier(By::MbarrierWait, "try_wait parity ACQUIRE SHARED? b64", "p A s=u32 s=u32?").since(8, 0).on(90),
    mbarrier(By::MbarrierWait, "try_wait RELAXED SHARED? b64", "p A s=b64 s=u32?").since(8, 6).on(90),
    mbarrier(By::MbarrierWait, "try_wait parity RELAXED SHARED? b64", "p A s=u32 s=u32?").since(8, 6).on(90),
    mbarrier(By::MbarrierCount, "pending_count b64", "d=u32 s=b64"),
];
