//! Accepts modifiers in another order than the table's.
//!
//! The ISA writes `atom.relaxed.cta.global.add.u32`. Compilers and people also write
//! `atom.add.global.u32` and `mma...s32.s8.s8.s32.satfinite`. ptxas 13.0 and 13.5 were tested with
//! permutations of the table's samples. They follow three rules. The words of the instruction's
//! name come first and in order (`mul.wide`, `cp.async.bulk`, `mbarrier.arrive.expect_tx`). Words
//! of one kind keep their order (the types of `cvt.f32.u32`, the spaces of a copy, `.row.col`). All
//! other words may be anywhere after the name.

use super::pattern::{Group, Pattern};
use crate::ast::{Modifier, Opcode, Type};

/// Returns the words of the instruction's name, among those that its opcode takes.
fn name_words(opcode: Opcode, written: &[Modifier]) -> &'static [Modifier] {
    use Modifier::*;
    match opcode {
        Opcode::Barrier if written.contains(&Cluster) => &[Cluster, Arrive, Wait],
        Opcode::Mul | Opcode::Mad => &[Lo, Hi, Wide],
        Opcode::Madc | Opcode::Mul24 | Opcode::Mad24 => &[Lo, Hi],
        Opcode::Shf => &[L, R],
        Opcode::Cvta => &[To],
        Opcode::Bar => &[Cta, Warp, Arrive, Red],
        Opcode::Barrier => &[Cta, Arrive, Red],
        Opcode::Brx => &[Idx],
        Opcode::Cvt => &[Pack],
        Opcode::Div => &[Full],
        Opcode::Dp2a => &[Lo, Hi],
        Opcode::Tensormap => &[Replace, CpFenceproxy],
        Opcode::Txq => &[Level],
        Opcode::Wgmma => &[MmaAsync, Fence, CommitGroup, WaitGroup],
        Opcode::Fence | Opcode::Membar => &[Proxy],
        Opcode::Mbarrier => &[
            Init,
            Inval,
            ExpectTx,
            CompleteTx,
            Arrive,
            ArriveDrop,
            TestWait,
            TryWait,
            PendingCount,
            Parity,
        ],
        Opcode::Cp => &[
            Async,
            Bulk,
            Tensor,
            Reduce,
            Prefetch,
            CommitGroup,
            WaitGroup,
            WaitAll,
            Mbarrier,
            Arrive,
        ],
        Opcode::St => &[Async, Bulk],
        Opcode::Red => &[Async],
        Opcode::Wmma => &[Load, Store, Mma, A, B, C, D],
        Opcode::Tex => &[Base, Level, Grad],
        Opcode::Createpolicy => &[Fractional, Range, Cvt],
        Opcode::Suld => &[B],
        Opcode::Sust | Opcode::Sured => &[B, P],
        Opcode::Setmaxnreg => &[Inc, Dec],
        Opcode::Multimem => &[LdReduce, St, Red],
        _ => &[],
    }
}

/// The number of kinds of words that keep their order within a kind.
const KINDS: usize = 5;

fn kind(word: Modifier) -> Option<usize> {
    use Modifier::*;
    match word {
        Row | Col => Some(0),
        Const | Global | Local | Param | ParamEntry | ParamFunc | Shared | SharedCta
        | SharedCluster => Some(1),
        B8x16 | B6x16P32 | B4x16P64 | U4 | S4 | U2 | S2 => Some(2),
        Xor | And | Or | Popc => Some(3),
        L2EvictNormal | L2EvictFirst | L2EvictLast | L2EvictUnchanged => Some(4),
        word => Type::of(word).map(|_| 2),
    }
}

/// The state of a search that assigns words to a row's places.
struct Places<'w> {
    written: &'w [Modifier],
    /// One bit for each word that has a place.
    used: u32,
    /// For each kind, the earliest position of its next word.
    from: [usize; KINDS],
    found: Vec<Modifier>,
}

