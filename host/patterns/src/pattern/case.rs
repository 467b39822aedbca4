//! The case of most patterns: a launch that fills buffers, and the values that the buffers
//! should then hold.

use std::fmt::Debug;

use anyhow::Result;
use lanewise::counters::Counters;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{DeviceBuffer, DeviceCopy, Stream};

use crate::{Case, Figure, Work};

/// Output buffers, their expected values, and the launch that fills them. The launch
/// owns the inputs.
pub(crate) struct Filling<T: DeviceCopy, const N: usize, L> {
    outputs: [DeviceBuffer<T>; N],
    expected: [Vec<T>; N],
    work: Work,
    launch: L,
    compare: Compare<T>,
}

/// Compares the device's values (the first argument) with the CPU's.
type Compare<T> = fn(&[T], &[T]) -> Result<Agreement, Mismatch>;

impl<T, const N: usize, L> Filling<T, N, L>
where
    T: DeviceCopy + PartialEq + Debug + 'static,
    L: FnMut(&Stream, &mut [DeviceBuffer<T>; N]) -> Result<()> + 'static,
{
    /// Makes the case of `launch`, which has to write `expected` to `outputs` and does
    /// `work` for that.
    pub(crate) fn boxed(
        outputs: [DeviceBuffer<T>; N],
        expected: [Vec<T>; N],
        work: Work,
        launch: L,
    ) -> Box<dyn Case> {
        Self::compared(outputs, expected, testing::equal, work, launch)
    }

    /// As [`Self::boxed`], with `compare` as the comparison.
    pub(crate) fn compared(
        outputs: [DeviceBuffer<T>; N],
        expected: [Vec<T>; N],
        compare: Compare<T>,
        work: Work,
        launch: L,
    ) -> Box<dyn Case> {
        Box::new(Self {
            outputs,
            expected,
            work,
            launch,
            compare,
        })
    }
}

impl<T, const N: usize, L> Case for Filling<T, N, L>
where
    T: DeviceCopy + PartialEq + Debug,
    L: FnMut(&Stream, &mut [DeviceBuffer<T>; N]) -> Result<()>,
{
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        (self.launch)(stream, &mut self.outputs)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let mut all = Agreement {
            compared: 0,
            of: 0,
            max_error: 0.0,
        };
        for (output, expected) in self.outputs.iter().zip(&self.expected) {
            match (self.compare)(&output.to_vec()?, expected) {
                Ok(agreement) => {
                    all.compared += agreement.compared;
                    all.of += agreement.of;
                    all.max_error = all.max_error.max(agreement.max_error);
                }
                Err(mismatch) => return Ok(Err(mismatch)),
            }
        }
        Ok(Ok(all))
    }

    fn work(&self) -> Work {
        self.work
    }
}

/// A case with its own figures, which are computed from the counters.
struct WithFigures {
    case: Box<dyn Case>,
    figures: fn(&Counters) -> Vec<Figure>,
}

/// Adds figures to a case. They are shown beside its time if the run was counted.
pub(crate) fn with_figures(
    case: Box<dyn Case>,
    figures: fn(&Counters) -> Vec<Figure>,
) -> Box<dyn Case> {
    Box::new(WithFigures { case, figures })
}

impl Case for WithFigures {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        self.case.launch(stream)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        self.case.check()
    }

    fn work(&self) -> Work {
        self.case.work()
    }

    fn figures(&self, counters: Option<&Counters>) -> Result<Vec<Figure>> {
        Ok(counters.map(self.figures).unwrap_or_default())
    }
}
