//! Bulk copies: one thread starts a copy of many bytes, and a separate unit of the multiprocessor
//! moves them. They need `sm_90`.
//!
//! A copy into shared memory reports its bytes to a barrier that expects them
//! ([`Barrier::arrive_expect_bytes`](crate::barrier::Barrier::arrive_expect_bytes)). A copy out of
//! shared memory belongs to a group of the thread that started it. [`commit_group`] ends the group,
//! [`wait_group_read`] waits until the source may be overwritten, and [`wait_group`] waits until
//! the destination is written. The unit accesses shared memory through another *proxy* than the
//! threads. So it sees their writes only after
//! [`fence_proxy_async_shared`](crate::fence::fence_proxy_async_shared).
//!
//! | from | to | functions | tells |
//! | --- | --- | --- | --- |
//! | global | this block | [`load`] | its barrier |
//! | global | several blocks of the cluster | [`load_multicast`] | the barrier of each |
//! | this block | another of the cluster | [`copy_to_block`], [`add_to_block`] ... | that block's barrier |
//! | this block | global | [`store`], [`store_add`] ... | a group |
//! | a register | another block of the cluster | [`set_async`](crate::cluster::DistributedArray::set_async), [`add_async`](crate::cluster::DistributedArray::add_async) ... | that block's barrier |
//! | global | the second-level cache | [`prefetch`] | nobody |
//!
//! Sizes and addresses are multiples of 16 bytes. For a copy from a register, the address is a
//! multiple of the element's size. [`with_policy`] makes the second-level cache keep the copied
//! lines for a longer or shorter time. [`crate::tma`] moves boxes of tensors with the same
//! unit. PTX ISA, "Data Movement and Conversion Instructions: cp.async.bulk",
//! "cp.reduce.async.bulk", "cp.async.bulk.prefetch", "fence.proxy"; CUDA C++ Programming Guide,
//! "Tensor Memory Accelerator".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code, dead_code)
)]

mod cluster;
mod copy;
mod element;
mod group;
mod reduce;

pub use cluster::{
    BlockAdd, BlockBitwise, BlockIncDec, BlockMinMax, add_to_block, and_to_block, copy_to_block,
    dec_to_block, inc_to_block, max_to_block, min_to_block, or_to_block, xor_to_block,
};
pub use copy::{WithPolicy, load, load_multicast, prefetch, store, with_policy};
pub use group::{commit_group, wait_group, wait_group_read};
pub use reduce::{
    ReduceAdd, ReduceBitwise, ReduceIncDec, ReduceMinMax, store_add, store_and, store_dec,
    store_inc, store_max, store_min, store_or, store_xor,
};
