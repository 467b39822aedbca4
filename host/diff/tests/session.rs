//! The harness itself: it takes what is right for right, and catches what is wrong.
//!
//! Here the device is the simulator behind the driver's calls, which is the way to a GPU too; what
//! a GPU says is recorded in `results/`, not asked here.

use lanewise_diff::machine::{Driver, Failure, Job, Machine, Simulator};
use lanewise_diff::{Case, Harness, Outcome, Report, Session, Verdict, cases};
use std::sync::LazyLock;

/// All cases, made once.
static ALL: LazyLock<Vec<Case>> = LazyLock::new(cases::all);

/// Copies of those that a test looks at.
fn such(is_wanted: impl FnMut(&&Case) -> bool) -> Vec<Case> {
    ALL.iter().filter(is_wanted).cloned().collect()
}

/// A machine that lies about some results.
struct Wrong<'a> {
    simulator: &'a Simulator,
    /// Changes the bytes of the first thread's first result.
    lie: fn(&mut [u8]),
}

impl Machine for Wrong<'_> {
    type Module = lanewise_diff::machine::Loaded;

    fn load(&self, ptx: &str) -> Result<lanewise_diff::machine::Loaded, Failure> {
        self.simulator.load(ptx)
    }

    fn run(
        &self,
        module: &lanewise_diff::machine::Loaded,
        job: &Job<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let mut result = self.simulator.run(module, job)?;
        (self.lie)(&mut result);
        Ok(result)
    }
}

fn simulator() -> Simulator {
    Simulator::new().expect("the host has addresses")
}

fn cases(instruction: &str) -> Vec<Case> {
    let cases = such(|case| case.sample.instruction.starts_with(instruction));
    assert!(!cases.is_empty(), "the table has no `{instruction}`");
    cases
}

fn outcomes<M: Machine>(device: &M, cases: &[Case]) -> Vec<Outcome> {
    let simulator = &simulator();
    let session = Session {
        device,
        simulator,
        sm: 90,
        seed: 1,
    };
    let mut outcomes = Vec::new();
    session.run(cases, &mut |_, outcome| outcomes.push(outcome));
    outcomes
}

/// The verdict on one instruction whose result is changed.
fn verdict(instruction: &str, lie: fn(&mut [u8])) -> Verdict {
    let simulator = &simulator();
    match &outcomes(&Wrong { simulator, lie }, &cases(instruction)[..1])[..] {
        [Outcome::Compared(comparison)] => {
            assert_eq!(comparison.threads > 0, comparison.verdict != Verdict::Equal);
            comparison.verdict
        }
        other => panic!("{other:?}"),
    }
}

/// Judges cases with the simulator as device, and finds nothing wrong. Nothing where there
/// is a GPU.
fn agree_with_themselves(some: &[Case]) -> Option<Report> {
    let mut report = Report::default();
    let device = lanewise::Device::open().expect("there is always the simulator");
    if device.backend() != lanewise::Backend::Sim {
        println!("there is a GPU: `patterns diff` judges by it");
        return None;
    }
    let device = Driver::new(device).expect("a stream");
    let found = outcomes(&device, some);
    assert_eq!(found.len(), some.len(), "one outcome for each case");
    for (case, outcome) in some.iter().zip(found) {
        report.add(case, outcome);
    }
    let wrong: Vec<_> = report
        .cases
        .iter()
        .filter(|line| line.outcome.is_wrong() || line.outcome.name() == "refused")
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        report.count("equal") + report.count("equal-by-use") > some.len() / 4,
        "{:#?}",
        report.sections
    );
    Some(report)
}

#[test]
fn the_driver_and_the_simulator_agree_with_themselves() {
    let some = such(|case| {
        !matches!(case.harness, Harness::Image | Harness::Use | Harness::Fault)
            // The driver that is simulated reads PTX of CUDA 13.0.
            && case.sample.version <= (9, 0)
    });
    let some: Vec<Case> = some.into_iter().step_by(19).collect();
    agree_with_themselves(&some);
}

#[test]
fn textures_and_surfaces_agree_with_themselves() {
    let some = such(|case| case.harness == Harness::Image);
    let some: Vec<Case> = some.into_iter().step_by(5).collect();
    let Some(report) = agree_with_themselves(&some) else {
        return;
    };
    assert_eq!(report.count("not-modelled"), 0, "{:#?}", report.cases);
}

#[test]
fn what_is_judged_by_use_agrees_with_itself() {
    let mut some = such(|case| case.harness == Harness::Use || case.special.is_some());
    // Most of them are shapes of `wgmma`, which take long.
    let mut wgmma = 0;
    some.retain(|case| {
        wgmma += usize::from(case.sample.instruction.starts_with("wgmma"));
        !case.sample.instruction.starts_with("wgmma") || wgmma % 19 == 0
    });
    let Some(report) = agree_with_themselves(&some) else {
        return;
    };
    assert!(report.count("equal-by-use") > 40, "{:#?}", report.sections);
    assert_eq!(report.count("not-modelled"), 0, "{:#?}", report.cases);
}

