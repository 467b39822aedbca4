//! Attributes whose values are constants and const parameters: the host and the PTX have them.
#![forbid(unsafe_code)]

use lanewise::{Arguments, Device, DeviceBuffer, LaunchConfig, LaunchError};
use lanewise_std::kernel::{Kernel, LaunchBounds, Module, SafeKernel};
use own_kernels::{CLUSTER, FIT, Ptx, bounded, clustered, lean};

/// Returns the text of a kernel in a module, up to its body.
fn head(ptx: &str, kernel: &str) -> Option<String> {
    let entry = &ptx[ptx.find(&format!(".entry {kernel}("))?..];
    entry.split('{').next().map(str::to_owned)
}

/// Expects that each module which has the kernel gives it these directives.
fn has(kernel: &str, directives: &[&str]) {
    let heads: Vec<_> = Ptx::TEXTS
        .iter()
        .filter_map(|text| head(text.plain, kernel))
        .collect();
    assert!(!heads.is_empty(), "no module has {kernel}");
    for head in heads {
        for directive in directives {
            assert!(head.contains(directive), "{directive} is not in {head}");
        }
    }
}

/// Launches four blocks of so many threads.
fn launched<K: SafeKernel>(kernel: K, threads: u32) -> Result<Vec<u32>, LaunchError>
where
    for<'a> (&'a mut DeviceBuffer<u32>,): Arguments<K::Params>,
{
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let mut out = DeviceBuffer::<u32>::zeroed(&device, 4 * threads as usize).unwrap();
    stream.launch(kernel, LaunchConfig::new(4, threads), (&mut out,))?;
    Ok(out.to_vec().unwrap())
}

#[test]
fn bounds_are_constants_and_const_parameters() {
    let bounds = LaunchBounds {
        max_threads: 192,
        min_blocks: Some(FIT),
    };
    assert_eq!(bounded::<96>::BOUNDS, Some(bounds));
    has("bounded_64", &[".maxntid 128", ".minnctapersm 3"]);
    has("bounded_96", &[".maxntid 192", ".minnctapersm 3"]);
    assert_eq!(launched(bounded::<64>, 128).unwrap(), [64; 512]);
    let refused = launched(bounded::<64>, 129);
    assert!(
        matches!(refused, Err(LaunchError::LaunchBounds { .. })),
        "{refused:?}"
    );
}

#[test]
fn clusters_and_registers_are_constants() {
    assert_eq!(clustered::CLUSTER, Some([CLUSTER as u32 / 2, 2, 1]));
    has("lean", &[".maxnreg 32"]);
    assert_eq!(launched(lean, 32).unwrap(), [1; 128]);
}
