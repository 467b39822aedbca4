//! From a launch to blocks on cores, and from kernels to launches.
//!
//! | file | what it is |
//! | --- | --- |
//! | `run` | a launch over all cores |
//! | `progress` | launches that never end, found by what they do |
//! | `team` | the blocks that run together |
//! | `family` | which grid runs when |
//! | `children` | launches from kernels |
//! | `output` | what kernels print |

pub(crate) mod children;
pub(crate) mod family;
pub(in crate::machine) mod output;
pub(in crate::machine) mod progress;
pub(crate) mod run;
pub(in crate::machine) mod team;
