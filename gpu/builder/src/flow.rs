//! Control flow as a graph of blocks: which block can run after which, within one pass
//! through the code.
//!
//! LLVM's IR and PTX text use it for two questions. Are two instructions *alternatives*, so that a
//! thread executes one or the other but not both in one pass? A barrier that the optimiser copied
//! into two branches becomes such a pair. And which blocks are a loop?

use std::collections::{BTreeMap, BTreeSet};
use std::iter::once;

/// Blocks by number, with the blocks that may follow each. Block 0 is the entry.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    successors: Vec<Vec<usize>>,
    /// The edges back to a block that began the pass: from, to.
    back: Vec<(usize, usize)>,
}

impl Flow {
    /// Returns the graph of these edges. An edge to a block that does not exist is dropped. Back
    /// edges are left out, because the graph describes one pass, in which no block runs twice.
    pub(crate) fn new(successors: Vec<Vec<usize>>) -> Flow {
        let mut flow = Flow {
            successors,
            back: Vec::new(),
        };
        let count = flow.successors.len();
        for next in &mut flow.successors {
            next.retain(|block| *block < count);
        }
        flow.drop_back_edges();
        flow
    }

    /// Returns whether a thread that executes `a` cannot execute `b` in the same pass, and a thread
    /// that executes `b` cannot execute `a`.
    pub(crate) fn are_alternatives(&self, a: usize, b: usize) -> bool {
        a != b && !self.reaches(a, b) && !self.reaches(b, a)
    }

    /// Returns the loops, each as its blocks with the first one at the front. Loops that begin with
    /// the same block are one.
    pub(crate) fn loops(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.successors.len()];
        for (block, next) in self.successors.iter().enumerate() {
            next.iter().for_each(|&next| predecessors[next].push(block));
        }
        let mut loops: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &(from, header) in &self.back {
            let blocks = loops.entry(header).or_default();
            let mut work = vec![from];
            while let Some(block) = work.pop() {
                if block != header && blocks.insert(block) {
                    work.extend(&predecessors[block]);
                }
            }
        }
        let blocks = |(header, rest): (usize, BTreeSet<usize>)| once(header).chain(rest).collect();
        loops.into_iter().map(blocks).collect()
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.successors.len()];
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if block == to {
                return true;
            }
            if block < seen.len() && !std::mem::replace(&mut seen[block], true) {
                work.extend(&self.successors[block]);
            }
        }
        false
    }

    /// Removes every edge to a block that is still on the path of the depth-first walk.
    fn drop_back_edges(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut state = vec![State::New; self.successors.len()];
        for root in 0..self.successors.len() {
            if state[root] != State::New {
                continue;
            }
            state[root] = State::Open;
            // The path from the root: each block with the number of its edges that were walked.
            let mut path = vec![(root, 0)];
            while let Some((block, edge)) = path.pop() {
                let Some(next) = self.successors[block].get(edge).copied() else {
                    state[block] = State::Done;
                    continue;
                };
                match state[next] {
                    State::Open => {
                        self.successors[block].remove(edge);
                        self.back.push((block, next));
                        path.push((block, edge));
                    }
                    State::New => {
                        path.push((block, edge + 1));
                        state[next] = State::Open;
                        path.push((next, 0));
                    }
                    State::Done => path.push((block, edge + 1)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Flow;

    #[test]
    fn arms_of_a_branch_are_alternatives() {
        let flow = Flow::new(vec![vec![1, 2], vec![3], vec![3], vec![]]);
        assert!(flow.are_alternatives(1, 2));
        assert!(
            !flow.are_alternatives(0, 1)
                && !flow.are_alternatives(1, 3)
                && !flow.are_alternatives(1, 1)
        );
    }

    #[test]
    fn ifs_that_follow_each_other_are_not_alternatives() {
        let flow = Flow::new(vec![vec![1, 2], vec![2], vec![3, 4], vec![4], vec![]]);
        assert!(!flow.are_alternatives(1, 3));
    }

    #[test]
    fn arms_inside_a_loop_are_alternatives() {
        let flow = Flow::new(vec![vec![1, 2], vec![3], vec![3], vec![0, 4], vec![]]);
        assert!(flow.are_alternatives(1, 2));
    }

    #[test]
    fn loops_in_a_loop_are_apart() {
        // 1 to 4 with 2 in itself, and 5 in itself.
        let edges = [
            vec![1],
            vec![2],
            vec![2, 3],
            vec![4],
            vec![1, 5],
            vec![5, 6],
            vec![],
        ];
        assert_eq!(
            Flow::new(edges.into()).loops(),
            [vec![1, 2, 3, 4], vec![2], vec![5]]
        );
        assert!(Flow::new(vec![vec![1], vec![]]).loops().is_empty());
    }

    #[test]
    fn edges_to_nowhere_and_empty_graphs_are_harmless() {
        assert!(Flow::new(vec![vec![7], vec![]]).are_alternatives(0, 1));
        assert!(!Flow::new(vec![]).are_alternatives(0, 0));
    }
}
