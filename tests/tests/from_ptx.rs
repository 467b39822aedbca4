//! What runs is the PTX: a change in its text is a change in the answer.

use gpu::basics::vector_add::vec_add;
use lanewise::{DeviceBuffer, LaunchConfig, Module};

/// `vec_add` from this text, on 1, 2, 3 ... and 10, 20, 30 ...
fn add_from(ptx: &str) -> Vec<f32> {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let module = Module::from_ptx(&device, ptx).expect("PTX");
    let upload = |step: f32| {
        DeviceBuffer::from_slice(&device, &[1.0, 2.0, 3.0, 4.0].map(|x: f32| x * step))
            .expect("a buffer")
    };
    let (a, b, mut c) = (upload(1.0), upload(10.0), upload(0.0));
    // SAFETY: the text is the embedded one, where at most an addition has become a subtraction: the same parameters, the
    // same accesses.
    unsafe {
        module.launch_unchecked(
            &stream,
            vec_add,
            LaunchConfig::for_num_elems(4),
            (&a, &b, &mut c),
        )
    }
    .expect("a launch");
    c.to_vec().expect("no fault")
}

#[test]
fn breaking_the_ptx_text_of_vec_add_breaks_its_answer() {
    let ptx = tests::device()
        .ptx::<gpu::Ptx>()
        .expect("PTX for this device")
        .plain;
    assert_eq!(add_from(ptx), [11.0, 22.0, 33.0, 44.0]);

    let kernel = tests::ptx::kernel(ptx, "vec_add");
    assert_eq!(
        tests::ptx::count(kernel, "add.f32"),
        1,
        "one addition to break:\n{kernel}"
    );
    let broken = ptx.replace(kernel, &kernel.replace("add.f32", "sub.f32"));
    assert_eq!(add_from(&broken), [-9.0, -18.0, -27.0, -36.0]);
}

/// A kernel for clusters of four blocks.
const IN_FOURS: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry in_fours() .explicitcluster .reqnctapercluster 4, 1, 1 { ret; }
";

/// The driver's code for this, 912, is newer than `cust`, whose enum lacks it.
#[test]
fn a_grid_that_is_not_made_of_whole_clusters_is_an_error_with_cudas_name() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    if device.properties().compute_capability < (lanewise::ComputeCapability { major: 9, minor: 0 })
    {
        println!("skipped: the device has no clusters");
        return;
    }
    let module = Module::from_ptx(&device, IN_FOURS).expect("PTX");
    let launch = |grid| {
        // SAFETY: the kernel takes nothing and does nothing.
        unsafe {
            module.launch_named::<(), _>(&stream, "in_fours", LaunchConfig::new(grid, 32), ())
        }
    };
    launch(8).expect("two clusters");
    let error = launch(6).expect_err("a cluster and a half");
    let text = tests::report::whole(&error);
    assert!(
        text.contains("CUDA_ERROR_INVALID_CLUSTER_SIZE (912)"),
        "{text}"
    );
    stream.synchronize().expect("the context goes on");
}
