//! What runs is the PTX: a change in its text is a change in the answer.

use gpu::basics::vector_add::vec_add;
use host::{DeviceBuffer, LaunchConfig, Module, embedded};

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
    let ptx = embedded::best_for(tests::device().properties().compute_capability)
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
