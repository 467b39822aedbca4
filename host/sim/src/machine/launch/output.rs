//! Output of kernels, in the order of their teams.
//!
//! Blocks run on several cores, and a GPU promises no order between them. Here the output is the
//! same in every run. The output of the team whose turn it is appears at once, so that it is not
//! lost if a kernel hangs later. The output of later teams waits.

use std::collections::BTreeMap;

/// Output that waits for its turn.
#[derive(Debug, Default)]
pub(in crate::machine) struct Output {
    /// The team whose turn it is.
    next: u64,
    /// What later teams printed, and whether they have ended.
    waiting: BTreeMap<u64, (Vec<Vec<u8>>, bool)>,
}

impl Output {
    /// Prints `text` of a thread of `team`, or keeps it until the team's turn.
    pub(in crate::machine) fn print(&mut self, team: u64, text: Vec<u8>, write: &dyn Fn(&[u8])) {
        if team == self.next {
            write(&text);
        } else {
            self.waiting.entry(team).or_default().0.push(text);
        }
    }

    /// Ends a team: it is the next one's turn.
    pub(in crate::machine) fn end(&mut self, team: u64, write: &dyn Fn(&[u8])) {
        if team != self.next {
            self.waiting.entry(team).or_default().1 = true;
            return;
        }
        loop {
            self.next += 1;
            let Some((lines, ended)) = self.waiting.remove(&self.next) else {
                return;
            };
            lines.iter().for_each(|line| write(line));
            if !ended {
                return;
            }
        }
    }

    /// Prints the remaining output after the launch has ended.
    pub(in crate::machine) fn flush(&mut self, write: &dyn Fn(&[u8])) {
        for (lines, _) in std::mem::take(&mut self.waiting).into_values() {
            lines.iter().for_each(|line| write(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn teams_speak_in_order_and_the_first_at_once() {
        let heard = RefCell::new(Vec::new());
        let write = |text: &[u8]| heard.borrow_mut().push(text[0]);
        let mut output = Output::default();
        output.print(2, vec![20], &write);
        output.end(2, &write);
        output.print(1, vec![10], &write);
        output.print(0, vec![0], &write);
        assert_eq!(*heard.borrow(), [0]);
        output.end(0, &write);
        assert_eq!(*heard.borrow(), [0, 10]);
        output.print(1, vec![11], &write);
        output.end(1, &write);
        output.print(4, vec![40], &write);
        assert_eq!(*heard.borrow(), [0, 10, 11, 20]);
        output.flush(&write);
        assert_eq!(heard.borrow().last(), Some(&40));
    }
}