impl Places<'_> {
    /// Takes a word that has no place yet. Returns whether there is one.
    fn take(&mut self, word: Modifier) -> bool {
        let kind = kind(word);
        let least = kind.map_or(0, |kind| self.from[kind]);
        let free = |&at: &usize| self.written[at] == word && self.used >> at & 1 == 0;
        let Some(at) = (least..self.written.len()).find(free) else {
            return false;
        };
        self.used |= 1 << at;
        self.found.push(word);
        if let Some(kind) = kind {
            self.from[kind] = at + 1;
        }
        true
    }

    /// Assigns words to all of `groups`. Few groups are optional, so trying both ways costs little.
    fn fill(&mut self, groups: &[Group]) -> bool {
        let Some((group, rest)) = groups.split_first() else {
            return self.used.count_ones() as usize == self.written.len();
        };
        let Group::One { words, optional } = group else {
            let left = (0..self.written.len()).filter(|at| self.used >> at & 1 == 0);
            self.found.extend(left.map(|at| self.written[at]));
            return true;
        };
        let before = (self.used, self.from, self.found.len());
        for sequence in words {
            if sequence.iter().all(|&word| self.take(word)) && self.fill(rest) {
                return true;
            }
            self.found.truncate(before.2);
            (self.used, self.from) = (before.0, before.1);
        }
        *optional && self.fill(rest)
    }
}

impl Pattern {
    /// Returns these modifiers in the row's order, if they are an instance of the row.
    pub fn arrange(&self, written: &[Modifier]) -> Option<Vec<Modifier>> {
        if self.takes(written) {
            return Some(written.to_vec());
        }
        let mut places = Places {
            written,
            used: 0,
            from: [0; KINDS],
            found: Vec::new(),
        };
        if written.len() > 32 || !places.fill(&self.groups) {
            return None;
        }
        let name = name_words(self.row.opcode, written);
        let named = places
            .found
            .iter()
            .take_while(|word| name.contains(word))
            .count();
        (places.found[..named] == written[..named]).then_some(places.found)
    }

    /// Returns these modifiers in the row's order. Words without a place in the row are left out.
    pub(super) fn in_order(&self, written: &[Modifier]) -> Vec<Modifier> {
        let mut left = written.to_vec();
        let mut found = Vec::new();
        for group in &self.groups {
            let Group::One { words, .. } = group else {
                found.append(&mut left);
                continue;
            };
            let there = |sequence: &&Vec<Modifier>| sequence.iter().all(|word| left.contains(word));
            let at = |word: &Modifier| left.iter().position(|other| other == word);
            // Prefer the longest alternative, and among those the one that was written first.
            let best = words
                .iter()
                .filter(there)
                .min_by_key(|words| (std::cmp::Reverse(words.len()), words.first().and_then(at)));
            for word in best.into_iter().flatten() {
                if let Some(at) = left.iter().position(|other| other == word) {
                    found.push(left.remove(at));
                }
            }
        }
        found
    }

    /// Returns the words that could be in the row's places that these modifiers leave empty.
    pub(super) fn unfilled(&self, written: &[Modifier]) -> Vec<String> {
        let empty = self.groups.iter().filter(|group| match group {
            Group::One { words, .. } => !words
                .iter()
                .any(|sequence| sequence.iter().all(|word| written.contains(word))),
            Group::Rest => false,
        });
        empty.flat_map(Group::alternatives).collect()
    }

