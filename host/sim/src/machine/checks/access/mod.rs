//! The checks of an access to memory, from the fastest to the most exact: each way returns whether
//! it was enough.
//!
//! | module | what it is |
//! | --- | --- |
//! | `at_once` | plain accesses of a whole warp, by a few tests |
//! | `evenly` | regular addresses, for all lanes at once |
//! | `by_lane` | any addresses, in each memory that they lead to |
//! | `counting` | the counters of a launch |

mod at_once;
pub(in crate::machine::checks) mod by_lane;
mod counting;
mod evenly;
