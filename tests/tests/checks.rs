//! Checks that a program turns on: with a guard, around some launches, and with the environment.
//! The reports are in `checks/`.

use gpu::instruction::increment::{incr_atomic, incr_racy};
use lanewise::checks::{self, Checking, Exploring, FindingKind};
use lanewise::{Device, DeviceBuffer, DriverError, LaunchConfig, Stream};
use tests::expect;
use tests::isolate::{isolated, isolated_with};
use tests::report;

#[path = "checks/freed.rs"]
mod freed;
#[path = "checks/host_access.rs"]
mod host_access;
#[path = "checks/leaks.rs"]
mod leaks;
#[path = "checks/settings.rs"]
mod settings;
#[path = "checks/streams.rs"]
mod streams;
#[path = "checks/strict.rs"]
mod strict;

/// What this file's tests need: a check is the simulator's.
fn simulator() -> Option<Device> {
    tests::simulator("checks", "a GPU checks nothing")
}

/// Launches `incr_racy` on a warp and waits for it.
fn race(device: &Device, stream: &Stream) -> Result<(), DriverError> {
    let mut counter = DeviceBuffer::from_slice(device, &[0]).expect("a counter");
    let config = LaunchConfig::new(1, 32);
    // SAFETY: the race can spoil the value of the counter and nothing else.
    unsafe { stream.launch_unchecked(incr_racy, config, (&mut counter,)) }
        .expect("the launch itself is right");
    stream.synchronize()
}

/// Returns the error of [`race`], whole but without the parts that vary.
fn raced() -> String {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    match race(&device, &stream) {
        Ok(()) => "nothing found".to_owned(),
        Err(error) => report::exhibit(&report::whole(&error)),
    }
}

#[test]
fn a_race_fails_the_launch_while_the_guard_lives() {
    if simulator().is_none() {
        return;
    }
    let name = "a_race_fails_the_launch_while_the_guard_lives";
    let answer = isolated(name, || {
        let guard = Checking::all().start();
        let text = raced();
        assert!(!guard.findings().is_empty(), "the guard knows them too");
        text
    });
    expect!(answer.text, "checks/race.txt");
}

#[test]
fn a_guard_that_reports_lets_the_launch_go_on() {
    if simulator().is_none() {
        return;
    }
    let name = "a_guard_that_reports_lets_the_launch_go_on";
    let answer = isolated(name, || {
        let guard = Checking::race().report().start();
        let text = raced();
        format!(
            "{text}, {:?}",
            guard.findings().iter().map(|f| f.kind).collect::<Vec<_>>()
        )
    });
    assert_eq!(answer.text, "nothing found, [Race]");
    assert!(
        answer.stderr.contains("lanewise: race: "),
        "{}",
        answer.stderr
    );
}

/// Two blocks of one thread count; what the counter holds has to be 2.
macro_rules! counts_to_two {
    ($device:ident, $kernel:ident) => {
        || {
            let stream = $device.stream()?;
            let mut counter = DeviceBuffer::from_slice(&$device, &[0]).expect("a counter");
            let config = LaunchConfig::new(2, 1);
            // SAFETY: a race can spoil the value of the counter and nothing else.
            unsafe { stream.launch_unchecked($kernel, config, (&mut counter,)) }
                .expect("the launch itself is right");
            match counter.to_vec().expect("no fault")[0] {
                2 => Ok(()),
                wrong => Err(anyhow::anyhow!("{wrong} instead of 2")),
            }
        }
    };
}

#[test]
fn every_schedule_is_right_or_the_one_that_is_not_is_shown() {
    let Some(device) = simulator() else { return };
    let proved = checks::explore(
        &device,
        Exploring::weak(),
        counts_to_two!(device, incr_atomic),
    );
    let proved = proved.expect("atomics lose nothing");
    assert!(
        proved.is_some_and(|it| it.complete && it.runs > 1),
        "{proved:?}"
    );

    for exploring in [Exploring::weak(), Exploring::interleavings()] {
        let broken = checks::explore(&device, exploring, counts_to_two!(device, incr_racy));
        let broken = broken.expect_err("an update is lost");
        let text = broken.to_string();
        assert!(text.starts_with("1 instead of 2\nin run "), "{text}");
        assert!(
            text.contains("block 1, thread (0,0,0)") && text.contains(" reads a = 0x0"),
            "{text}"
        );
    }
}

/// A panicking thread may explore schedules too, in a destructor: a panic hook can't be set then.
#[test]
fn schedules_are_looked_for_while_a_panic_unwinds() {
    struct Explores(Device);
    impl Drop for Explores {
        fn drop(&mut self) {
            let device = &self.0;
            let test = counts_to_two!(device, incr_racy);
            let broken = checks::explore(device, Exploring::interleavings(), test);
            print!("{}", broken.expect_err("an update is lost").error);
        }
    }
    let Some(device) = simulator() else { return };
    // In a process of its own: the hook is taken once.
    let name = "schedules_are_looked_for_while_a_panic_unwinds";
    let answer = isolated(name, || {
        let explores = Explores(device);
        let panics = std::panic::AssertUnwindSafe(|| {
            let _explores = explores;
            panic!("on purpose");
        });
        let panicked = std::panic::catch_unwind(panics).map(drop);
        format!("panicked: {}", panicked.is_err())
    });
    assert_eq!(
        (&*answer.printed, &*answer.text),
        ("1 instead of 2", "panicked: true")
    );
}

