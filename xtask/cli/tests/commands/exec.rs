//! `lanewise exec` on a program that knows nothing of Lanewise: Python, with the driver API by
//! ctypes. Where there is no Python 3 the tests say so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use crate::python::PYTHON;

/// `lanewise` with the driver's library beside it, as someone packs them: that one does not ask
/// cargo, at each start, whether the library is up to date. It is built here.
static PACKED: LazyLock<PathBuf> = LazyLock::new(|| {
    let program = Path::new(env!("CARGO_BIN_EXE_lanewise"));
    let built = Command::new(program).args(["driver", "--json"]).output();
    let built = built.expect("the program starts");
    let document: serde_json::Value = serde_json::from_slice(&built.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&built.stderr)));
    let library = document["library"].as_str().expect("a path");
    // As the project's root has it.
    let library = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(library);

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packed");
    let beside = folder.join("lanewise-driver");
    fs::create_dir_all(&beside).expect("a folder");
    link(&library, &beside.join("libcuda.so.1"));
    link(&library, &beside.join("libcuda.so"));
    let packed = folder.join("lanewise");
    link(program, &packed);
    packed
});

/// Gives a file one more name, and replaces a file of that name. By renaming, since another run of
/// these tests may do the same at the same time.
fn link(file: &Path, name: &Path) {
    let fresh = name.with_extension(std::process::id().to_string());
    fs::hard_link(file, &fresh).expect("both are in the target folder");
    fs::rename(&fresh, name).expect("the folder is ours");
    // It stays where both were the same file already.
    drop(fs::remove_file(&fresh));
}

/// Python's option not to look for packages, of which the programs here need none: its start
/// takes a third.
const NO_PACKAGES: &str = "-S";

/// Runs `lanewise exec OPTIONS -- python3 count.py ARGUMENTS`; nothing where there is no Python.
fn exec(options: &[&str], arguments: &[&str]) -> Option<Output> {
    exec_program(options, "count.py", arguments)
}

/// The same with a program of this folder.
fn exec_program(options: &[&str], program: &str, arguments: &[&str]) -> Option<Output> {
    let python = PYTHON.as_ref()?;
    let program = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/commands/exec")
        .join(program);
    let output = Command::new(&*PACKED)
        .arg("exec")
        .args(options)
        .args(["--", python, NO_PACKAGES])
        .arg(program)
        .args(arguments)
        .env_remove("LANEWISE_CHECKS")
        .output()
        .expect("the program starts");
    Some(output)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is the driver's, without what cargo said of building it.
fn said(output: &Output) -> String {
    let stderr = text(&output.stderr);
    let start = stderr.find("lanewise: ").unwrap_or(stderr.len());
    stderr[start..].to_owned()
}

#[test]
fn a_python_program_runs_and_ends_with_a_summary_of_its_kernels() {
    let Some(output) = exec(&["--model", "rtx4090", "--seed", "7"], &[]) else {
        return;
    };
    let stdout = text(&output.stdout);
    assert!(
        output.status.success() && stdout.starts_with("NVIDIA GeForce RTX 4090: counted "),
        "{stdout}\n{}",
        text(&output.stderr)
    );
    let said = said(&output);
    assert!(
        said.starts_with(
            "lanewise: 1 launch of 1 kernel on a simulated NVIDIA GeForce RTX 4090, seed 7, checks: none\n"
        ),
        "{said}"
    );
    let row = said
        .lines()
        .find(|line| line.trim_start().starts_with("count "));
    assert!(
        row.is_some_and(|row| row.contains("1.00")),
        "one sector a load: {said}"
    );
}

#[test]
fn a_finding_fails_the_launch_of_any_program_and_is_in_the_summary() {
    let Some(output) = exec(&["--checks", "race"], &[]) else {
        return;
    };
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cuCtxSynchronize answered 719"), "{stderr}");
    assert!(
        stderr.contains("lanewise: CUDA_ERROR_LAUNCH_FAILED (719): cuCtxSynchronize: race: "),
        "{stderr}"
    );
    assert!(
        stderr.contains(
            "lanewise: the checks found something at 2 places\n  race in `count` at ptx line "
        ),
        "{stderr}"
    );

    let Some(output) = exec(&["--checks", "race", "--report"], &["fail"]) else {
        return;
    };
    let stderr = text(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(3),
        "the program's own code: {stderr}"
    );
    assert!(stderr.contains("lanewise: race: "), "{stderr}");
}

/// What the book shows: the program's line, then the driver's.
#[test]
fn the_book_shows_what_a_racy_program_ends_with() {
    let Some(output) = exec(&["--checks", "race", "--report"], &[]) else {
        return;
    };
    let shown = format!("{}{}", text(&output.stdout), said(&output));
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/commands/exec/summary.txt"
    );
    if lanewise_variables::BLESS.get().is_some() {
        return std::fs::write(path, shown).expect("the file can be written");
    }
    assert_eq!(
        shown,
        include_str!("exec/summary.txt"),
        "LANEWISE_BLESS=1 accepts it"
    );
}

