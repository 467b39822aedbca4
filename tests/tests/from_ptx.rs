//! The PTX text is what runs: a change in the text changes the result.

use gpu::basics::vector_add::vec_add;
use lanewise::checks::{self, Checking};
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
    // SAFETY: the text is the embedded one, where at most an addition has become a subtraction: the
    // same parameters, the same accesses.
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

/// ptxas initialises such variables as it does those of the module (PTX
/// ISA, "Variables: Initializers").
const VARIABLES_IN_A_BODY: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry tables(.param .u64 out) {
    .reg .b64 %rd<4>; .reg .b32 %r<4>;
    .global .align 4 .u32 inner[3] = {7, 8, 9};
    .const .align 4 .u32 constant = 11;
    ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd0, %rd0;
    ld.global.u32 %r0, [inner+8]; ld.const.u32 %r1, [constant];
    st.global.u32 [%rd0], %r0; st.global.u32 [%rd0+4], %r1; ret;
}
";

#[test]
fn variables_that_a_body_declares_hold_what_it_says() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let module = Module::from_ptx(&device, VARIABLES_IN_A_BODY).expect("PTX");
    let mut out = DeviceBuffer::from_slice(&device, &[0u32; 2]).expect("a buffer");
    let config = LaunchConfig::new(1, 1);
    // SAFETY: the kernel takes one address, of two words.
    unsafe { module.launch_named::<(*mut u32,), _>(&stream, "tables", config, (&mut out,)) }
        .expect("a launch");
    assert_eq!(out.to_vec().expect("no fault"), [9, 11]);
}

/// Of a block's threads the first `leave` return; the others bring a number each, meet, and
/// take their neighbour's.
const LEAVES_EARLY: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry leaves_early(.param .u64 out, .param .u32 leave) {
    .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p<2>;
    .shared .align 4 .u32 tile[128];
    mov.u32 %r0, %tid.x; ld.param.u32 %r1, [leave];
    setp.lt.u32 %p0, %r0, %r1; @%p0 bra DONE;
    mov.u32 %r2, tile; shl.b32 %r3, %r0, 2; add.u32 %r4, %r2, %r3;
    st.shared.u32 [%r4], %r0;
    bar.sync 0;
    sub.u32 %r3, 508, %r3; add.u32 %r4, %r2, %r3;
    ld.shared.u32 %r5, [%r4];
    ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd0, %rd0;
    mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;
    st.global.u32 [%rd0], %r5;
    DONE: ret;
}
";

/// Threads that have ended count as arrived (PTX ISA, `bar`; two H200s), within a warp and by whole
/// warps. So no check takes an early return for a mistake.
#[test]
fn threads_that_have_returned_are_not_waited_for_at_a_barrier() {
    let device = tests::device();
    let stream = device.stream().expect("a stream");
    let module = Module::from_ptx(&device, LEAVES_EARLY).expect("PTX");
    for leave in [0, 1, 24, 32, 45, 64] {
        let mut out = DeviceBuffer::from_slice(&device, &[u32::MAX; 128]).expect("a buffer");
        let found = checks::of(&device, Checking::all(), || {
            let config = LaunchConfig::new(1, 128);
            // SAFETY: the kernel takes an address, of a word for each thread, and a number.
            unsafe {
                module.launch_named::<(*mut u32, u32), _>(
                    &stream,
                    "leaves_early",
                    config,
                    (&mut out, leave),
                )
            }
            .expect("a launch");
            stream.synchronize()
        });
        // The element of a thread that has left holds its old value.
        let out = out.to_vec().expect("no fault");
        for thread in leave..128 - leave {
            assert_eq!(out[thread as usize], 127 - thread, "{leave} left");
        }
        // A GPU checks nothing.
        let ((), found) = found.expect("a finding is no fault here");
        assert_eq!(found.unwrap_or_default(), [], "{leave} left");
    }
}
