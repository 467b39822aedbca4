//! The program `lanewise` through its door. One program of tests, so that what waits in one of its
//! parts leaves no processor idle.

mod exec;
mod project;
mod python;
