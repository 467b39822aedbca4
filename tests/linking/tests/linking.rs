//! Modules of several origins: Rust calls C++, C++ calls Rust, and calls that are refused.

use std::path::{Path, PathBuf};
use std::process::Command;

use lanewise::{Backend, Device, DeviceBuffer, LaunchConfig, Linker, LoadError};
use proptest::prelude::*;
use tests::report::whole;
use tests::sizes::cases;

/// A kernel of C++ that calls `weight`, compiled by nvcc. This is the text, and its source
/// is in `foreign`.
const WEIGH: &str = include_str!("../foreign/weigh.ptx");

fn device() -> Device {
    Device::open().unwrap_or_else(|error| panic!("{error}"))
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn kernels_call_what_cpp_defines(vectors in proptest::collection::vec(proptest::array::uniform3(-100f32..100.0), 1..300)) {
        let device = device();
        let stream = device.stream().expect("a stream");
        let buffer = DeviceBuffer::from_slice(&device, &vectors).expect("memory");
        let mut output = DeviceBuffer::zeroed(&device, vectors.len()).expect("memory");
        let config = LaunchConfig::for_num_elems(vectors.len());
        stream.launch(linking::lengths, config, (&buffer, &mut output)).expect("a launch");
        let lengths: Vec<f32> = output.to_vec().expect("no fault");
        for (length, [x, y, z]) in lengths.into_iter().zip(vectors) {
            let expected = z.mul_add(z, x.mul_add(x, y * y)).sqrt();
            prop_assert_eq!(length, expected);
        }
    }

    #[test]
    fn structures_come_back(numbers in proptest::collection::vec(-1e6f32..1e6, 1..200), size in 1usize..50) {
        let device = device();
        let stream = device.stream().expect("a stream");
        let buffer = DeviceBuffer::from_slice(&device, &numbers).expect("memory");
        let pieces = numbers.chunks(size);
        let mut output = DeviceBuffer::zeroed(&device, pieces.len()).expect("memory");
        let config = LaunchConfig::for_num_elems(pieces.len());
        stream.launch(linking::spreads, config, (&buffer, size, &mut output)).expect("a launch");
        let expected: Vec<f32> = pieces
            .map(|piece| {
                let low = piece.iter().copied().fold(f32::INFINITY, f32::min);
                let high = piece.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                high - low
            })
            .collect();
        prop_assert_eq!(output.to_vec().expect("no fault"), expected);
    }
}

/// Weighs by the kernel of C++ that is in `code`.
fn weighed(device: &Device, code: &[u8], name: &str) -> Result<Vec<f32>, LoadError> {
    // ANCHOR: linker
    let linker = Linker::new(device).module::<linking::Ptx>()?;
    // SAFETY: nvcc has made the code.
    let module = unsafe { linker.add(name, code)? }.link()?.load(device)?;
    // ANCHOR_END: linker
    let stream = device.stream().expect("a stream");
    let input: Vec<f32> = (0..100).map(|i| i as f32 / 8.0).collect();
    let input = DeviceBuffer::from_slice(device, &input).expect("memory");
    let mut output = DeviceBuffer::<f32>::zeroed(device, 100).expect("memory");
    // SAFETY: `weigh` takes two addresses and a number, and looks at this many elements.
    let launched = unsafe {
        module.launch_named::<(*const f32, *mut f32, u32), _>(
            &stream,
            "weigh",
            LaunchConfig::new(1, 128),
            (&input, &mut output, 100u32),
        )
    };
    launched.expect("a launch");
    Ok(output.to_vec().expect("no fault"))
}

fn weights() -> Vec<f32> {
    (0..100).map(|i| linking::weight(i as f32 / 8.0)).collect()
}

#[test]
fn a_kernel_of_cpp_calls_a_function_of_rust() {
    let device = device();
    let found = weighed(&device, WEIGH.as_bytes(), "weigh.ptx").expect("it links");
    assert_eq!(found, weights());
    let linker = Linker::new(&device).module::<linking::Ptx>();
    let image = linker
        .and_then(|linker| linker.ptx("weigh.ptx", WEIGH)?.link())
        .expect("it links");
    assert_eq!(image.kernels(), ["lengths", "spreads", "weigh"]);
}

#[test]
fn what_cannot_be_linked_is_named() {
    let device = device();
    let linker = || Linker::new(&device);
    // SAFETY: that is no code at all.
    let error = unsafe { linker().add("notes.txt", b"hello") }.expect_err("no code");
    assert!(
        error
            .to_string()
            .starts_with("`notes.txt` is no device code")
    );
    // The function that it calls is nowhere.
    let half = linker().ptx("weigh.ptx", WEIGH).expect("a text");
    let text = whole(&half.link().expect_err("half a program"));
    assert!(text.contains("weight"), "{text}");
}

/// Returns nvcc, if there is a toolkit.
fn nvcc() -> Option<PathBuf> {
    let homes = ["CUDA_HOME", "CUDA_PATH"]
        .iter()
        .filter_map(std::env::var_os);
    let roots = homes
        .map(PathBuf::from)
        .chain([PathBuf::from("/usr/local/cuda")]);
    roots
        .map(|root| root.join("bin/nvcc"))
        .find(|path| path.is_file())
}

/// Compiles `foreign/weigh.cu` with nvcc and these options.
fn compiled(nvcc: &Path, options: &[&str], file: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (source, output) = (folder.path().join("weigh.cu"), folder.path().join(file));
    std::fs::write(&source, include_str!("../foreign/weigh.cu")).expect("it can be written");
    let run = Command::new(nvcc)
        .args(options)
        .arg(&source)
        .arg("-o")
        .arg(&output)
        .output()
        .expect("nvcc runs");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    std::fs::read(output).expect("nvcc has written it")
}

/// Each kind of code that nvcc makes is linked on a GPU. The simulator accepts PTX, and its error
/// names the kind of the other code.
#[test]
fn every_kind_of_code_is_linked_or_refused_by_name() {
    let Some(nvcc) = nvcc() else {
        println!("skipped: there is no nvcc in CUDA_HOME");
        return;
    };
    let device = device();
    let capability = device.properties().compute_capability;
    let arch = format!("{}{}", capability.major, capability.minor);
    let (real, text) = (
        format!("-arch=sm_{arch}"),
        format!("-gencode=arch=compute_{arch},code=compute_{arch}"),
    );
    let late = format!("-gencode=arch=compute_{arch},code=lto_{arch}");
    for (file, options, refused) in [
        ("weigh.ptx", ["-rdc=true", "-ptx", &*text, "-O2"], None),
        ("text.fatbin", ["-rdc=true", "-fatbin", &*text, "-O2"], None),
        (
            "weigh.cubin",
            ["-rdc=true", "-cubin", &*real, "-O2"],
            Some("a cubin"),
        ),
        (
            "weigh.o",
            ["-dc", &*real, "-O2", "-O2"],
            Some("an object file"),
        ),
        (
            "weigh.ltoir",
            ["-rdc=true", "-ltoir", &*late, "-O2"],
            Some("NVVM code"),
        ),
    ] {
        let found = weighed(&device, &compiled(&nvcc, &options, file), file);
        match (refused, device.backend()) {
            (Some(what), Backend::Sim) => {
                let error = found.expect_err("the simulator runs PTX");
                let text = whole(&error);
                assert!(text.contains(what), "{text}");
            }
            _ => assert_eq!(
                found.unwrap_or_else(|error| panic!("{file}: {error}")),
                weights(),
                "{file}"
            ),
        }
    }
}
