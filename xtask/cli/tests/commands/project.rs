//! Through the door: projects that `new` makes, and the commands in them.
//!
//! The kernels of each are built for the device. That a project's host side compiles, and that its
//! test passes, `.ci/run` tries.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;

use crate::python;

/// What a command prints, with how it ended.
struct Ran {
    output: Output,
    text: String,
}

impl Ran {
    #[track_caller]
    fn ok(self) -> Ran {
        assert!(self.output.status.success(), "{}", self.text);
        self
    }

    #[track_caller]
    fn json(self) -> Value {
        let ran = self.ok();
        serde_json::from_slice(&ran.output.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}", ran.text))
    }
}

/// The target folder of all projects. Kernels are compiled where the workspace's own are, so that
/// `core` is compiled once for all.
fn target() -> PathBuf {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = own.join("projects");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let kernels = folder.join("ptx-build");
    if !kernels.exists() {
        let shared = own.with_file_name("ptx-build");
        std::fs::create_dir_all(&shared).expect("a folder can be made");
        // Another test may be first.
        let _ = std::os::unix::fs::symlink(shared, kernels);
    }
    folder
}

/// Runs `cargo lanewise ARGUMENTS` in a folder.
fn lanewise(folder: &Path, arguments: &[&str]) -> Ran {
    lanewise_with(folder, arguments, &[])
}

/// The same with these variables.
fn lanewise_with(folder: &Path, arguments: &[&str], variables: &[(&str, &Path)]) -> Ran {
    lanewise_on(&python::path(), folder, arguments, variables)
}

/// The same with this `PATH`.
fn lanewise_on(
    path: &OsStr,
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &Path)],
) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-lanewise"));
    let output = command
        .arg("lanewise")
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target())
        .env("PATH", path)
        .envs(variables.iter().copied())
        .output()
        .expect("it can be started");
    let text =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Ran {
        output,
        text: text.concat(),
    }
}

/// Where projects are made, for as long as this process has it for itself. It is outside of the
/// repository, as a user's is, and has the same path in every run: to cargo a project at another
/// path is another one, whose files in the target folder would come to those of all runs before.
static PLACE: LazyLock<(PathBuf, File)> = LazyLock::new(|| {
    let own = std::fs::metadata(env!("CARGO_TARGET_TMPDIR")).expect("cargo has made it");
    let name = format!("lanewise-projects-{}-{:x}", own.uid(), own.ino());
    let place = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&place).expect("a folder can be made");
    let lock = File::create(place.join("lock")).expect("a file can be made");
    lock.lock().expect("it is released when a process ends");
    (place, lock)
});

/// A folder for one test, which goes with it.
struct Root(PathBuf);