#[test]
fn a_wrong_bit_is_caught() {
    assert_eq!(verdict("add.u32", |bytes| bytes[0] ^= 1), Verdict::Differs);
    assert_eq!(verdict("add.f32", |bytes| bytes[0] ^= 1), Verdict::Differs);
    assert_eq!(
        verdict("setp.eq.b32", |bytes| bytes[0] ^= 1),
        Verdict::Differs
    );
}

#[test]
fn a_wrong_carry_is_caught() {
    assert_eq!(
        verdict("add.cc.u32", |bytes| bytes[16] ^= 1),
        Verdict::Differs
    );
}

#[test]
fn wrong_memory_is_caught() {
    // Records of an `atom`: a place for the old value and one for the carry, rounded up to four,
    // then the cell.
    assert_eq!(
        verdict("atom.global.add.u32", |bytes| bytes[64] ^= 1),
        Verdict::Differs
    );
    assert_eq!(
        verdict("st.global.b8", |bytes| bytes[64] ^= 1),
        Verdict::Differs
    );
}

#[test]
fn an_approximation_may_be_off_by_its_bound() {
    assert_eq!(
        verdict("rcp.approx.f32", |bytes| bytes[0] ^= 1),
        Verdict::WithinBound
    );
    assert_eq!(
        verdict("rcp.approx.f32", |bytes| bytes[1] ^= 0x80),
        Verdict::Differs
    );
}

#[test]
fn what_an_assembler_is_known_to_get_wrong_is_a_verdict_of_its_own() {
    let flip = |bytes: &mut [u8]| bytes[0] ^= 1;
    assert_eq!(verdict("vadd.u32.u32.u32.min", flip), Verdict::Departure);
    assert_eq!(verdict("vmad.u32.u32.u32.sat", flip), Verdict::Departure);
    assert_eq!(verdict("vadd.u32.u32.u32 ", flip), Verdict::Differs);
    assert_eq!(verdict("vmin2.u32.u32.u32.sat", flip), Verdict::Differs);
}

#[test]
fn the_bits_of_a_nan_are_a_verdict_of_their_own() {
    let other_nans = |bytes: &mut [u8]| {
        for result in bytes.chunks_exact_mut(4) {
            if result == 0x7fff_ffff_u32.to_le_bytes() {
                result.copy_from_slice(&0x7fc0_0000_u32.to_le_bytes());
            }
        }
    };
    assert_eq!(verdict("add.f32", other_nans), Verdict::NanPayload);
}

#[test]
fn what_one_kernel_does_to_a_module_is_not_blamed_on_the_others() {
    /// A compiler that knows no `sad`.
    struct Old<'a>(&'a Simulator);
    impl Machine for Old<'_> {
        type Module = lanewise_diff::machine::Loaded;
        fn load(&self, ptx: &str) -> Result<lanewise_diff::machine::Loaded, Failure> {
            if ptx.contains("sad.") {
                return Err(Failure::Refused("what is a sad?".into()));
            }
            self.0.load(ptx)
        }
        fn run(
            &self,
            module: &lanewise_diff::machine::Loaded,
            job: &Job<'_>,
        ) -> Result<Vec<u8>, Failure> {
            self.0.run(module, job)
        }
    }
    let simulator = &simulator();
    let cases = [&cases("mad24.lo")[..], &cases("sad.u32"), &cases("abs.s32")].concat();
    for (case, outcome) in cases.iter().zip(outcomes(&Old(simulator), &cases)) {
        let refused = case.sample.instruction.starts_with("sad");
        assert_eq!(
            outcome.name(),
            if refused { "refused" } else { "equal" },
            "{case:?}"
        );
    }
}

/// NVIDIA's assembler takes the kernels, so that a GPU's compiler will. Asked only where
/// `LANEWISE_PTXAS` names one.
#[test]
fn ptxas_takes_every_module() {
    let Some(ptxas) = std::env::var_os("LANEWISE_PTXAS") else {
        println!("LANEWISE_PTXAS is not set: nothing was judged");
        return;
    };
    /// ptxas as a device that compiles and runs nothing.
    struct Assembler {
        ptxas: std::ffi::OsString,
        folder: tempfile::TempDir,
    }
    impl Machine for Assembler {
        type Module = ();
        fn load(&self, ptx: &str) -> Result<(), Failure> {
            let path = self.folder.path().join("module.ptx");
            std::fs::write(&path, ptx).expect("a temporary file");
            let target = ptx
                .lines()
                .find_map(|line| line.strip_prefix(".target "))
                .unwrap_or_default();
            let target = if target < "sm_90" { "sm_90" } else { target };
            let output = std::process::Command::new(&self.ptxas)
                .args([&format!("-arch={target}"), "-c", "-o", "/dev/null"])
                .arg(&path)
                .output()
                .expect("ptxas runs");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.success() {
                Ok(())
            } else {
                Err(Failure::Refused(text))
            }
        }
        fn run(&self, _: &(), job: &Job<'_>) -> Result<Vec<u8>, Failure> {
            Ok(vec![0; job.output])
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut refused = Vec::new();
    let session = Session {
        device: &Assembler { ptxas, folder },
        simulator: &simulator(),
        sm: 90,
        seed: 1,
    };
    session.run(&ALL, &mut |case, outcome| {
        if let Outcome::Refused { why } = outcome {
            refused.push(format!("{}\n    {why}", case.sample.instruction));
        }
    });
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
