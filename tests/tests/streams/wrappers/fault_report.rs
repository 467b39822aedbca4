//! The report of a fault that is noticed after its launch.

use gpu::basics::vector_add::vec_add;
use lanewise::{DeviceBuffer, LaunchConfig};
use tests::future::block_on;
use tests::isolate::isolated_with;

use super::streams;

/// The call that notices a fault is not the launch that caused it. The report names both.
#[test]
fn an_asynchronous_fault_names_the_launch_that_caused_it() {
    let _turn = tests::turn();
    let test = "wrappers::fault_report::an_asynchronous_fault_names_the_launch_that_caused_it";
    let answer = isolated_with(&[], test, || {
        let device = tests::device();
        let [stream, other] = streams(&device);
        let good = DeviceBuffer::from_slice(&device, &[1.0f32; 64]).expect("a buffer");
        let sum = || DeviceBuffer::<f32>::zeroed(&device, 64).expect("a buffer");
        let (mut first, mut second) = (sum(), sum());
        let config = LaunchConfig::for_num_elems(64);
        // SAFETY: it is not sound, and that is the test: the process ends after the fault.
        let bad = unsafe { DeviceBuffer::<f32>::borrow_raw(&device, 16, 64) };
        let line = line!() + 2;
        stream
            .launch(vec_add, config, (&*bad, &good, &mut first))
            .expect("a launch");
        other
            .launch(vec_add, config, (&good, &good, &mut second))
            .or_else(|error| {
                error
                    .to_string()
                    .contains("launch")
                    .then_some(())
                    .ok_or(error)
            })
            .expect("a launch, or the fault already");
        let error = device
            .synchronize()
            .expect_err("the first kernel reads address 16");
        let noticed = error.location().line();
        // A task that awaits a stream gets the error too.
        let told = match other.finished() {
            Ok(finished) => block_on(finished).is_err(),
            Err(error) => error.is_kernel_fault(),
        };
        format!("{} {} {told}\n{error}", line, noticed > line)
    });
    let (head, report) = answer.text.split_once('\n').expect("a report");
    let mut words = head.split(' ');
    let line = words.next().expect("a line");
    assert_eq!(words.collect::<Vec<_>>(), ["true", "true"]);
    let named = format!("kernel `vec_add` was launched at {}:{line}:", file!());
    assert!(report.contains(&named), "{named}\n{report}");
    assert!(report.starts_with("cu"), "{report}");
}
