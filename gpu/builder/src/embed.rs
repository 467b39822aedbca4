//! The functions for build scripts: they compile the kernels of the script's crate and write the
//! Rust text that embeds them.
//!
//! A package with kernels has the `build.rs` below. It also has the line `lanewise_std::module!();`
//! where its kernels begin, in `src/kernels.rs` or in the `src/lib.rs` of a kernel crate. That line
//! includes the text that is written here:
//!
//! ```no_run
//! // In build.rs, all that `main` does:
//! lanewise_builder::build();
//! ```
//!
//! The files are in the script's own folder, not in `target/ptx`. So `cargo xtask build-ptx` with
//! other options never changes what is embedded.
//!
//! On docs.rs no kernel is compiled and nothing is embedded: `rust-src` and the network are not to
//! be had there, and documentation needs the signatures only.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use lanewise_variables::{ARCH, DOCS_RS};

use crate::builder::PtxBuilder;
use crate::cargo::{self, package::Package, toolchain::Toolchain};
use crate::error::BuildError;
use crate::lock;
use crate::manifest::{Manifest, Module};
use crate::native;
use crate::orphan;
use crate::output::Output;
use crate::parts::{self, Piece};
use crate::passes::contents::symbols;

/// The targets that are embedded if neither a build script nor `LANEWISE_ARCH` names others. Every
/// GPU since Ampere can run one of them.
pub const DEFAULT_ARCHS: [&str; 2] = ["sm_80", "sm_90"];

/// Compiles the crate's kernels for the [`DEFAULT_ARCHS`], or those that `LANEWISE_ARCH` names, and
/// prepares them for `lanewise_std::module!()`. The crate's build script calls it. If the kernels
/// do not compile, the script ends with rustc's own messages.
pub fn build() {
    embed("Ptx", |builder| builder);
}

/// Compiles and embeds kernels as [`build`] does, with other options, for
/// `lanewise_std::module!(Name)`: `embed("Ptx", |builder| builder.arch("sm_100").fmad(false))`.
/// With several names, one crate is embedded several times, each compiled with its own options.
/// Launches use the one called `Ptx`.
pub fn embed(name: &str, options: impl FnOnce(PtxBuilder) -> PtxBuilder) {
    if let Err(error) = try_embed(name, options) {
        // Cargo shows this text unchanged. If a kernel does not compile, it is rustc's own text.
        eprintln!("{error}");
        let mut source = std::error::Error::source(&error);
        while let Some(error) = source {
            eprintln!("  {error}");
            source = error.source();
        }
        std::process::exit(1);
    }
}

fn try_embed(name: &str, options: impl FnOnce(PtxBuilder) -> PtxBuilder) -> Result<(), BuildError> {
    // Cargo itself compiles or checks the crate for the device
    // (`cargo clippy --target nvptx64-nvidia-cuda`). Code that runs there embeds no kernels.
    if env::var("TARGET").is_ok_and(|target| target == cargo::TARGET) {
        return Ok(());
    }
    let folder = variable("CARGO_MANIFEST_DIR")?;
    let out = variable("OUT_DIR")?;
    // SAFETY: both variables are set, so this is a build script. Cargo runs it and keeps the
    // descriptors open that the environment names.
    unsafe { lock::join_job_server() };
    orphan::end_with_parent();
    let files = out.join("lanewise");
    let source = files.join(format!("{name}.rs"));
    if DOCS_RS.get().is_some() {
        let package = Package::find(&folder)?;
        let output = nothing(package.krate.clone(), package.path_on_host());
        fs::create_dir_all(&files).map_err(BuildError::io("create", &files))?;
        return write(&source, name, &output);
    }
    let features = env::vars_os().filter_map(|(name, _)| {
        let name = name.to_string_lossy().into_owned();
        name.strip_prefix("CARGO_FEATURE_").map(str::to_owned)
    });
    let builder = PtxBuilder::new(&folder)
        .features_of_script(features.collect())
        .out_dir(files.join(name))
        .target_dir(kernels_folder(&out))
        .generated(&out);
    let mut builder = options(builder);
    if !builder.has_arch() {
        builder = default_archs().into_iter().fold(builder, PtxBuilder::arch);
        println!("cargo::rerun-if-env-changed={}", ARCH.name);
    }
    if let Some(warning) = Toolchain::find(&folder)?.warning() {
        println!("cargo::warning={warning}");
    }
    let output = builder.build()?;
    write(&source, name, &output)?;
    println!(
        "cargo::rerun-if-changed={}",
        folder.join("Cargo.toml").display()
    );
    for source in watched(&output, &out) {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    Ok(())
}

/// Returns the files whose change makes the kernels another build. The script itself writes those
/// in `OUT_DIR` and the generated root of a module of kernels, after it began: if they were named,
/// cargo would consider them changed when it is called next.
fn watched<'a>(output: &'a Output, out: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
    let generated = kernels_folder(out);
    let sources = output.sources.iter().chain(&output.linked);
    sources.filter(move |source| !source.starts_with(out) && !source.starts_with(&generated))
}

