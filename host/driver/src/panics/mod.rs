//! Panics of kernels, which the kernels store in memory of the host.
//!
//! A kernel that lanewise-builder has compiled for this (`--panic record`) prints nothing when it
//! panics. It stores the place, the text and up to four values in a [`Record`] and traps. The
//! module has a variable [`VARIABLE`] for the record's address. [`real`] gives every module that
//! has the variable a record when it is loaded, reads the record when a kernel has failed, prints
//! the message that a kernel would print, and puts it into the call's error. On the simulator
//! `objects::code::panics` does this.
//!
//! The layout is that of lanewise-std's module `panic::record`. The book's page on panics describes
//! the protocol.

pub(crate) mod real;

use crate::output;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

/// The variable of a module that panics: the address of a record, and a word for the kernels.
pub(crate) const VARIABLE: &str = "__lanewise_panic";

/// The size of the variable in bytes.
pub(crate) const VARIABLE_SIZE: u64 = 16;

/// The layout of records that this module reads.
const VERSION: u32 = 2;

/// A panic as the device stores it. Integers are little-endian on both sides.
#[repr(C)]
pub(crate) struct Record {
    /// [`VERSION`] when the record is complete, else zero.
    version: AtomicU32,
    block: [u32; 3],
    thread: [u32; 3],
    reserved: u32,
    values: [u64; 4],
    line: u32,
    column: u32,
    /// The number of values that the text refers to as `{0}` to `{3}`. If there are none, the text
    /// is meant as it is.
    count: u32,
    file_length: u32,
    text_length: u32,
    /// The file's name, and the text after it.
    bytes: [u8; 928],
    end: [u8; 12],
}

const _: () = assert!(size_of::<Record>() == 1024);

/// A panic of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Panic {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The message with its values.
    pub(crate) text: String,
    /// The indices of the block and the thread.
    pub(crate) block: [u32; 3],
    pub(crate) thread: [u32; 3],
}

/// The line that a kernel prints if it reports a panic itself.
impl fmt::Display for Panic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(
            out,
            "panicked at {}:{}: {}, block ({bx},{by},{bz}), thread ({tx},{ty},{tz})",
            self.file, self.line, self.text
        )
    }
}

impl Panic {
    /// Prints the panic to the kernels' output.
    pub(crate) fn print(&self) {
        output::write(format!("{self}\n").as_bytes());
        output::flush();
    }
}

impl Record {
    /// Returns the panic, if the record is complete, and clears the record.
    ///
    /// # Safety
    /// `record` is valid for reads and writes. A device writes only to a record that is not
    /// complete.
    pub(crate) unsafe fn take(record: *mut Record) -> Option<Panic> {
        // SAFETY: the caller guarantees that it is valid. A device may write it at the same time,
        // so only this word is read until it is complete.
        let version = unsafe { AtomicU32::from_ptr((&raw mut (*record).version).cast()) };
        if version.load(Ordering::Acquire) != VERSION {
            return None;
        }
        // SAFETY: it is complete, so nothing writes it.
        let panic = unsafe { (*record).read() };
        version.store(0, Ordering::Release);
        Some(panic)
    }

    fn read(&self) -> Panic {
        let part = |bytes: &[u8], length: u32| {
            let end = bytes.len().min(length as usize);
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        };
        let file_end = self.bytes.len().min(self.file_length as usize);
        let mut text = part(&self.bytes[file_end..], self.text_length);
        for (at, value) in self.values.iter().take(self.count as usize).enumerate() {
            text = text.replace(&format!("{{{at}}}"), &value.to_string());
        }
        Panic {
            file: part(&self.bytes, self.file_length),
            line: self.line,
            column: self.column,
            text,
            block: self.block,
            thread: self.thread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(file: &str, text: &str, count: u32) -> Record {
        let mut record = Record {
            version: AtomicU32::new(VERSION),
            block: [1, 0, 0],
            thread: [9, 2, 0],
            reserved: 0,
            values: [41, 40, 0, 0],
            line: 12,
            column: 5,
            count,
            file_length: file.len() as u32,
            text_length: text.len() as u32,
            bytes: [0; 928],
            end: [0; 12],
        };
        let bytes = [file.as_bytes(), text.as_bytes()].concat();
        record.bytes[..bytes.len()].copy_from_slice(&bytes);
        record
    }

    #[test]
    fn a_record_reads_as_the_line_that_a_kernel_prints() {
        let text = "index out of bounds: the len is {1} but the index is {0}";
        let mut with_values = record("src/lib.rs", text, 2);
        // SAFETY: the record is a variable of this function.
        let panic = unsafe { Record::take(&mut with_values) };
        assert_eq!(
            panic.expect("it is complete").to_string(),
            "panicked at src/lib.rs:12: index out of bounds: the len is 40 but the index is 41, block (1,0,0), thread (9,2,0)"
        );
        // SAFETY: as above.
        let again = unsafe { Record::take(&mut with_values) };
        assert_eq!(again, None, "a panic is taken once");
    }

    #[test]
    fn a_text_without_values_is_left_as_it_is() {
        let panic = record("src/lib.rs", "{0} is a brace", 0).read();
        assert_eq!(panic.text, "{0} is a brace");
    }

    #[test]
    fn lengths_past_the_array_are_cut() {
        let mut broken = record("a", "b", 0);
        (broken.file_length, broken.text_length, broken.count) = (u32::MAX, u32::MAX, u32::MAX);
        let panic = broken.read();
        assert_eq!((panic.file.len(), panic.text.len()), (928, 0));
    }
}
