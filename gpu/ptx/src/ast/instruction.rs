//! One instruction: its guard, opcode and modifiers.

use super::{RegisterId, Slice};
use crate::position::Position;
use crate::types::Type;
use crate::words::{Modifier, Opcode};

/// An instruction: its words, and where its operands are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// The word before the first dot.
    pub opcode: Opcode,
    /// The dotted words after it, in order.
    pub modifiers: Modifiers,
    /// Its operands in [`Body::operands`](super::Body::operands).
    pub operands: Slice,
    /// The place of the opcode in the text.
    pub position: Position,
    /// The `.loc` directive that applies: an index into
    /// [`Body::locations`](super::Body::locations).
    pub location: Option<u32>,
    /// The row of the instruction table for this instruction, after
    /// [`isa::check`](crate::isa::check()) has found it.
    pub row: Option<u16>,
}

impl Instruction {
    /// Returns the opcode and its modifiers as written.
    pub fn spelling(&self) -> String {
        self.modifiers
            .iter()
            .fold(self.opcode.name().to_owned(), |spelling, word| {
                spelling + "." + word.name()
            })
    }
}

/// `@p` (or `@!p`, negated).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The predicate register that decides whether the instruction runs.
    pub register: RegisterId,
    /// Whether the instruction runs if the predicate is false.
    pub negated: bool,
}

/// The dotted words of an instruction, in order. There are at most [`Modifiers::MAX`]. Dereferences
/// to a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modifiers {
    len: u8,
    words: [Modifier; Modifiers::MAX],
}

impl Modifiers {
    /// The longest instruction of the ISA (`mma` with block scaling) has 14.
    pub const MAX: usize = 16;

    /// The list without a modifier.
    pub const EMPTY: Modifiers = Modifiers {
        len: 0,
        words: [Modifier::Sync; Modifiers::MAX],
    };

    /// Returns the list of these words. Words beyond [`Modifiers::MAX`] are left out.
    pub fn of(words: &[Modifier]) -> Modifiers {
        let mut modifiers = Modifiers::EMPTY;
        for (slot, word) in modifiers.words.iter_mut().zip(words) {
            (*slot, modifiers.len) = (*word, modifiers.len + 1);
        }
        modifiers
    }

    /// Appends a word. Returns whether there was room for it.
    #[must_use]
    pub fn push(&mut self, modifier: Modifier) -> bool {
        let Some(slot) = self.words.get_mut(usize::from(self.len)) else {
            return false;
        };
        *slot = modifier;
        self.len += 1;
        true
    }

    /// Returns whether the instruction has this word.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.contains(&modifier)
    }

    /// Returns the words that are types, in order.
    pub fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.iter().filter_map(|&modifier| Type::of(modifier))
    }
}

impl std::hash::Hash for Modifiers {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        // Writing one well-mixed number is faster than a call for each word.
        state.write_u64(self.iter().fold(u64::from(self.len), |hash, &word| {
            (hash.rotate_left(11) ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }));
    }
}

impl std::ops::Deref for Modifiers {
    type Target = [Modifier];

    fn deref(&self) -> &[Modifier] {
        &self.words[..usize::from(self.len)]
    }
}
