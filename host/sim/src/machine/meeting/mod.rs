//! Lanes of a warp, and threads of a block or a cluster, that wait for each other or exchange values.
//!
//! | file | what it is |
//! | --- | --- |
//! | `exchange` | lanes of a warp |
//! | `barrier` | threads of a block |
//! | `cluster` | blocks of a cluster |
//! | `mbarrier` | barriers that are objects in shared memory |

pub(crate) mod barrier;
pub(crate) mod cluster;
pub(crate) mod exchange;
pub(crate) mod mbarrier;
