//! From a launch to blocks on cores, and from kernels to launches.
//!
//! | file | what it is |
//! | --- | --- |
//! | `grid` | one grid, from what a launch asks for to what it leaves |
//! | `run` | a grid over all cores |
//! | `progress` | launches that never end, found by what they do |
//! | `team` | the blocks that run together |
//! | `family` | which grid runs when |
//! | `children` | launches from kernels |
//! | `output` | what kernels print |

pub(crate) mod children;
pub(crate) mod family;
pub(in crate::machine) mod grid;
pub(in crate::machine) mod output;
pub(in crate::machine) mod progress;
pub(crate) mod run;
pub(in crate::machine) mod team;