impl Root {
    fn new(test: &str) -> Root {
        let folder = PLACE.0.join(test);
        // From a run that was ended.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        Root(folder)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        // What stays takes little space, and goes with the next run.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A new project in a folder for this test.
fn project(test: &str, name: &str, options: &[&str]) -> (Root, PathBuf) {
    let root = Root::new(test);
    lanewise(root.path(), &[&["new", name], options].concat()).ok();
    let folder = root.path().join(name);
    (root, folder)
}

/// The names of the kernels that a build prints.
fn kernels(built: &Value) -> Vec<&str> {
    let kernels = built["manifest"]["modules"][0]["kernels"].as_array();
    kernels
        .into_iter()
        .flatten()
        .filter_map(|kernel| kernel["name"].as_str())
        .collect()
}

#[test]
fn the_commands_work_in_a_project_of_one_package() {
    // Not the name of the book's project: both are built in one folder, where the last of a name is
    // the one that is there.
    let (root, folder) = project("commands", "first", &[]);
    let built = lanewise(&folder, &["build-ptx", "--json"]).json();
    assert_eq!(kernels(&built), ["saxpy"]);
    assert_eq!(built["manifest"]["krate"], "first");

    // From a folder inside, and from outside by --crate.
    let source = folder.join("src");
    let inspected = lanewise(&source, &["inspect", "saxpy", "--no-sass", "--json"]).json();
    let lines = inspected["lines"].as_array().expect("lines");
    let of_kernel = lines.iter().find(|line| line["rust"] == "*y += a * x[i];");
    let of_kernel = of_kernel.unwrap_or_else(|| panic!("{inspected:#}"));
    assert_eq!(of_kernel["file"], "src/kernels.rs");
    assert!(
        of_kernel["ptx"].to_string().contains("fma.rn.f32"),
        "{of_kernel}"
    );
    let outside = lanewise(root.path(), &["build-ptx", "--crate", "first", "--json"]).json();
    assert_eq!(
        (kernels(&outside), &outside["rebuilt"]),
        (vec!["saxpy"], &Value::Bool(false))
    );

    let listed = lanewise(&source, &["list", "--json"]).json();
    let parameters = listed[0]["params"].as_array().expect("a list");
    assert_eq!((&listed[0]["name"], parameters.len()), (&"saxpy".into(), 3));

    let diagnosis = lanewise(&folder, &["doctor", "--json"]).json();
    assert_eq!(diagnosis["healthy"], true, "{diagnosis:#}");
}

/// In the place of the debugger a program that says how it was started, and a host program that
/// needs no Lanewise, for it is compiled here.
#[test]
fn kernels_are_built_for_the_debugger_that_runs_the_program() {
    let (root, folder) = project("debugged", "debugged", &[]);
    let write = |file: &Path, text: &str| std::fs::write(file, text).expect("it can be written");
    for file in ["build.rs", "src/lib.rs"] {
        std::fs::remove_file(folder.join(file)).expect("it is there");
    }
    write(&folder.join("src/main.rs"), "fn main() {}\n");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let (head, rest) = manifest.split_once("[dependencies]\n").expect("the table");
    let ours = rest
        .lines()
        .filter(|line| line.starts_with("lanewise-macros =") || line.starts_with("lanewise-std ="));
    let ours: Vec<&str> = ours.collect();
    let table = "[package.metadata.lanewise.dependencies]\n";
    let manifest = format!("{head}{table}{}\n[workspace]\n", ours.join("\n"));
    write(&folder.join("Cargo.toml"), &manifest);
    let debugger = root.path().join("cuda-gdb");
    write(
        &debugger,
        "#!/bin/sh\necho \"debugger: $LANEWISE_PTX $*\"\n",
    );
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&debugger, mode).expect("the file is ours");

    let folders = std::env::split_paths(&python::path()).collect::<Vec<_>>();
    let folders = [root.path().to_owned()].into_iter().chain(folders);
    let path = std::env::join_paths(folders).expect("a path");
    let variables = [("LANEWISE_DEVICE", Path::new("sim"))];
    let debug = ["debug", "--gpu", "--arch", "sm_90", "--", "7"];
    let said = lanewise_on(&path, &folder, &debug, &variables).ok().text;
    let ptx = target().join("ptx-debug");
    let started = format!("debugger: {} --args ", ptx.display());
    assert!(
        said.contains(&started) && said.contains("/debugged 7\n"),
        "{said}"
    );
    let ptx = std::fs::read_to_string(ptx.join("sm_90/debugged.ptx")).expect("PTX");
    assert!(ptx.contains(".target sm_90, debug"));
}

#[test]
fn a_module_of_kernels_may_use_features_of_rust_that_are_not_stable() {
    let (_root, folder) = project("features", "unstable", &[]);
    let source = folder.join("src/kernels.rs");
    let own = std::fs::read_to_string(&source).expect("kernels");
    let kernel = r#"
/// Adds three by an instruction of PTX.
#[kernel]
pub fn add_three(mut y: DisjointSlice<u32>) {
    if let Some((y, _)) = y.get_mut_indexed() {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the instruction adds a register.
        unsafe {
            core::arch::asm!("add.u32 {0}, {0}, 3;", inout(reg32) *y);
        }
    }
}
"#;
    std::fs::write(&source, format!("{own}{kernel}")).expect("it can be written");
    let build = || lanewise(&folder, &["build-ptx", "--arch", "sm_80", "--json"]);
    let refused = build();
    assert!(!refused.output.status.success(), "{}", refused.text);
    for part in ["error[E0658]", "features = [\"asm_experimental_arch\"]"] {
        assert!(refused.text.contains(part), "{}", refused.text);
    }
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let section = "[package.metadata.lanewise.dependencies]\n";
    let features = "[package.metadata.lanewise]\nfeatures = [\"asm_experimental_arch\"]\n\n";
    let manifest = manifest.replace(section, &format!("{features}{section}"));
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("it can be written");
    assert_eq!(kernels(&build().json()), ["add_three", "saxpy"]);
}

/// The section of the book's first page on projects of one's own: its files are made, and its
/// commands run as they are written.
#[test]
fn what_the_book_says_of_a_project_is_so() {
    let page = include_str!("../../../../docs/src/using/getting_started.md");
    let (_, section) = page
        .split_once("## A project of your own")
        .expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let (_root, folder) = project("book", "demo", &[]);
    let files = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split(" | ").next());
    let named: Vec<&str> = files.flat_map(|cell| cell.split(", ")).collect();
    assert!(named.len() > 4, "{named:?}");
    for file in named {
        let file = file.trim_matches('`');
        assert!(folder.join(file).exists(), "`{file}` is not made");
    }
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    for table in ["[dependencies]", "[package.metadata.lanewise.dependencies]"] {
        assert!(
            section.contains(table) && manifest.contains(table),
            "{table} is not in both"
        );
    }
    let commands: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("cargo lanewise "))
        .filter_map(|line| line.split('#').next())
        .filter(|line| !line.starts_with("new "))
        .collect();
    assert!(commands.len() > 3, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        let ran = lanewise(&folder, &words);
        // Without NVIDIA's assembler this one says how to get it.
        let excused = words == ["check-ptx"] && ran.text.contains("there is no ptxas");
        assert!(
            ran.output.status.success() || excused,
            "cargo lanewise {command}:\n{}",
            ran.text
        );
    }
}