/// Returns the output of a build for no target.
fn nothing(krate: String, module: String) -> Output {
    let modules = Vec::new();
    Output {
        modules: Vec::new(),
        manifest: Manifest { krate, modules },
        module,
        rebuilt: false,
        sources: Vec::new(),
        linked: Vec::new(),
    }
}

/// Writes the Rust text, and tells the macros the path of the module that includes it.
fn write(source: &Path, name: &str, output: &Output) -> Result<(), BuildError> {
    fs::write(source, text(name, output)?).map_err(BuildError::io("write", source))?;
    println!("cargo::rerun-if-env-changed={}", DOCS_RS.name);
    println!("cargo::rustc-env=LANEWISE_MODULE={}", output.module);
    Ok(())
}

/// Returns the targets of a build script that names none.
fn default_archs() -> Vec<String> {
    let named = ARCH.get().unwrap_or_else(|| DEFAULT_ARCHS.join(","));
    if named == native::NATIVE {
        return native::targets();
    }
    named.split(',').map(|it| it.trim().to_owned()).collect()
}

/// Returns a variable that cargo sets for build scripts.
fn variable(name: &'static str) -> Result<PathBuf, BuildError> {
    let value = env::var_os(name).ok_or(BuildError::NotABuildScript { variable: name })?;
    Ok(value.into())
}

/// Returns the outer build's target folder. It is above `OUT_DIR`, and cargo marks it if it creates
/// it. So a crate from a registry writes nothing beside its source, and all kernel crates of a
/// build share one compiled `core`. Without a mark (a folder that was mounted, or kept by a CI) the
/// result is a profile's folder, the one that holds `build/PACKAGE/out`.
fn target_folder(out: &Path) -> &Path {
    let is_marked = |folder: &&Path| folder.join("CACHEDIR.TAG").is_file();
    let holds_packages = |folder: &&Path| folder.file_name().is_some_and(|name| name == "build");
    let of_profile = || out.ancestors().find(holds_packages)?.parent();
    out.ancestors()
        .find(is_marked)
        .or_else(of_profile)
        .unwrap_or(out)
}

/// Returns the folder in which cargo compiles kernels, and which has the manifests made for it.
fn kernels_folder(out: &Path) -> PathBuf {
    target_folder(out).join("ptx-build")
}

/// Returns the Rust text that embeds the modules.
fn text(name: &str, output: &Output) -> Result<String, BuildError> {
    let mut text = format!(
        "/// The PTX of this crate's kernels, as its build script compiled them.\n#[derive(Clone, Copy, Debug)]\npub struct {name};\n\n\
         // SAFETY: the texts were compiled from the module that this stands in.\n\
         unsafe impl ::lanewise_std::kernel::Module for {name} {{\n    const NAME: &'static str = {:?};\n    \
         const PATH: &'static str = ::core::module_path!();\n    \
         const TEXTS: &'static [::lanewise_std::kernel::PtxText] = &[\n",
        output.manifest.krate
    );
    // Writing to a string can't fail.
    for (module, contents) in output.modules.iter().zip(&output.manifest.modules) {
        let launching = match &module.launching_ptx {
            Some(path) => format!("include_str!({path:?})"),
            None => "\"\"".to_owned(),
        };
        let _ = writeln!(
            text,
            "        ::lanewise_std::kernel::PtxText {{ arch: {:?}, plain: include_str!({:?}), launching: {launching}, manifest: \
             include_str!({:?}), parts: &[",
            module.arch, module.ptx, module.manifest
        );
        text += &parts_of(&module.ptx, contents)?;
        text += "        ] },\n";
    }
    text += "    ];\n    const RENAMED: &'static [::lanewise_std::kernel::Renamed] = &[\n";
    for symbol in symbols_of(output) {
        if let Some((module, name)) = symbols::split(symbol) {
            let _ = writeln!(
                text,
                "        ::lanewise_std::kernel::Renamed {{ module: {module:?}, name: {name:?}, symbol: {symbol:?} }},"
            );
        }
    }
    text += "    ];\n    const LAYOUTS: &'static [(&'static str, u64)] = &[\n";
    for (symbol, layout) in layouts_of(output) {
        let _ = writeln!(text, "        ({symbol:?}, 0x{layout}),");
    }
    text += "    ];\n    const LINKED: &'static [::lanewise_std::kernel::Linked] = &[\n";
    for path in &output.linked {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(
            text,
            "        ::lanewise_std::kernel::Linked {{ name: {name:?}, code: include_bytes!({path:?}) }},"
        );
    }
    Ok(text + "    ];\n}\n")
}

