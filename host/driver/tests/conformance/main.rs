//! One row for each call and each documented way to misuse it, with the code that the
//! driver must return.
//!
//! The table runs on whatever [`driver`] chooses: the simulator here, NVIDIA's driver on a machine
//! with a GPU. Both must give the same results, so a row that passes on both shows that the two
//! drivers agree. A row that is only for the simulator gives the reason (mostly: NVIDIA's driver
//! does not check that, and crashes).
//!
//! Each row runs on a thread of its own, in a fresh context. Rows whose kernel faults run in a
//! process of their own, because a fault on a GPU ends CUDA for the process.

#[path = "../answer/mod.rs"]
mod answer;
mod code;
mod context;
mod device;
mod fixture;
mod graph;
mod memory;
mod stream;
mod texture;
mod versions;

use fixture::Fixture;
use lanewise_driver::Backend;
use lanewise_driver::abi::CUresult;

/// The drivers on which a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    /// On both drivers.
    Both,
    /// On the simulator only, for this reason.
    Sim(&'static str),
}

/// One call with one set of arguments.
struct Row {
    /// The name of the call, and what is special about this row.
    name: &'static str,
    expected: CUresult,
    on: On,
    run: fn(&Fixture) -> CUresult,
}

/// Rows: `"cuCall: what is done" => CODE, |f| ..;`, where the body is unsafe; `(sim: "why")` before
/// the arrow for rows that the simulator alone must pass.
macro_rules! rows {
    ($($name:literal $((sim: $why:literal))? => $code:ident, |$f:pat_param| $body:expr;)*) => {
        pub(crate) fn rows() -> Vec<$crate::Row> {
            vec![$($crate::Row {
                name: $name,
                expected: lanewise_driver::abi::CUresult::$code,
                on: {
                    #[allow(unused_mut, unused_assignments, reason = "most rows are for both drivers")]
                    let mut on = $crate::On::Both;
                    $(on = $crate::On::Sim($why);)?
                    on
                },
                run: |$f| {
                    #[allow(unused_unsafe, clippy::undocumented_unsafe_blocks, reason = "each row is a driver call whose \
                        arguments are the row's own, valid or wrong on purpose in a way that the driver must catch")]
                    unsafe { $body }
                },
            }),*]
        }
    };
}

pub(crate) use rows;

fn all() -> Vec<Row> {
    let tables = [
        device::rows(),
        context::rows(),
        code::module::rows(),
        memory::multicast::rows(),
        code::link::rows(),
        code::library::rows(),
        memory::device::rows(),
        memory::pool::rows(),
        memory::host::rows(),
        memory::ipc::rows(),
        memory::copy::rows(),
        memory::array::rows(),
        memory::copy_array::rows(),
        texture::tensor_map::rows(),
        texture::object::rows(),
        texture::reference::rows(),
        memory::virtual_memory::rows(),
        memory::range_attribute::rows(),
        stream::memory::rows(),
        memory::pointer::rows(),
        stream::made::rows(),
        stream::event::rows(),
        code::function::rows(),
        code::launch::rows(),
        graph::shape::rows(),
        graph::nodes::rows(),
        graph::memory::rows(),
        graph::user_objects::rows(),
        graph::exec::rows(),
        graph::capture::rows(),
        graph::conditional::rows(),
        versions::rows(),
    ];
    tables.into_iter().flatten().collect()
}

/// Runs a row. The error describes the result that came instead.
fn check(row: &Row) -> Result<(), String> {
    let applies = row.on == On::Both || lanewise_driver::backend() == Some(Backend::Sim);
    if !applies {
        return Ok(());
    }
    let (run, expected) = (row.run, row.expected);
    let outcome = std::thread::spawn(move || {
        let fixture = Fixture::new();
        let code = run(&fixture);
        (code, lanewise_driver::last_message())
    })
    .join();
    let Ok((code, message)) = outcome else {
        return Err(format!("{}: panicked", row.name));
    };
    if code != expected {
        return Err(format!(
            "{}: expected {expected:?}, got {code:?} ({message:?})",
            row.name
        ));
    }
    // The simulator says what was wrong, and names the call; "not ready" is an answer and
    // not a failure.
    let failed = !matches!(code, CUresult::SUCCESS | CUresult::ERROR_NOT_READY);
    if failed && lanewise_driver::backend() == Some(Backend::Sim) {
        let call = row.name.split_once(':').map_or(row.name, |(call, _)| call);
        if !message
            .as_ref()
            .is_some_and(|message| message.starts_with(call) && message.len() > call.len() + 10)
        {
            return Err(format!(
                "{}: {code:?} came without words for it: {message:?}",
                row.name
            ));
        }
    }
    Ok(())
}

/// The variable with the index of the first row, in a process that runs rows.
const FIRST: &str = "LANEWISE_TEST_FIRST_ROW";

/// Runs the rows from this index on. It prints the result of each for the parent process.
fn run_from(first: usize) {
    fixture::initialise();
    eprintln!("rows on {:?}", lanewise_driver::backend());
    for (i, row) in all().iter().enumerate().skip(first) {
        eprintln!("row {i} begins: {}", row.name);
        if let Err(failure) = check(row) {
            eprintln!("row {i} failed: {failure:?}");
        }
    }
}

/// Returns the index of the last row that began, from the output of its process.
fn last_begun(said: &str) -> Option<usize> {
    let begun = said
        .lines()
        .rev()
        .find(|line| line.starts_with("row ") && line.contains(" begins: "))?;
    begun.split(' ').nth(1)?.parse().ok()
}

/// Rows run in processes of their own, because a GPU's driver ends a process in which it finds an
/// error. The next process begins with the row after the one that ended it, so that one error does
/// not hide the rest.
#[test]
fn every_row_holds() {
    if let Ok(first) = std::env::var(FIRST) {
        return run_from(first.parse().expect("an index"));
    }
    let rows = all();
    let this = std::env::current_exe().expect("a test has an executable");
    let mut failures = Vec::new();
    let mut first = 0;
    while first < rows.len() {
        let output = std::process::Command::new(&this)
            .args(["every_row_holds", "--exact", "--nocapture"])
            .env(FIRST, first.to_string())
            .output()
            .expect("a test can run itself");
        let said = String::from_utf8_lossy(&output.stderr);
        eprint!("{said}");
        let failed = said
            .lines()
            .filter(|line| line.starts_with("row ") && line.contains(" failed: "));
        failures.extend(failed.map(String::from));
        if output.status.success() {
            break;
        }
        let last = last_begun(&said).unwrap_or(first);
        let name = rows.get(last).map_or("before any", |row| row.name);
        failures.push(format!(
            "row {last} ended the process ({}): {name}",
            output.status
        ));
        first = last + 1;
    }
    assert!(
        failures.is_empty(),
        "{} of {} rows:\n{}",
        failures.len(),
        rows.len(),
        failures.join("\n")
    );
}

#[test]
fn every_simulated_call_has_a_row() {
    let named: Vec<&str> = all()
        .iter()
        .chain(&code::fault::rows())
        .map(|row| row.name.split_once(':').map_or(row.name, |(call, _)| call))
        .collect();
    let missing: Vec<&str> = lanewise_driver::api::ENTRY_POINTS
        .iter()
        .filter(|entry| entry.simulated && !named.contains(&entry.symbol))
        .map(|entry| entry.symbol)
        .collect();
    assert!(missing.is_empty(), "calls without a row: {missing:?}");
}
