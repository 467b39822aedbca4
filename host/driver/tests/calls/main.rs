//! The table of calls and the behaviour of single calls: every symbol with its arguments, the
//! book's page, copies of boxes, and `cust` on this driver.

#[path = "../answer/mod.rs"]
mod answer;
mod copy_shapes;
mod smoke;
mod support_page;
mod symbols;
