//! Every environment variable with values that it does not accept: the message names the variable
//! and the accepted values, in a few lines. The program goes on or ends.

use lanewise::{Backend, Device, DeviceBuffer, LaunchConfig};
use lanewise_variables::{ALL, Group};
use tests::isolate::isolated_with;
use tests::report;

/// The effect of a wrong value.
enum Wrong {
    /// The device does not open; the error has these words.
    Refused(&'static str),
    /// The file is not written; stderr has these words.
    Said(&'static str),
    /// A kernel does not load; the error has these words.
    NotLoaded(&'static str),
    /// As with NVIDIA's driver, nothing.
    Ignored,
}
use Wrong::{Ignored, NotLoaded, Refused, Said};

const SWITCH: Wrong = Refused("it takes `1`, `0`");
const MEMORY: Wrong = Refused("it takes bytes, with `K`, `M` or `G` after the number");
const SEED: Wrong = Refused("it takes a whole number of 64 bits");

/// Each variable with some of the values that it does not take. An enormous one is added to each.
const ROWS: &[(&str, &[&str], Wrong)] = &[
    (
        "LANEWISE_DEVICE",
        &["gpu"],
        Refused("set it to `cuda`, to `sim`"),
    ),
    (
        "LANEWISE_MODEL",
        &["h100"],
        Refused("there are h200, b200,"),
    ),
    (
        "LANEWISE_SIM_DEVICES",
        &["two", "0", "17", "-1"],
        Refused("it takes 1 to 16"),
    ),
    ("LANEWISE_SIM_PEERS", &["yes"], SWITCH),
    (
        "LANEWISE_SIM_MEMORY",
        &["much", "0", "4T", "99999999999G"],
        MEMORY,
    ),
    ("LANEWISE_TRY", &["yes"], SWITCH),
    (
        "LANEWISE_CHECKS",
        &["bounds", "race,7"],
        Refused("there are `race`, `sync`, `memory`, `init`, `leak`, `init=strict`, and `all`"),
    ),
    (
        "LANEWISE_CHECKS_ACTION",
        &["stop"],
        Refused("it takes `fault`, `report`"),
    ),
    (
        "LANEWISE_SEED",
        &["random", "-1", "18446744073709551616"],
        SEED,
    ),
    (
        "LANEWISE_SCHEDULE",
        &["fast", "pct:0", "pct:99999999999"],
        Refused("there are `plain`, `random`, `pct` and `pct:DEPTH`"),
    ),
    ("LANEWISE_STEPS", &["yes"], SWITCH),
    (
        "LANEWISE_BUDGET",
        &["0", "1e6", "18446744073709551616"],
        Refused("it takes a whole number of 64 bits, above 0"),
    ),
    (
        "LANEWISE_LOG",
        &["nonsense"],
        Refused("it takes `off`, `faults`, `errors`, `calls`"),
    ),
    ("LANEWISE_SUMMARY", &["yes"], SWITCH),
    (
        "LANEWISE_COUNTERS",
        &["/nowhere/counters.json"],
        Said("cannot be written"),
    ),
    (
        "LANEWISE_RECORD",
        &["/nowhere/record.json"],
        Said("cannot be written"),
    ),
    (
        "LANEWISE_TRACE",
        &["/nowhere/trace.json"],
        Said("cannot be written"),
    ),
    (
        "LANEWISE_PTX",
        &["/nowhere/ptx"],
        NotLoaded("LANEWISE_PTX names the folder"),
    ),
    ("CUDA_LAUNCH_BLOCKING", &["yes"], Ignored),
    ("CUDA_DEVICE_MAX_CONNECTIONS", &["0", "many"], Ignored),
];

/// Variables that have tests elsewhere: those that only a GPU, a linker, a build
/// or proptest reads.
const ELSEWHERE: [&str; 8] = [
    "LANEWISE_CUDADEVRT",
    "LANEWISE_NVIDIA_LIBRARIES",
    "LANEWISE_NVJITLINK",
    "CUDA_HOME",
    "CUDA_PATH",
    "DOCS_RS",
    "GITHUB_STEP_SUMMARY",
    "PROPTEST_CASES",
];

/// Opens the device, and adds two vectors.
fn sum() -> String {
    let device = match Device::open() {
        Ok(device) => device,
        Err(error) => return format!("not opened: {}", report::whole(&error)),
    };
    let stream = device.stream().expect("a stream");
    let a = DeviceBuffer::from_slice(&device, &[1.0f32; 32]).expect("a buffer");
    let mut c = DeviceBuffer::from_slice(&device, &[0.0f32; 32]).expect("a buffer");
    let kernel = gpu::basics::vector_add::vec_add;
    match stream.launch(kernel, LaunchConfig::new(1, 32), (&a, &a, &mut c)) {
        Ok(()) => format!("{}", c.to_vec().expect("no fault")[31]),
        Err(error) => format!("not launched: {}", report::whole(&error)),
    }
}

fn is_on_a_gpu() -> bool {
    // In the processes below the device may not open.
    let is = Device::open().is_ok_and(|device| device.backend() == Backend::Cuda);
    if is {
        println!("skipped: settings of the simulator");
    }
    is
}

#[test]
fn a_value_that_a_variable_does_not_take_is_said_with_what_it_takes() {
    if is_on_a_gpu() {
        return;
    }
    let test = "settings::a_value_that_a_variable_does_not_take_is_said_with_what_it_takes";
    let enormous = "9".repeat(50_000);
    for (variable, values, wrong) in ROWS {
        for value in values.iter().copied().chain([&*enormous]) {
            let answer = isolated_with(&[(variable, value)], test, sum);
            let (text, stderr) = (&answer.text, &answer.stderr);
            let what = format!("{variable}: {text:.2000}\n{stderr:.2000}");
            let (parts, is_said) = match wrong {
                Refused(words) => ([*variable, words], text.starts_with("not opened: ")),
                NotLoaded(words) => (["not launched: ", words], true),
                Said(_) | Ignored => (["2", ""], text == "2"),
            };
            assert!(
                is_said && parts.iter().all(|part| text.contains(part)),
                "{what}"
            );
            if let Said(words) = wrong {
                assert!(
                    [variable, words].iter().all(|part| stderr.contains(*part)),
                    "{what}"
                );
            }
            // A path is shown whole.
            if matches!(wrong, Refused(_)) {
                assert!(
                    text.len() + stderr.len() < 2000,
                    "{variable}: {}",
                    text.len()
                );
            }
        }
    }
}

#[test]
fn an_empty_variable_is_one_that_is_not_set() {
    if is_on_a_gpu() {
        return;
    }
    let test = "settings::an_empty_variable_is_one_that_is_not_set";
    for empty in ["", " "] {
        // A blank is a name that a file could have.
        let paths = ["LANEWISE_TRACE", "LANEWISE_PTX"];
        let rows = ROWS.iter().map(|(variable, ..)| *variable);
        let all: Vec<_> = rows
            .filter(|variable| empty.is_empty() || !paths.contains(variable))
            .map(|variable| (variable, empty))
            .collect();
        let answer = isolated_with(&all, test, sum);
        assert_eq!(answer.text, "2", "{}", answer.stderr);
    }
}

/// The most of everything that the variables do take.
#[test]
fn the_largest_values_are_values() {
    if is_on_a_gpu() {
        return;
    }
    let test = "settings::the_largest_values_are_values";
    let (most, many) = ("18446744073709551615", "pct:4294967295,weak");
    for settings in [
        &[("LANEWISE_SEED", most), ("LANEWISE_BUDGET", most)][..],
        &[("LANEWISE_SCHEDULE", many), ("LANEWISE_SEED", most)],
        &[
            ("LANEWISE_SIM_DEVICES", "16"),
            ("LANEWISE_SIM_MEMORY", "17179869183G"),
        ],
    ] {
        let answer = isolated_with(settings, test, sum);
        assert_eq!(answer.text, "2", "{settings:?}: {}", answer.stderr);
    }
}

#[test]
fn no_variable_of_a_program_is_left_out() {
    let of_programs = [
        Group::Device,
        Group::Launch,
        Group::Output,
        Group::Host,
        Group::Foreign,
    ];
    for variable in ALL.iter().filter(|it| of_programs.contains(&it.group)) {
        let has_row = ROWS.iter().any(|(name, ..)| *name == variable.name);
        assert!(
            has_row != ELSEWHERE.contains(&variable.name),
            "{} has no row here, or two places",
            variable.name
        );
    }
}

#[test]
fn a_variable_of_an_unknown_name_is_a_warning() {
    if is_on_a_gpu() {
        return;
    }
    // In two parts, since a test reads all sources for names that are not in the table.
    let mistyped = concat!("LANEWISE", "_CHECK");
    let test = "settings::a_variable_of_an_unknown_name_is_a_warning";
    let answer = isolated_with(&[(mistyped, "race")], test, sum);
    assert_eq!(answer.text, "2");
    let warning =
        format!("`{mistyped}` is no variable of Lanewise; did you mean `LANEWISE_CHECKS`?");
    assert!(answer.stderr.contains(&warning), "{}", answer.stderr);
}