#[test]
fn the_counters_are_a_file_for_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.json");
    let name = file.to_str().expect("a path in UTF-8");
    let Some(output) = exec(&["--counters", name], &[]) else {
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(&file).expect("the file is there");
    let document: serde_json::Value = serde_json::from_str(&written).expect("it is JSON");
    let kernel = &document["kernels"][0];
    assert_eq!(kernel["kernel"], "count", "{document:#}");
    assert_eq!(kernel["launches"], 1);
    assert_eq!(kernel["metrics"]["sectors_per_load"], 1.0);
    assert_eq!(
        kernel["counters"]["global_loads"]["requests"], 2,
        "two warps"
    );
}

/// Runs `exec` with an option that names a file, and returns what was written there.
fn written(options: &[&str]) -> Option<(Output, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("written");
    let name = file.to_str().expect("a path in UTF-8");
    let output = exec(&[options, &[name]].concat(), &[])?;
    Some((output, fs::read_to_string(&file).unwrap_or_default()))
}

#[test]
fn counters_have_the_columns_of_ncu() {
    let Some((output, table)) = written(&["--csv"]) else {
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.trim_matches('"').split("\",\"").collect())
        .collect();
    let column = |name: &str| {
        let at = rows[0].iter().position(|it| *it == name);
        at.unwrap_or_else(|| panic!("{name}: {table}"))
    };
    assert_eq!(rows[2][column("Kernel Name")], "count");
    let sectors = column("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    assert_eq!((rows[1][sectors], rows[2][sectors]), ("sector", "2"));
}

#[test]
fn instructions_are_folded_by_their_lines() {
    let Some((output, stacks)) = written(&["--folded"]) else {
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    // The program's PTX names no lines.
    let counts: Vec<&str> = stacks.lines().collect();
    let all = counts[0].strip_prefix("count ");
    assert!(counts.len() == 1 && all.is_some_and(|all| all.parse::<u64>().is_ok_and(|it| it > 4)));
}

#[test]
fn a_finding_has_the_exit_code_that_was_asked_for() {
    let options = ["--checks", "race", "--report", "--error-exitcode", "42"];
    let Some(output) = exec(&options, &[]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(42), "{}", text(&output.stderr));
    let several = sanitize(&["--error-exitcode", "43"]).expect("as before");
    assert_eq!(several.status.code(), Some(43), "{}", text(&several.stderr));
    let nothing = exec(&["--error-exitcode", "44"], &["fail"]).expect("as before");
    assert_eq!(nothing.status.code(), Some(3), "the program's own");
    // With several seeds findings are listed, and do not end the launch.
    let seeds = exec(&["--checks", "race", "--seeds", "2"], &[]).expect("as before");
    let said = text(&seeds.stdout);
    assert!(said.contains("with seeds 0, 1"), "{said}");
}

/// A folder with a `cargo` that runs this Python program, whatever it is to do.
fn project_in_python() -> Option<(tempfile::TempDir, PathBuf)> {
    let python = PYTHON.as_ref()?;
    let folder = tempfile::tempdir().expect("a folder");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/exec/count.py");
    let cargo = folder.path().join("cargo");
    let script = format!(
        "#!/bin/sh\necho \"cargo $*\"\nexec '{}' -S '{}'\n",
        Path::new(python).display(),
        program.display()
    );
    fs::write(&cargo, script).expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&cargo, mode).expect("the file is ours");
    Some((folder, cargo))
}

#[test]
fn verbs_are_cargos_with_the_options_of_all_commands() {
    let Some((folder, cargo)) = project_in_python() else {
        return;
    };
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&*PACKED);
        command.args(arguments).env("CARGO", &cargo);
        let output = command.current_dir(folder.path()).output();
        let output = output.expect("the program starts");
        let said = text(&output.stdout);
        (output.status.code(), said, text(&output.stderr))
    };
    let (code, said, errors) = run(&["run", "--csv", "-", "--release", "--", "7"]);
    assert_eq!(code, Some(0), "{said}{errors}");
    assert!(said.starts_with("cargo run --release -- 7\n"), "{said}");
    assert!(said.contains("\"Kernel Name\""), "{said}");
    let (code, said, errors) = run(&["test", "--seeds", "2", "-p", "one"]);
    assert_eq!(code, Some(1), "{said}{errors}");
    assert!(said.starts_with("cargo test -p one\n"), "{said}");
    assert!(said.contains("with seeds 0, 1"), "{said}");
    let (code, said, errors) = run(&["bench", "--model", "b200", "--checks", "sync"]);
    assert_eq!(code, Some(0), "{said}{errors}");
    assert!(
        said.contains("cargo bench") && errors.contains("checks: sync"),
        "{said}{errors}"
    );
    // This machine's GPU has none of the simulator's options.
    let (code, _, errors) = run(&["bench", "--gpu", "--checks", "race"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("cannot be used with"), "{errors}");
}

