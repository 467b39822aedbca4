//! Memory that is mapped once, for hosts where the simulator has no other.

use std::io;

/// A file of another process, of which there are none.
#[derive(Debug)]
pub enum SharedFile {}

/// Pages that can be mapped at several addresses, of which there are none.
#[derive(Debug)]
pub(crate) enum Pages {}

impl Pages {
    /// Returns the error that this host has no such pages.
    pub(crate) fn new(_: u64) -> io::Result<Self> {
        Err(io::Error::other("this host maps no memory twice"))
    }

    pub(crate) fn of(file: SharedFile) -> io::Result<Self> {
        match file {}
    }

    pub(crate) fn size(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn numbers(&self) -> io::Result<(i32, u64)> {
        match *self {}
    }

    pub(crate) unsafe fn fill(&self, _: u64) -> io::Result<()> {
        match *self {}
    }

    pub(crate) unsafe fn map(&self, _: u64) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn show(&self) -> io::Result<u64> {
        match *self {}
    }
}
