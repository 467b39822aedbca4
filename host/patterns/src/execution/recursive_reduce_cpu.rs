//! The sum as a recursion on the CPU: where the notes start before they turn to kernels. No kernel runs here.

use std::hint::black_box;

use anyhow::Result;
use host::compare::{self, Agreement, Mismatch};
use host::{Device, Stream, reference};

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "recursive_reduce_cpu",
    chapter: "execution",
    summary: "halves added to each other until one element is left, on the CPU, for any length",
    source: "notes 000, chapter 3.4.1",
    size: Size {
        of: "elements",
        default: 1 << 20,
        bench: None,
    },
    variants: &[Variant::on_the_host(
        "recursive_reduce_cpu",
        Recursion::prepare,
    )],
};

struct Recursion {
    input: Vec<i32>,
    sum: Option<i32>,
}

impl Recursion {
    fn prepare(_: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        Ok(Box::new(Self {
            input: input::integers(setup.elements()?, setup.seed),
            sum: None,
        }))
    }
}

impl Case for Recursion {
    fn launch(&mut self, _: &Stream) -> Result<()> {
        self.sum = Some(reference::reduce::recursive(black_box(
            &mut self.input.clone(),
        )));
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // Against the plain loop; the recursion itself is what is looked at.
        let expected = reference::reduce::sum(&self.input);
        Ok(compare::equal(self.sum.as_slice(), &[expected]))
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * self.input.len() as u64)
    }
}