#[test]
fn a_shell_completes_commands_and_options() {
    let output = Command::new(env!("CARGO_BIN_EXE_lanewise"))
        .args(["completions", "bash"])
        .output()
        .expect("the program starts");
    let script = text(&output.stdout);
    for word in ["sanitize", "debug", "--error-exitcode", "complete -F"] {
        assert!(script.contains(word), "{word}");
    }
    let mut bash = Command::new("bash");
    let checked = bash.args(["-n", "-c", &script]).status().expect("a shell");
    assert!(checked.success());
}

/// However a program ends, its exit code is handed on, and it is said why there is no summary.
#[test]
fn a_program_that_ends_abruptly_is_told_of() {
    for (how, code, by) in [
        ("_exit", 7, "without its exit handlers"),
        ("SIGSEGV", 139, "by signal 11"),
        ("SIGKILL", 137, "by signal 9"),
    ] {
        let Some(output) = exec_program(&[], "ends.py", &[how]) else {
            return;
        };
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{how}: {stderr}");
        assert!(
            stderr.contains(&format!("lanewise: the program ended {by}")),
            "{how}: {stderr}"
        );
    }
}

/// A forked child has neither the driver's threads nor its devices: what it can do is what it can
/// on a GPU. Its parent's summary is the only one.
#[test]
fn a_forked_child_cannot_go_on_with_its_parents_driver() {
    let Some(output) = exec_program(&[], "ends.py", &["fork"]) else {
        return;
    };
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert_eq!(text(&output.stdout), "child 3 3\n");
    assert!(stderr.contains("was forked from one that"), "{stderr}");
    let summaries = stderr.matches("on a simulated").count();
    assert_eq!(summaries, 1, "{stderr}");

    let before = exec_program(&[], "ends.py", &["fork before"]).expect("there is a python3");
    let stdout = text(&before.stdout);
    assert!(
        stdout.contains("child 0") && stdout.contains("parent 0"),
        "{stdout}\n{}",
        text(&before.stderr)
    );
}

