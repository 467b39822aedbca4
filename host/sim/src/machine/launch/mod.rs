//! Launches: the distribution of blocks to cores, and launches from kernels.
//!
//! | file | what it is |
//! | --- | --- |
//! | `grid` | one grid, from the launch's arguments to its results |
//! | `run` | a grid over all cores |
//! | `progress` | launches that never end, found by their behaviour |
//! | `team` | the blocks that run together |
//! | `family` | the order in which grids run |
//! | `children` | launches from kernels |
//! | `output` | output of kernels |

pub(crate) mod children;
pub(crate) mod family;
pub(in crate::machine) mod grid;
pub(in crate::machine) mod output;
pub(in crate::machine) mod progress;
pub(crate) mod run;
pub(in crate::machine) mod team;