#[test]
fn kernels_in_a_package_of_their_own_are_found_from_the_workspace() {
    let (root, folder) = project("workspace", "demo", &["--workspace"]);
    // Whoever names the project means its kernels; the host's package has none.
    for (place, arguments) in [
        (folder.as_path(), &["build-ptx", "--json"][..]),
        (root.path(), &["build-ptx", "--crate", "demo", "--json"]),
    ] {
        let built = lanewise(place, arguments).json();
        assert_eq!(kernels(&built), ["saxpy"]);
        assert_eq!(built["manifest"]["krate"], "demo_kernels");
    }
}

#[test]
fn a_module_of_kernels_has_submodules_helpers_and_dependencies() {
    let (_root, folder) = project("nested", "nested", &[]);
    let write = |file: &str, text: &str| {
        let file = folder.join(file);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("it can be made");
        std::fs::write(file, text).expect("it can be written");
    };
    write(
        "units/Cargo.toml",
        "[package]\nname = \"units\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    write(
        "units/src/lib.rs",
        "#![no_std]\npub fn double(x: f32) -> f32 {\n    2.0 * x\n}\n",
    );
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let section = "[package.metadata.lanewise.dependencies]\n";
    let manifest = manifest
        .replace(section, &format!("{section}units = true\n"))
        .replace(
            "[dependencies]\n",
            "[dependencies]\nunits = { path = \"units\" }\n",
        );
    write("Cargo.toml", &manifest);
    let kernel = |name: &str, body: &str| {
        format!(
            "#[lanewise_macros::kernel]\npub fn {name}(mut y: lanewise_std::DisjointSlice<f32>) {{\n    if let Some((y, _)) = y.get_mut_indexed() {{\n        {body}\n    }}\n}}\n"
        )
    };
    let own = std::fs::read_to_string(folder.join("src/kernels.rs")).expect("kernels");
    write("src/kernels.rs", &format!("{own}\nmod filters;\n"));
    // A module below, which reaches what is beside it by the path that it has on the host.
    let text = kernel(
        "doubles",
        "*y = units::double(crate::kernels::filters::half(*y));",
    );
    write(
        "src/kernels/filters.rs",
        &format!("pub fn half(x: f32) -> f32 {{\n    x / 2.0\n}}\n{text}"),
    );
    let built = lanewise(&folder, &["build-ptx", "--arch", "sm_80", "--json"]).json();
    assert_eq!(kernels(&built), ["doubles", "saxpy"]);
    let file = &built["manifest"]["modules"][0]["kernels"][0]["file"];
    assert_eq!(file, "src/kernels/filters.rs");

    write("src/kernels.rs", &own.replace("a * x[i]", "a * i"));
    let failed = lanewise(&folder, &["build-ptx", "--arch", "sm_80"]);
    assert!(!failed.output.status.success());
    assert_eq!(
        failed.text.matches("error[E0277]").count(),
        1,
        "{}",
        failed.text
    );
    assert!(
        failed.text.contains("--> src/kernels.rs:"),
        "{}",
        failed.text
    );
}

#[test]
fn what_is_not_there_is_named() {
    let root = Root::new("nowhere");
    let nowhere = lanewise(root.path(), &["build-ptx"]);
    assert!(!nowhere.output.status.success());
    assert!(
        nowhere.text.contains("in no cargo project"),
        "{}",
        nowhere.text
    );
    let (_root, folder) = project("not_there", "demo", &[]);
    let unknown = lanewise(&folder, &["inspect", "nothing", "--no-sass"]);
    assert!(
        unknown.text.contains("there is no kernel `nothing`"),
        "{}",
        unknown.text
    );
    // One that only later targets have is found all the same.
    let source = folder.join("src/kernels.rs");
    let text = std::fs::read_to_string(&source).expect("it is there");
    let later = text.replace("#[kernel]", "#[kernel(min_arch = \"sm_90\")]");
    std::fs::write(&source, later).expect("it can be written");
    let found = lanewise(&folder, &["inspect", "saxpy", "--no-sass", "--json"]).json();
    assert_eq!(found["arch"], "sm_90");
    let earlier = ["inspect", "saxpy", "--no-sass", "--arch", "sm_80"];
    let earlier = lanewise(&folder, &earlier);
    assert!(
        earlier
            .text
            .contains("there is no kernel `saxpy` for sm_80")
            && earlier.text.contains("`min_arch`"),
        "{}",
        earlier.text
    );
    std::fs::remove_file(source).expect("it is there");
    let without = lanewise(&folder, &["build-ptx"]);
    assert!(
        without.text.contains("there is no src/kernels.rs"),
        "{}",
        without.text
    );
}