/// Returns the parts of a PTX file as Rust. A text that is linked before it is loaded has none.
fn parts_of(ptx: &Path, contents: &Module) -> Result<String, BuildError> {
    if !contents.imports.is_empty() {
        return Ok(String::new());
    }
    let ptx = fs::read_to_string(ptx).map_err(BuildError::io("read", ptx))?;
    let statics = contents.statics.iter().map(|it| &*it.name);
    let hidden = contents.hidden.iter().map(String::as_str);
    let mut text = String::new();
    for part in parts::of(&ptx, &statics.chain(hidden).collect()) {
        let _ = write!(
            text,
            "            ::lanewise_std::kernel::PtxPart {{ kernel: {:?}, pieces: &[",
            part.kernel
        );
        for Piece { skipped, bytes } in part.pieces {
            let _ = write!(
                text,
                "::lanewise_std::kernel::PtxPiece {{ skipped: {skipped}, start: {}, end: {} }}, ",
                bytes.start, bytes.end
            );
        }
        text += "] },\n";
    }
    Ok(text)
}

/// Returns the symbols of all targets, because a kernel may be only in the text for later targets.
fn symbols_of(output: &Output) -> BTreeSet<&str> {
    let modules = output.manifest.modules.iter();
    modules
        .flat_map(|module| {
            let kernels = module.kernels.iter().map(|it| &*it.description.name);
            kernels.chain(module.statics.iter().map(|it| &*it.name))
        })
        .collect()
}

/// Returns what each kernel expects of the host and what each static holds, in order. A name occurs
/// more than once if its targets differ.
fn layouts_of(output: &Output) -> BTreeSet<(&str, &str)> {
    let modules = output.manifest.modules.iter();
    modules
        .flat_map(|module| {
            let described = module.kernels.iter().map(|it| &it.description);
            let kernels = described.map(|it| (&it.name, &it.layout));
            let statics = module.statics.iter().map(|it| (&it.name, &it.layout));
            kernels
                .chain(statics)
                .filter_map(|(name, layout)| Some((&**name, layout.as_deref()?)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_has_the_module_without_a_text() {
        let text = text("Ptx", &nothing("demo".into(), "crate::kernels".into()));
        let text = text.expect("no file is read");
        assert!(text.contains("pub struct Ptx;") && text.contains("NAME: &'static str = \"demo\""));
        assert!(text.contains("TEXTS: &'static [::lanewise_std::kernel::PtxText] = &[\n    ];"));
    }

    #[test]
    fn cargo_watches_what_a_build_reads_and_not_what_it_writes() {
        let target = tempfile::tempdir().expect("a folder");
        fs::write(target.path().join("CACHEDIR.TAG"), "").expect("it is ours");
        let out = target.path().join("debug/build/demo-1/out");
        let root = kernels_folder(&out).join("manifests/demo-1/1/lib.rs");
        let source = PathBuf::from("/demo/src/kernels.rs");
        let mut output = nothing("demo".into(), "crate::kernels".into());
        output.sources = vec![out.join("made.rs"), root, source.clone()];
        assert_eq!(watched(&output, &out).collect::<Vec<_>>(), [&source]);
    }

    #[test]
    fn kernel_crates_share_a_folder_with_cargos_mark_or_without() {
        let target = tempfile::tempdir().expect("a folder");
        let profile = target.path().join("x86_64-unknown-linux-gnu/debug");
        let outs =
            ["one-1", "two-2"].map(|package| profile.join("build").join(package).join("out"));
        for out in &outs {
            fs::create_dir_all(out).expect("it is ours");
            assert_eq!(target_folder(out), profile);
        }
        fs::write(target.path().join("CACHEDIR.TAG"), "").expect("it is ours");
        for out in &outs {
            assert_eq!(target_folder(out), target.path());
        }
        let elsewhere = Path::new("/nowhere/at/all");
        assert_eq!(target_folder(elsewhere), elsewhere);
    }
}
