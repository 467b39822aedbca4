//! A crate's kernels and statics, found by their handles' types; and what is said of launches
//! that cannot be.

use kernels::names::{coarse, fine};
use kernels::{count_up, fill};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError};
use lanewise_std::kernel::{Kernel, Module, NoPtx};
use lanewise_std::symbol::Symbol;

#[test]
fn two_rust_modules_may_use_one_name() {
    assert_eq!(coarse::raise::NAME, "names$coarse$raise");
    assert_eq!(fine::LEVEL::NAME, "names$fine$LEVEL");
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let one = LaunchConfig::new(1, 1);
    // SAFETY: each launch is of one thread.
    unsafe {
        stream
            .launch_unchecked(coarse::raise, one, (5u32,))
            .expect("a launch");
        stream
            .launch_unchecked(fine::raise, one, (7u64, 250u64))
            .expect("a launch");
    }
    let coarse = device.symbol(coarse::LEVEL).expect("the static");
    let fine = device.symbol(fine::LEVEL).expect("the static");
    assert_eq!((coarse.size(), fine.size()), (4, 16));
    assert_eq!(coarse.read().expect("a copy"), 15);
    assert_eq!(fine.read().expect("a copy"), [27, 750]);
}

#[test]
fn a_name_that_one_kernel_has_is_its_symbol() {
    assert_eq!(kernels::vec_add::NAME, "vec_add");
    assert_eq!(kernels::COUNT::NAME, "COUNT");
    let module = Device::open()
        .expect("a device")
        .module::<kernels::Ptx>()
        .expect("it loads");
    for name in [
        "vec_add",
        "count_up",
        "names$coarse$raise",
        "names$fine$raise",
    ] {
        assert!(module.kernels().iter().any(|it| it == name), "{name}");
    }
}

#[test]
fn a_module_is_loaded_once() {
    let device = Device::open().expect("a device");
    let load = || device.module::<kernels::Ptx>().expect("it loads");
    assert!(std::sync::Arc::ptr_eq(&load(), &load()));
}

/// A kernel of a crate without a build script.
mod without_ptx {
    #[derive(Clone, Copy)]
    pub(crate) struct Handle;

    // SAFETY: the module has no text, so nothing can be launched.
    unsafe impl lanewise_std::kernel::Kernel for Handle {
        type Module = super::NoPtx;
        type Params = ();
        const NAME: &'static str = "vec_add";
        const PARAMS: &'static [lanewise_std::kernel::Param] = &[];
        const BOUNDS: Option<lanewise_std::kernel::LaunchBounds> = None;
    }

    // SAFETY: as above.
    unsafe impl lanewise_std::kernel::SafeKernel for Handle {}
}

#[test]
fn a_crate_without_ptx_is_told_what_it_lacks() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let launched = stream.launch(without_ptx::Handle, LaunchConfig::new(1, 1), ());
    let error = launched.expect_err("there is no text").to_string();
    assert!(error.contains("lanewise_builder::build()"), "{error}");
    assert!(NoPtx::TEXTS.is_empty());
}

/// A program whose `main` returns an error ends with these words, and a failed `expect` does.
#[test]
fn an_error_is_shown_in_words_with_what_is_behind_it() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let config = LaunchConfig::new(1, 1025);
    let refused = stream.launch(count_up, config, ());
    let told = format!("{:?}", refused.expect_err("no device has such blocks"));
    let words = "cannot launch `count_up` with grid (1, 1, 1), block (1025, 1, 1): a block of (1025, 1, 1); each extent is from 1 \
                 to (1024, 1024, 64); use smaller blocks and more of them\n  because: cuLaunchKernel at host/tests/library/modules.rs:";
    assert!(told.starts_with(words), "{told}");
}

/// The words are the simulated machine's own on every device; what to do about them
/// is this library's.
#[test]
fn a_shape_beyond_the_device_or_the_kernel_is_told_once_with_what_to_do() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    for (config, words) in [
        (
            LaunchConfig::new(1, 32).with_dynamic_shared(100_000),
            "set by `Device::set_max_dynamic_shared`",
        ),
        (
            LaunchConfig::new(6, 32).with_cluster(4),
            "the grid must be made of whole clusters",
        ),
        (
            LaunchConfig::new((1, 1 << 20), 32),
            "use another dimension too",
        ),
        (LaunchConfig::new(0, 32), "each extent is from 1 to"),
    ] {
        let refused = stream.launch(count_up, config, ());
        let told = format!("{:?}", refused.expect_err("the shape cannot be"));
        assert_eq!(told.matches(words).count(), 1, "{config}: {told}");
        let first = told.lines().next().unwrap_or_default();
        assert!(first.contains(words), "{told}");
    }
}

/// Two threads may launch one kernel with different sizes.
#[test]
fn dynamic_shared_memory_that_is_allowed_stays_so() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let mut sevens = DeviceBuffer::<f32>::zeroed(&device, 32).expect("memory");
    for bytes in [100_000, 60_000] {
        device
            .set_max_dynamic_shared(fill, bytes)
            .expect("a size that the device has");
    }
    let config = LaunchConfig::new(1, 32).with_dynamic_shared(100_000);
    stream
        .launch(fill, config, (&mut sevens, 7.0))
        .expect("the larger size is still allowed");
    assert_eq!(sevens.to_vec().expect("the results"), [7.0; 32]);
}

/// The error is this call's, whatever has failed before it on this thread, and no shape is too
/// absurd to be refused.
#[test]
fn an_error_is_of_the_call_that_it_names() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let largest = (u32::MAX, u32::MAX, u32::MAX);
    let wrapped = (1 << 31, 1 << 31, 4);
    let (block, large, cluster) = (
        "CUDA_ERROR_INVALID_VALUE",
        "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        "CUDA_ERROR_INVALID_CLUSTER_SIZE",
    );
    for (config, name) in [
        (LaunchConfig::new(1, 1025), block),
        (LaunchConfig::new(1 << 20, 1024).cooperatively(), large),
        (LaunchConfig::new(1, largest), block),
        (LaunchConfig::new(64, 1).with_cluster(64), cluster),
        (LaunchConfig::new(1, 1025), block),
        (LaunchConfig::new(8, 1).with_cluster(largest), cluster),
        (LaunchConfig::new(8, 1).with_cluster(wrapped), cluster),
        (LaunchConfig::new(8, 1).with_cluster((0, 1, 1)), cluster),
    ] {
        let told = match stream.launch(count_up, config, ()) {
            Err(LaunchError::Refused { source, .. }) => source.name().to_owned(),
            Err(LaunchError::Cooperative { .. }) => large.to_owned(),
            other => format!("{other:?}"),
        };
        assert_eq!(told, name, "{config}");
    }
}
