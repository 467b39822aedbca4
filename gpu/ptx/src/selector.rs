//! Selectors of video instructions: the bytes or halves of a register that an operand stands for,
//! as in `%r1.b0`, `%r1.h1`, `%r1.h32`, `%r1.b7654`.
//!
//! PTX ISA 9.7.18 "Video Instructions". Scalar instructions use one element of a register. SIMD
//! instructions use two halves or four bytes of two adjacent registers. The first operand is the
//! lower register. After a destination, the same words select the elements that are written. The
//! instruction table defines which selector an operand may have.

use std::fmt;

/// The word after an operand's dot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selector {
    halves: bool,
    len: u8,
    /// The elements, the lowest first. In text, the lowest comes last.
    elements: [u8; 4],
}

impl Selector {
    /// Returns the selector of this spelling, without its dot.
    pub fn of(word: &str) -> Option<Selector> {
        let (kind, digits) = word.as_bytes().split_first()?;
        let (halves, most, below) = match kind {
            b'b' => (false, 4, b'8'),
            b'h' => (true, 2, b'4'),
            _ => return None,
        };
        let fits = |digit: &u8| (b'0'..below).contains(digit);
        if digits.is_empty() || digits.len() > most || !digits.iter().all(fits) {
            return None;
        }
        let mut elements = [0; 4];
        for (element, digit) in elements.iter_mut().zip(digits.iter().rev()) {
            *element = digit - b'0';
        }
        Some(Selector {
            halves,
            len: digits.len() as u8,
            elements,
        })
    }

    /// Returns whether its elements are halves. Otherwise they are bytes.
    pub fn halves(self) -> bool {
        self.halves
    }

    /// Returns the numbers of the elements, the lowest first.
    pub fn elements(&self) -> &[u8] {
        &self.elements[..usize::from(self.len)]
    }

    /// Returns whether it can be a write mask: elements of one register, in order, each once.
    pub fn is_mask(&self) -> bool {
        let most = if self.halves { 2 } else { 4 };
        self.elements().iter().all(|&element| element < most)
            && self.elements().is_sorted_by(|a, b| a < b)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.halves { "h" } else { "b" })?;
        let mut digits = self.elements().iter().rev();
        digits.try_for_each(|digit| write!(f, "{digit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_read_as_they_are_written() {
        for word in [
            "b0", "b3", "h0", "h1", "h10", "h32", "b3210", "b7654", "b20",
        ] {
            let selector = Selector::of(word).unwrap_or_else(|| panic!("{word}"));
            assert_eq!(selector.to_string(), word);
        }
        let bytes = Selector::of("b7654").expect("four bytes");
        assert_eq!(bytes.elements(), [4, 5, 6, 7]);
        assert!(!bytes.halves());
    }

    #[test]
    fn what_names_no_element_is_no_selector() {
        for word in ["b", "h", "b8", "h4", "h210", "b01234", "x", "", "b1x", "é"] {
            assert_eq!(Selector::of(word), None, "{word}");
        }
    }

    #[test]
    fn a_mask_names_each_element_once_and_in_order() {
        let is_mask = |word| Selector::of(word).is_some_and(|selector| selector.is_mask());
        for word in ["b0", "b10", "b310", "b3210", "h0", "h10"] {
            assert!(is_mask(word), "{word}");
        }
        for word in ["b00", "b02", "b7654", "h01", "h32"] {
            assert!(!is_mask(word), "{word}");
        }
    }
}
