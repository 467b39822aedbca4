//! One module a command.

pub(crate) mod accuracy;
pub(crate) mod bench;
pub(crate) mod check;
mod costs;
pub(crate) mod device;
pub(crate) mod diff;
pub(crate) mod list;
mod output;
mod plot;
pub(crate) mod profile;
pub(crate) mod rank;
mod report;
pub(crate) mod run;
mod select;