    /// Returns the difference from the row: the modifiers that have no place, and the places
    /// that remain empty.
    pub(super) fn misses(&self, written: &[Modifier]) -> (Vec<Modifier>, Vec<&Group>) {
        let mut left = written.to_vec();
        let mut missing = Vec::new();
        for group in &self.groups {
            let Group::One { words, optional } = group else {
                left.clear();
                continue;
            };
            let there = |sequence: &&Vec<Modifier>| sequence.iter().all(|word| left.contains(word));
            // Prefer the longest, and among those the first.
            let fitting = || words.iter().filter(there);
            let longest = fitting().map(Vec::len).max();
            match fitting().find(|it| Some(it.len()) == longest) {
                Some(sequence) => {
                    for word in sequence {
                        if let Some(at) = left.iter().position(|other| other == word) {
                            left.remove(at);
                        }
                    }
                }
                None if *optional => {}
                None => missing.push(group),
            }
        }
        (left, missing)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::pattern;
    use super::super::sample::samples;
    use super::*;

    /// Returns the instruction in the table's order, or `None` if no row accepts it.
    fn arranged(text: &str) -> Option<String> {
        let mut words = text.split('.');
        let opcode = words.next().and_then(Opcode::of).expect("an opcode");
        let words: Vec<Modifier> = words
            .map(|word| Modifier::of(word).unwrap_or_else(|| panic!("{word}")))
            .collect();
        let rows = pattern::of(opcode).iter();
        let found = rows.filter_map(|row| row.arrange(&words)).next()?;
        let names = found.iter().map(|word| format!(".{word}"));
        Some(format!("{opcode}{}", names.collect::<String>()))
    }

    #[test]
    fn what_ptxas_takes_in_another_order_is_put_into_the_tables() {
        for (written, of_the_table) in [
            ("mul.f32.rn", "mul.rn.f32"),
            ("fma.ftz.rn.f32", "fma.rn.ftz.f32"),
            ("atom.global.v2.f32.add", "atom.global.add.v2.f32"),
            (
                "atom.u32.add.global.gpu.relaxed",
                "atom.relaxed.gpu.global.add.u32",
            ),
            ("shfl.b32.bfly.sync", "shfl.sync.bfly.b32"),
            ("vote.ballot.sync.b32", "vote.sync.ballot.b32"),
            ("setp.u32.and.eq", "setp.eq.and.u32"),
            ("cvt.f32.rni.f32.sat.ftz", "cvt.rni.ftz.sat.f32.f32"),
            (
                "mma.row.col.sync.aligned.m8n8k16.s32.s8.s8.s32.satfinite",
                "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32",
            ),
            (
                "ldmatrix.sync.aligned.x4.m8n8.shared.b16",
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
            ),
            ("barrier.aligned.sync", "barrier.sync.aligned"),
        ] {
            assert_eq!(
                arranged(written).as_deref(),
                Some(of_the_table),
                "{written}"
            );
        }
    }

    /// If no row has a word of a name, its row was removed. If a word comes after other words, it
    /// is not part of the name.
    #[test]
    fn the_words_of_names_begin_the_rows_of_their_opcodes() {
        let mut found: Vec<(Opcode, Modifier)> = Vec::new();
        for row in pattern::patterns() {
            for sample in samples(row, (1, 0), 10) {
                let (opcode, words) = (row.row.opcode, &sample.words);
                let name = name_words(opcode, words);
                let is_named = |word: &&Modifier| name.contains(word);
                let first = words.iter().take_while(is_named).count();
                assert_eq!(
                    words.iter().filter(is_named).count(),
                    first,
                    "{}",
                    sample.instruction
                );
                found.extend(words[..first].iter().map(|&word| (opcode, word)));
            }
        }
        let opcodes = pattern::patterns().iter().map(|row| row.row.opcode);
        let names = opcodes.flat_map(|opcode| {
            let words = [&[][..], &[Modifier::Cluster]].map(|written| name_words(opcode, written));
            words.concat().into_iter().map(move |word| (opcode, word))
        });
        let stale: BTreeSet<String> = names
            .filter(|name| !found.contains(name))
            .map(|(opcode, word)| format!("{opcode} .{word}"))
            .collect();
        assert!(stale.is_empty(), "no row has these: {stale:?}");
    }

    #[test]
    fn names_and_kinds_keep_their_order() {
        for refused in [
            "mul.u32.wide",
            "cvta.global.to.u64",
            "shf.wrap.l.b32",
            "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32",
            "dp4a.sync.u32.u32",
            "mbarrier.shared.init.b64",
            "bar.sync.cta",
            "tex.2d.level.v4.f32.f32",
            "wmma.sync.mma.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn",
        ] {
            assert_eq!(arranged(refused), None, "{refused}");
        }
    }
}