#[test]
fn findings_of_some_launches_are_given_back() {
    let Some(device) = simulator() else { return };
    let stream = device.stream().expect("a stream");
    let found = checks::of(&device, Checking::race(), || {
        race(&device, &stream).map(|()| "raced")
    });
    let (answer, found) = found.expect("a finding is no fault here");
    let found = found.expect("the simulator checks");
    assert_eq!(answer, "raced");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].kind, FindingKind::Race);

    // Outside of it nothing is checked, and atomics do not race.
    race(&device, &stream).expect("no fault");
    let found = checks::of(&device, Checking::all(), || -> Result<(), DriverError> {
        let mut counter = DeviceBuffer::from_slice(&device, &[0]).expect("a counter");
        stream
            .launch(incr_atomic, LaunchConfig::new(2, 64), (&mut counter,))
            .expect("a launch");
        Ok(())
    });
    assert_eq!(found.expect("no fault"), ((), Some(vec![])));
}

/// Returns the report of a kernel that doubles a word: of a buffer that was never written, and of
/// one that holds a copy of it.
fn doubled_unwritten() -> String {
    use cust::launch;
    use cust::memory::{CopyDestination, DeviceBuffer};
    const PTX: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry twice(.param .u64 p) {\n\
        .reg .b32 %r<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, %r1;\n\
        st.global.u32 [%rd1], %r1;\nret;\n}";
    // Linking `host` is what gives the program the driver's symbols.
    let _ = tests::device();
    let _context = cust::quick_init().expect("a device was opened");
    let module = cust::module::Module::from_ptx(PTX, &[]).expect("PTX");
    let stream = cust::stream::Stream::new(cust::stream::StreamFlags::NON_BLOCKING, None);
    let stream = stream.expect("a stream");
    let guard = Checking::init().report().start();
    let twice = |buffer: &DeviceBuffer<u32>| {
        // SAFETY: one thread, and a word for it.
        unsafe { launch!(module.twice<<<1, 1, 0, stream>>>(buffer.as_device_ptr())) }
            .expect("a launch");
        stream.synchronize().expect("a finding is no fault here");
        let found = guard.findings();
        found.iter().map(|f| format!("{f}\n")).collect::<String>()
    };
    // SAFETY: to read it before it is written is what this is about.
    let empty = || unsafe { DeviceBuffer::<u32>::uninitialized(4) }.expect("memory");
    let (first, mut copy, mut filled) = (empty(), empty(), empty());
    first.copy_to(&mut copy).expect("a copy");
    filled.copy_from(&[1, 2, 3, 4]).expect("a copy");
    format!(
        "of a copy:\n{}of new memory:\n{}of a filled one:\n{}and twice:\n{}",
        twice(&copy),
        twice(&first),
        twice(&filled),
        twice(&first)
    )
}

#[test]
fn memory_that_nobody_wrote_is_named_where_it_decides() {
    if simulator().is_none() {
        return;
    }
    let name = "memory_that_nobody_wrote_is_named_where_it_decides";
    let answer = isolated(name, || report::stable(&doubled_unwritten()));
    expect!(answer.text, "checks/init.txt");
}

#[test]
fn the_environment_asks_for_checks_and_says_what_a_finding_does() {
    if simulator().is_none() {
        return;
    }
    let name = "the_environment_asks_for_checks_and_says_what_a_finding_does";
    let with = |variables: &[(&str, &str)]| isolated_with(variables, name, raced);

    let answer = with(&[("LANEWISE_CHECKS", "race")]);
    assert!(
        answer.text.starts_with("cuStreamSynchronize at ")
            && answer.text.contains("CUDA_ERROR_LAUNCH_FAILED (719)")
            && answer.text.contains("race: "),
        "{}",
        answer.text
    );
    let answer = with(&[
        ("LANEWISE_CHECKS", "all"),
        ("LANEWISE_CHECKS_ACTION", "report"),
    ]);
    assert_eq!(answer.text, "nothing found");
    assert!(
        answer.stderr.contains("lanewise: race: "),
        "{}",
        answer.stderr
    );

    let answer = with(&[("LANEWISE_CHECKS", "sync")]);
    assert_eq!(answer.text, "nothing found", "no race was asked for");
}

/// The book's table of checks, and the table of variables, name what the simulator takes.
#[test]
fn the_book_names_every_check() {
    let mut all = lanewise_sim::Checks::all();
    all.leak = true;
    let named = all.to_string();
    let names: Vec<&str> = named.split(',').collect();
    let page = include_str!("../../docs/src/simulator/checks.md");
    let table = page.lines().skip_while(|line| !line.starts_with("| check"));
    let rows = table.skip(2).take_while(|line| line.starts_with("| `"));
    let told: Vec<&str> = rows.filter_map(|line| line.split('`').nth(1)).collect();
    assert_eq!(told, names);

    let variables = include_str!("../../docs/src/reference/variables.md");
    let row = variables
        .lines()
        .find(|line| line.starts_with("| `LANEWISE_CHECKS` "))
        .expect("a row");
    for name in names {
        assert!(row.contains(&format!("`{name}`")), "no `{name}` in {row}");
    }
}
