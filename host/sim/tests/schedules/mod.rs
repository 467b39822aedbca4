//! Schedules other than the default one: litmus tests of the memory model, all schedules of small
//! programs, and random schedules of larger ones.

mod axioms;
mod litmus;
mod shapes;
mod strategies;
