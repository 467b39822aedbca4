//! The bytes of global memory that a launch accessed, by kind of access. Two launches, or a launch
//! and a copy, race where these bytes overlap.

/// Address ranges, sorted and disjoint. Each is its first address and the address after
/// its last byte.
pub type Stretches = Vec<(u64, u64)>;

/// The bytes that a launch or a copy accessed. A byte is in one or several of the lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes that ordinary loads read.
    pub read: Stretches,
    /// Bytes that ordinary stores wrote.
    pub written: Stretches,
    /// Bytes that strong loads read. Strong has the memory model's meaning:
    /// volatile, relaxed, acquire.
    pub strong_read: Stretches,
    /// Bytes that atomics and other strong accesses wrote.
    pub strong_written: Stretches,
}

impl Footprint {
    /// Returns the lists, in the order of the fields.
    pub(crate) fn lists(&mut self) -> [&mut Stretches; 4] {
        [
            &mut self.read,
            &mut self.written,
            &mut self.strong_read,
            &mut self.strong_written,
        ]
    }

    /// Adds the bytes of another footprint.
    pub fn join(&mut self, other: Self) {
        let mut other = other;
        if self.is_empty() {
            *self = other;
            return self.sort();
        }
        for (list, more) in self.lists().into_iter().zip(other.lists()) {
            list.append(more);
        }
        self.sort();
    }

    /// Sorts the appended ranges, and joins ranges that overlap or are adjacent.
    pub fn sort(&mut self) {
        for list in self.lists() {
            list.sort_unstable();
            list.dedup_by(|next, last| {
                let meet = next.0 <= last.1;
                if meet {
                    last.1 = last.1.max(next.1);
                }
                meet
            });
        }
    }

    /// Keeps the ranges for whose first byte `keep` returns true.
    pub fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        for list in self.lists() {
            list.retain(|&(start, _)| keep(start));
        }
    }

    /// Returns the number of ranges.
    pub fn stretches(&self) -> usize {
        let (plain, strong) = (
            [&self.read, &self.written],
            [&self.strong_read, &self.strong_written],
        );
        plain.iter().chain(&strong).map(|list| list.len()).sum()
    }

    /// Returns whether nothing was accessed.
    pub fn is_empty(&self) -> bool {
        self.stretches() == 0
    }

    /// Returns the first bytes that both accessed and at least one wrote, except where both
    /// accesses are strong, and the kind of each access.
    pub fn conflict(&self, other: &Self) -> Option<Conflict> {
        let verbs = [
            (&self.written, true, &other.written, true),
            (&self.written, true, &other.read, false),
            (&self.read, false, &other.written, true),
            (&self.written, true, &other.strong_written, true),
            (&self.strong_written, true, &other.written, true),
            (&self.written, true, &other.strong_read, false),
            (&self.strong_read, false, &other.written, true),
            (&self.strong_written, true, &other.read, false),
            (&self.read, false, &other.strong_written, true),
        ];
        verbs
            .iter()
            .find_map(|&(mine, writes, theirs, other_writes)| {
                let (start, end) = common(mine, theirs)?;
                Some(Conflict {
                    start,
                    end,
                    writes: [writes, other_writes],
                })
            })
    }

    /// Returns whether both access the same bytes with strong accesses, one of which writes. They
    /// may then have synchronised with each other.
    pub fn speaks_with(&self, other: &Self) -> bool {
        common(&self.strong_written, &other.strong_written).is_some()
            || common(&self.strong_written, &other.strong_read).is_some()
            || common(&self.strong_read, &other.strong_written).is_some()
    }
}

/// Bytes that both footprints contain, and which of the two wrote there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// The address of the first byte that both accessed.
    pub start: u64,
    /// The address after the last of the adjacent bytes.
    pub end: u64,
    /// Whether the first footprint wrote, and whether the second did.
    pub writes: [bool; 2],
}

/// Returns the first bytes that are in both lists.
fn common(a: &[(u64, u64)], b: &[(u64, u64)]) -> Option<(u64, u64)> {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let (start, end) = (x.0.max(y.0), x.1.min(y.1));
        if start < end {
            return Some((start, end));
        }
        match x.1 <= y.1 {
            true => i += 1,
            false => j += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(list: &[(u64, u64)]) -> Footprint {
        let mut footprint = Footprint {
            written: list.to_vec(),
            ..Footprint::default()
        };
        footprint.sort();
        footprint
    }

    #[test]
    fn stretches_that_meet_are_one() {
        let footprint = written(&[(8, 12), (0, 4), (4, 8), (20, 24), (21, 22)]);
        assert_eq!(footprint.written, [(0, 12), (20, 24)]);
    }

    #[test]
    fn bytes_that_one_writes_and_the_other_accesses_are_found() {
        let writer = written(&[(0, 4), (16, 32)]);
        let reader = |list: &[(u64, u64)]| Footprint {
            read: list.to_vec(),
            ..Footprint::default()
        };
        assert_eq!(writer.conflict(&reader(&[(4, 16), (32, 40)])), None);
        let found = writer.conflict(&reader(&[(4, 16), (30, 40)]));
        let expected = Conflict {
            start: 30,
            end: 32,
            writes: [true, false],
        };
        assert_eq!(found, Some(expected));
        let turned = reader(&[(30, 40)]).conflict(&writer);
        assert_eq!(turned.map(|it| it.writes), Some([false, true]));
        assert_eq!(reader(&[(0, 9)]).conflict(&reader(&[(0, 9)])), None);
    }

    #[test]
    fn two_strong_accesses_speak_and_do_not_conflict() {
        let strong = Footprint {
            strong_written: vec![(0, 4)],
            ..Footprint::default()
        };
        assert_eq!(strong.conflict(&strong.clone()), None);
        assert!(strong.speaks_with(&strong.clone()));
        assert!(strong.conflict(&written(&[(0, 4)])).is_some());
    }
}
