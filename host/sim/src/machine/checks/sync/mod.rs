//! The synchronisation check: barriers that threads of one warp reach separately, and asynchronous
//! transfers that nothing waits for.

pub(in crate::machine) mod apart;
pub(in crate::machine) mod transactions;
