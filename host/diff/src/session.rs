//! A run of all cases on both machines, in the table's order.
//!
//! Kernels of the same version and target share a module, `TOGETHER` at a time. If the device's
//! compiler does not accept a module, the module is halved until the faulty kernel is found.

use lanewise_driver::abi::CUresult;
use lanewise_sim::isa::Target;

use crate::case::Case;
use crate::case::Harness;
use crate::kernel;
use crate::machine::{Failure, Job, Machine, Simulator};
use crate::results::report::Outcome;
use crate::results::verdict;

/// The number of kernels in a module.
const TOGETHER: usize = 48;

/// One comparison of two machines.
#[derive(Debug)]
pub struct Session<'a, M> {
    /// The machine whose results are the reference.
    pub device: &'a M,
    /// The machine that is judged.
    pub simulator: &'a Simulator,
    /// The compute capability of the device. Newer instructions are left out.
    pub sm: u32,
    /// The seed of the operands' values.
    pub seed: u64,
}

impl<M: Machine> Session<'_, M> {
    /// Judges the cases and reports each outcome in order. It ends early if a kernel has made the
    /// device unusable. Then the last outcome is that kernel's.
    pub fn run(&self, cases: &[Case], tell: &mut dyn FnMut(&Case, Outcome)) {
        let mut rest = cases;
        while let Some(first) = rest.first() {
            let same = |case: &&Case| {
                case.sample.version == first.sample.version
                    && case.sample.target == first.sample.target
            };
            let count = rest.iter().take_while(same).count().min(TOGETHER);
            let (together, later) = rest.split_at(count);
            if !self.judge_all(together, tell) {
                return;
            }
            rest = later;
        }
    }

    /// Judges the cases and returns whether the device is still usable.
    fn judge_all(&self, cases: &[Case], tell: &mut dyn FnMut(&Case, Outcome)) -> bool {
        let judged: Vec<&Case> = cases
            .iter()
            .filter(|case| self.why_not(case).is_none())
            .collect();
        let module = match judged.len() {
            0 => None,
            _ => match self.device.load(&kernel::module(&judged)) {
                Ok(module) => Some(module),
                Err(failure) if judged.len() == 1 => {
                    let why = failure.to_string();
                    for case in cases {
                        let outcome = match self.why_not(case) {
                            Some(outcome) => outcome,
                            None => Outcome::Refused { why: why.clone() },
                        };
                        tell(case, outcome);
                    }
                    return true;
                }
                Err(_) => {
                    let (first, second) = cases.split_at(cases.len() / 2);
                    return self.judge_all(first, tell) && self.judge_all(second, tell);
                }
            },
        };
        let mut number = 0;
        for case in cases {
            let outcome = match (self.why_not(case), &module) {
                (None, Some(module)) => {
                    number += 1;
                    self.judge(case, module, &format!("k{}", number - 1))
                }
                (Some(outcome), _) => outcome,
                (None, None) => continue,
            };
            let down = matches!(
                outcome,
                Outcome::DeviceFaulted { .. } | Outcome::SameFault { .. }
            );
            tell(case, outcome);
            if down {
                return false;
            }
        }
        true
    }

    /// Returns the outcome of a case that is not run on the device.
    fn why_not(&self, case: &Case) -> Option<Outcome> {
        if let Harness::None(why) = case.harness {
            return Some(Outcome::NotJudged { why: why.into() });
        }
        let Target { sm, specific, .. } = case.sample.target;
        if sm > self.sm || specific && sm != self.sm {
            let why = format!("the device is no {}", case.sample.target);
            return Some(Outcome::NotJudged { why });
        }
        None
    }

    fn judge(&self, case: &Case, module: &M::Module, name: &str) -> Outcome {
        let (input, images) = (case.input(self.seed), case.images());
        let job = |kernel| Job {
            kernel,
            input: &input,
            output: crate::case::THREADS * case.output_bytes(),
            images: &images,
            seed: self.seed,
        };
        let simulated = self
            .simulator
            .load(&kernel::module(&[case]))
            .and_then(|instance| self.simulator.run(&instance, &job("k0")));
        let expected = match simulated {
            Err(Failure::Refused(why)) => return Outcome::NotModelled { why },
            Err(Failure::Faulted { why, .. }) if case.harness != Harness::Fault => {
                return Outcome::SimulatorFaulted { why };
            }
            other => other,
        };
        match (self.device.run(module, &job(name)), expected) {
            (Ok(real), Ok(simulated)) => {
                Outcome::Compared(verdict::compare(case, &input, &real, &simulated))
            }
            (Err(Failure::Faulted { code, .. }), Err(Failure::Faulted { code: same, .. }))
                if code == same =>
            {
                let name = CUresult(code).name().unwrap_or(c"no error of CUDA's");
                let error = format!("{} ({code})", name.to_string_lossy());
                Outcome::SameFault { error }
            }
            (Err(Failure::Refused(why)), _) => Outcome::Refused { why },
            (Err(failure), _) => Outcome::DeviceFaulted {
                why: failure.to_string(),
            },
            (Ok(_), Err(failure)) => Outcome::SimulatorFaulted {
                why: failure.to_string(),
            },
        }
    }
}
