//! No memory is shared between processes.

use super::super::NotOpened;
use lanewise_sim::SharedFile;
use std::convert::Infallible;
use std::ffi::c_void;
use std::io::{self, ErrorKind};
use std::ptr::NonNull;

/// Memory that processes share, of which there is none.
#[derive(Debug)]
pub(crate) struct SharedMemory(Infallible);

impl SharedMemory {
    pub(crate) fn new(_: &str, _: usize) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(crate) fn of(_: SharedFile, _: usize) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(crate) fn start(&self) -> NonNull<c_void> {
        match self.0 {}
    }

    pub(crate) fn numbers(&self) -> (i32, u64) {
        match self.0 {}
    }
}

pub(crate) fn open(_: u32, _: (i32, u64), _: &str) -> Result<SharedFile, NotOpened> {
    Err(NotOpened::Refused(ErrorKind::Unsupported.into()))
}
