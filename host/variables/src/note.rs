//! The mark of a program file that contains the driver: an ELF note.
//!
//! The driver puts it into every program that it is linked into, and `lanewise exec` looks
//! for it: such a program needs no `libcuda.so.1`. The note remains when the symbols of a
//! program are stripped.
//! Source: System V Application Binary Interface, "Note Section".

/// An ELF note without a description.
#[derive(Debug)]
#[repr(C)]
pub struct Note {
    owner_length: u32,
    description_length: u32,
    kind: u32,
    owner: [u8; 12],
}

/// The owner of the note, with its terminating zero.
const OWNER: [u8; 9] = *b"Lanewise\0";

/// The type of the note. It means that the program contains the driver, which handles
/// [`TRY`](crate::TRY) before `main`.
const DRIVER_INSIDE: u32 = 1;

impl Note {
    /// The note of a program with the driver inside.
    pub const DRIVER_INSIDE: Note = {
        // The owner is padded to a multiple of four bytes.
        let mut owner = [0; 12];
        let mut i = 0;
        while i < OWNER.len() {
            owner[i] = OWNER[i];
            i += 1;
        }
        Note {
            owner_length: OWNER.len() as u32,
            description_length: 0,
            kind: DRIVER_INSIDE,
            owner,
        }
    };

    /// Returns whether one of the notes in a segment is the driver's note. Data that is not a note
    /// ends the list.
    pub fn is_among(mut notes: &[u8]) -> bool {
        let padded = |length: u32| (length as usize).checked_next_multiple_of(4);
        while let Some((head, rest)) = notes.split_first_chunk::<12>() {
            let word =
                |i: usize| u32::from_ne_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
            let (owner_length, description_length, kind) = (word(0), word(4), word(8));
            let owner = rest.get(..owner_length as usize);
            if owner == Some(&OWNER) && kind == DRIVER_INSIDE {
                return true;
            }
            let next = padded(owner_length).zip(padded(description_length));
            let next = next.and_then(|(owner, description)| owner.checked_add(description));
            match next.and_then(|next| rest.get(next..)) {
                Some(next) => notes = next,
                None => return false,
            }
        }
        false
    }
}
