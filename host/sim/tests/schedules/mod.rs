//! Schedules other than the plain one: litmus tests of the memory model, all schedules of small programs, random ones of larger ones.

mod axioms;
mod litmus;
mod shapes;
mod strategies;