/// What `new` says is to be typed works as it is printed, and no project is made that could
/// not be built.
#[test]
fn a_project_is_made_where_a_path_has_spaces_and_not_under_a_name_that_is_taken() {
    let root = Root::new("places");
    let made = lanewise(root.path(), &["new", "a b/its-demo"]).ok();
    let typed = made.text.lines().find(|line| line.contains("cargo test"));
    let goes_there = typed.expect("what to type").replace("cargo test", "pwd");
    let output = Command::new("sh")
        .args(["-c", &goes_there])
        .current_dir(root.path())
        .output()
        .expect("a shell");
    let there = String::from_utf8_lossy(&output.stdout);
    assert!(there.trim().ends_with("a b/its-demo"), "{goes_there}");
    for taken in ["fn", "test", "lanewise-std"] {
        let refused = lanewise(root.path(), &["new", taken]);
        assert!(!refused.output.status.success() && refused.text.contains("take another"));
        assert!(!root.path().join(taken).exists());
    }
    let refused = lanewise(root.path(), &["new", "old", "--version", "the old one"]);
    assert!(refused.text.contains("is no version"), "{}", refused.text);
    for (source, why) in [
        (&["--git", "git@example.org:lanewise"][..], "is no URL"),
        (
            &["--git", "https://example.org/lanewise", "--rev", ""],
            "names a commit",
        ),
    ] {
        let refused = lanewise(root.path(), &[&["new", "old"], source].concat());
        assert!(refused.text.contains(why), "{}", refused.text);
        assert!(!root.path().join("old").exists());
    }
    let made = lanewise(root.path(), &["new", "told", "--workspace", "--json"]).json();
    let files = made["files"].as_array().expect("files");
    assert_eq!(
        (&made["name"], &made["kernels"]),
        (&"told".into(), &"kernels/src/lib.rs".into())
    );
    for file in files.iter().filter_map(Value::as_str) {
        assert!(root.path().join("told").join(file).is_file(), "{file}");
    }
    // Its manifest names the project as its folder does.
    let manifest = root.path().join("told/kernels/Cargo.toml");
    let named = manifest.display().to_string();
    let built = lanewise(root.path(), &["build-ptx", "--crate", &named, "--json"]).json();
    assert_eq!(kernels(&built), ["saxpy"]);
    let nowhere = lanewise(root.path(), &["build-ptx"]);
    assert!(
        nowhere.text.contains("could not find `Cargo.toml`")
            && !nowhere.text.contains("error: error"),
        "{}",
        nowhere.text
    );
}

#[test]
fn code_of_an_earlier_build_is_kept_and_the_doctor_says_where() {
    let (root, folder) = project("cached", "cached", &[]);
    let (cache, out) = (root.path().join("cache"), root.path().join("out"));
    let build = || {
        let arguments = ["build-ptx", "--arch", "sm_80", "--out"];
        let out = [out.to_str().expect("UTF-8")];
        let variables = [("LANEWISE_CACHE", &*cache)];
        lanewise_with(&folder, &[&arguments[..], &out].concat(), &variables).ok();
        std::fs::read(out[0].to_owned() + "/sm_80/cached.ptx").expect("PTX")
    };
    let ptx = build();
    std::fs::remove_dir_all(&out).expect("it is there");
    assert_eq!(build(), ptx);
    let doctor = |cache: &Path| {
        let variables = [("LANEWISE_CACHE", cache)];
        let said = lanewise_with(&folder, &["doctor", "--json"], &variables).json();
        said["cache"].clone()
    };
    let kept = doctor(&cache);
    assert_eq!(kept["entries"], 1, "{kept}");
    assert_eq!(kept["folder"], cache.to_str().expect("UTF-8"));
    assert_eq!(doctor(Path::new("off")), Value::Null);
}

/// A user's project has no `cargo xtask`.
#[test]
fn what_the_doctor_advises_can_be_typed_in_a_project() {
    let (_root, folder) = project("advised", "advised", &[]);
    let said = lanewise(&folder, &["doctor"]).ok().text;
    assert!(!said.contains("xtask"), "{said}");
    // Tools are looked for where they are said to be installed.
    let tools = target().join("cuda-tools").display().to_string();
    assert!(!said.contains("venv") || said.contains(&tools), "{said}");
}
