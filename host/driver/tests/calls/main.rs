//! The table of calls and what single calls do: every symbol with its arguments, the book's page,
//! boxes that are copied, `cust` on top.

#[path = "../answer/mod.rs"]
mod answer;
mod copy_shapes;
mod smoke;
mod support_page;
mod symbols;
