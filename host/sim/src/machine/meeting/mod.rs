//! Lanes of a warp, and threads of a block or a cluster, that wait for each other
//! or exchange values.
//!
//! | file | what it is |
//! | --- | --- |
//! | `exchange` | lanes of a warp |
//! | `together` | lanes of a warp that came to one instruction by different paths |
//! | `barrier` | threads of a block |
//! | `cluster` | blocks of a cluster |
//! | `mbarrier` | barriers that are objects in shared memory |

pub(crate) mod barrier;
pub(crate) mod cluster;
pub(crate) mod exchange;
pub(crate) mod mbarrier;
pub(crate) mod together;