#[test]
fn a_program_without_cuda_is_told_of_and_one_that_is_not_there_is_an_error() {
    let run = |program: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lanewise"))
            .args(["exec", "--"])
            .args(program)
            .output();
        output.expect("the program starts")
    };
    let output = run(&["true"]);
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("did not initialise a simulated driver"));
    // Where the counters can't go is known before the program runs.
    let refused = Command::new(env!("CARGO_BIN_EXE_lanewise"))
        .args(["exec", "--counters", "/no/such/folder/out.json", "--"])
        .args(["echo", "ran"])
        .output()
        .expect("the program starts");
    assert!(!refused.status.success() && refused.stdout.is_empty());
    assert!(text(&refused.stderr).contains("cannot be written to `/no/such/folder/out.json`"));
    let output = run(&["/no/such/program"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("cannot run `/no/such/program`"));
}

/// `lanewise sanitize` on the same program.
fn sanitize(options: &[&str]) -> Option<Output> {
    sanitize_program(options, "count.py", &[])
}

/// `lanewise sanitize` on a program of this folder.
fn sanitize_program(options: &[&str], program: &str, arguments: &[&str]) -> Option<Output> {
    let python = PYTHON.as_ref()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/exec");
    let output = Command::new(&*PACKED)
        .arg("sanitize")
        .args(options)
        .args(["--", python, NO_PACKAGES])
        .arg(folder.join(program))
        .args(arguments)
        .output()
        .expect("the program starts");
    Some(output)
}

