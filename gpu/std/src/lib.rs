#![no_std]
//! The device library: what a kernel uses to know its place, share memory, synchronise and report.
//!
//! Every module is one subject of the CUDA model; the names are the field's (see the book's page on names). The crate is
//! compiled twice: for `nvptx64-nvidia-cuda`, where the functions are instructions, and for the host, where it supplies
//! the types by which a kernel is described ([`kernel`]).

pub mod kernel;
