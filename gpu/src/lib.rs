#![no_std]
//! Every kernel of the notes.