#[test]
fn what_is_found_under_several_seeds_is_one_list() {
    let sarif = tempfile::NamedTempFile::new().expect("a file");
    let path = sarif.path().to_string_lossy().into_owned();
    let Some(output) = sanitize(&["--seeds", "3", "--json", "--sarif", &path]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let found: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("a document and nothing else");
    assert_eq!(found["seeds"], serde_json::json!([0, 1, 2]));
    assert_eq!(found["launches"], 3, "one a run: {found:#}");
    let findings = found["findings"].as_array().expect("a list");
    assert!(!findings.is_empty());
    for finding in findings {
        assert_eq!(finding["kind"], "race");
        assert_eq!(finding["kernel"], "count");
        assert_eq!(finding["seeds"], serde_json::json!([0, 1, 2]));
        // Either access may be the one before.
        let before = finding["before"]["ptx_line"].as_u64();
        assert!(matches!(before, Some(11 | 13)), "{finding:#}");
    }
    let written = std::fs::read_to_string(sarif.path()).expect("the file is written");
    let written: serde_json::Value = serde_json::from_str(&written).expect("JSON");
    let results = &written["runs"][0]["results"];
    assert_eq!(results.as_array().map(Vec::len), Some(findings.len()));
}

#[test]
fn a_replayed_seed_shows_its_schedule() {
    let Some(output) = sanitize(&["--schedule", "pct:2,weak", "--replay", "3", "--json"]) else {
        return;
    };
    let stderr = text(&output.stderr);
    let found: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("a document and nothing else");
    assert_eq!(found["seeds"], serde_json::json!([3]), "{found:#}");
    assert!(
        stderr.contains("lanewise: the schedule of `count`:\n"),
        "{stderr}"
    );
    let step = stderr
        .lines()
        .find(|line| line.trim_start().starts_with("1  block "));
    assert!(
        step.is_some_and(|step| step.contains("ptx line ")),
        "{stderr}"
    );
}

#[test]
fn a_tool_that_was_not_asked_for_finds_nothing() {
    let Some(output) = sanitize(&["--tools", "sync"]) else {
        return;
    };
    let stdout = text(&output.stdout);
    assert!(
        output.status.success()
            && stdout.ends_with("lanewise: nothing found in 1 launch of 1 run\n"),
        "{stdout}\n{}",
        text(&output.stderr)
    );
}

#[test]
fn what_a_program_leaves_is_listed_when_that_is_asked_for() {
    let Some(output) = sanitize(&["--tools", "leak", "--json"]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let found: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("a document and nothing else");
    let findings = found["findings"].as_array().expect("a list");
    let what: Vec<&str> = findings
        .iter()
        .filter_map(|it| it["what"].as_str())
        .collect();
    assert_eq!(
        what,
        [
            "leak: 1 allocation of device memory was not given back, 4 bytes",
            "leak: 1 module was not given back",
            "leak: 1 hold on a primary context was not given back",
        ]
    );
    for finding in findings {
        assert_eq!(
            (&finding["kind"], &finding["kernel"]),
            (&"leak".into(), &().into())
        );
    }
}

#[test]
fn a_program_that_reads_pinned_memory_too_early_is_found() {
    let options = ["--tools", "race", "--seeds", "2", "--json"];
    let Some(output) = sanitize_program(&options, "early.py", &[]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let found: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("a document and nothing else");
    let findings = found["findings"].as_array().expect("a list");
    assert_eq!(findings.len(), 1, "{found:#}");
    assert_eq!(
        findings[0]["what"],
        "race: the host reads memory before it has waited for what writes it"
    );
    assert_eq!(findings[0]["seeds"], serde_json::json!([0, 1]));

    // Behind the last seed comes the first.
    let last = [
        "--tools",
        "race",
        "--first",
        "18446744073709551615",
        "--seeds",
        "2",
        "--json",
    ];
    let round = sanitize_program(&last, "early.py", &[]).expect("as before");
    let found: serde_json::Value = serde_json::from_slice(&round.stdout).expect("a document");
    let seeds = &found["findings"][0]["seeds"];
    assert_eq!(
        *seeds,
        serde_json::json!([u64::MAX, 0]),
        "{}",
        text(&round.stderr)
    );

    let waits = sanitize_program(&options, "early.py", &["wait"]).expect("as before");
    let stdout = text(&waits.stdout);
    assert!(waits.status.success(), "{stdout}\n{}", text(&waits.stderr));
    assert!(
        text(&waits.stderr).contains("the last word is 7"),
        "{stdout}"
    );
}

/// What the driver does not take is said before the program starts, with what there is.
#[test]
fn settings_that_do_not_exist_are_refused_before_the_program_runs() {
    for (options, what) in [
        (["--model", "h2000"], "no device model is called `h2000`"),
        (["--checks", "raec"], "no check is called `raec`"),
    ] {
        let Some(output) = exec(&options, &[]) else {
            return;
        };
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(output.stdout.is_empty() && said.contains(what), "{said}");
    }
    let Some(output) = sanitize(&["--schedule", "chaos"]) else {
        return;
    };
    let said = text(&output.stderr);
    assert!(said.contains("no schedule is called `chaos`"), "{said}");
    assert!(output.stdout.is_empty(), "{said}");
}

#[test]
fn what_came_of_a_program_is_one_document() {
    let Some(output) = exec(&["--json", "--checks", "race", "--report"], &["fail"]) else {
        return;
    };
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["exit_code"], 3, "{document:#}");
    assert_eq!(output.status.code(), Some(3));
    let kernels = &document["driver"]["kernels"];
    assert_eq!(kernels[0]["kernel"], "count", "{document:#}");
    let said = text(&output.stderr);
    assert!(said.contains("counted "), "the program's own: {said}");
}

/// The program of the next test, as a program of its own: it has the driver inside, as this
/// test program has.
#[test]
fn program_with_the_driver_inside() {
    // SAFETY: `cuInit` takes zero and may be called at any time.
    let code = unsafe { lanewise_driver::api::cuInit(0) };
    assert_eq!(code, lanewise_driver::abi::CUresult::SUCCESS);
}

/// `lanewise ARGUMENTS`, which fails where it asks cargo for the library.
fn without_building(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanewise"));
    command.args(arguments).env("CARGO", "false");
    command
}

#[test]
fn nothing_is_built_for_a_program_with_the_driver_inside() {
    let own = std::env::current_exe().expect("this program has a file");
    let run = |arguments: &[&str]| {
        let mut command = without_building(arguments);
        command.arg("--").arg(&own);
        command.args(["--exact", "exec::program_with_the_driver_inside"]);
        command.output().expect("the program starts")
    };
    let output = run(&["exec", "--checks", "race"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("on a simulated"), "{said}");
    assert!(text(&output.stdout).contains("1 passed"), "{output:?}");
    let output = run(&["sanitize"]);
    assert!(output.status.success(), "{output:?}");
    // What it does not take is said before it runs.
    for refused in [
        ["exec", "--model", "h2000"],
        ["sanitize", "--tools", "h2000"],
    ] {
        let output = run(&refused);
        let said = text(&output.stderr);
        assert!(
            !output.status.success() && output.stdout.is_empty(),
            "{output:?}"
        );
        assert!(said.contains("is called `h2000`"), "{said}");
    }
}

/// What cargo starts has the driver inside where the packages use it, and only there.
#[test]
fn nothing_is_built_for_what_cargo_starts_of_packages_that_use_the_driver() {
    let folder = tempfile::tempdir().expect("a folder");
    let cargo = folder.path().join("cargo");
    std::os::unix::fs::symlink("/bin/true", cargo).expect("a link");
    for (package, is_built) in [("lanewise-driver", false), ("lanewise-sim", true)] {
        let lock = format!("[[package]]\nname = \"{package}\"\n");
        fs::write(folder.path().join("Cargo.lock"), lock).expect("a file");
        let mut command = without_building(&["exec", "--", "./cargo"]);
        command.env("XDG_CACHE_HOME", folder.path());
        let output = command.current_dir(folder.path()).output();
        let output = output.expect("the program starts");
        assert_eq!(output.status.success(), !is_built, "{output:?}");
        let said = text(&output.stderr);
        let told = said.contains("`./cargo` has no driver inside");
        assert_eq!(told, is_built, "{said}");
        assert_eq!(
            said.contains("no program that cargo started"),
            !is_built,
            "{said}"
        );
    }
}

/// A program that has loaded the driver by its path gets it by its name, as it gets NVIDIA's.
#[test]
fn the_library_has_the_name_that_programs_ask_for() {
    let Some(python) = &*PYTHON else {
        return;
    };
    let library = PACKED
        .with_file_name("lanewise-driver")
        .join("libcuda.so.1");
    let program = format!(
        "import ctypes; ctypes.CDLL({library:?}, ctypes.RTLD_GLOBAL); ctypes.CDLL('libcuda.so.1')"
    );
    let output = Command::new(python)
        .args([NO_PACKAGES, "-c", &program])
        .output();
    let output = output.expect("Python starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Runs `lanewise figure` of the program's kernel and returns its output and the picture.
fn figure(kind: &str, arguments: &[&str]) -> Option<(Output, String)> {
    let python = PYTHON.as_ref()?;
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("picture.svg");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/exec/count.py");
    let output = Command::new(&*PACKED)
        .args(["figure", kind, "count", "--out"])
        .arg(&picture)
        .args(["--", python, NO_PACKAGES])
        .arg(program)
        .args(arguments)
        .output()
        .expect("the program starts");
    Some((output, fs::read_to_string(picture).unwrap_or_default()))
}

#[test]
fn a_figure_shows_the_lanes_and_sectors_of_any_programs_kernel() {
    let Some((output, picture)) = figure("access", &[]) else {
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    for part in [
        "count",
        "ld.global.u32",
        "1 sector moved, 32 bytes, for 4 wanted: 12.5 %",
    ] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
}

#[test]
fn a_figure_that_cannot_be_drawn_says_why() {
    let cases = [
        ("banks", "", "`count` has no such access; there are 0"),
        ("butterfly", "", "executes no shuffle"),
        ("lanes", "fail", "the program failed (exit status: 3)"),
    ];
    for (kind, argument, said) in cases {
        let Some((output, picture)) = figure(kind, &[argument]) else {
            return;
        };
        let stderr = text(&output.stderr);
        assert!(
            !output.status.success() && stderr.contains(said),
            "{stderr}"
        );
        assert_eq!(picture, "");
    }
}
