//! Votes and matches, against lanes that are asked one at a time.

use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::ptx;
use tests::sizes::{EDGES, blocks, cases, lengths};

const KERNELS: [&str; 2] = ["vote_any_all_ballot", "match_any"];

#[test]
fn votes_agree_with_the_cpu_at_every_edge() {
    for variant in KERNELS {
        for size in EDGES {
            assert_agrees(variant, Setup::new(size, 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn votes_agree_with_the_cpu(size in lengths(), seed: u64, block in blocks()) {
        for variant in KERNELS {
            let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn every_question_is_one_instruction_with_its_mask() {
    for (target, text) in ptx::embedded() {
        let vote = ptx::kernel(text, "vote_any_all_ballot");
        for question in ["vote.sync.any", "vote.sync.all", "vote.sync.ballot"] {
            assert_eq!(
                ptx::count(vote, question),
                1,
                "{question} for {target}: {vote}"
            );
        }
        let matches = ptx::kernel(text, "match_any");
        assert_eq!(
            ptx::count(matches, "match.any.sync"),
            1,
            "{target}: {matches}"
        );
    }
}
