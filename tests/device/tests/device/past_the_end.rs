//! What a kernel prints when an index is past the end: its line, the index and the length.

use device::device;
use device_kernels::past_the_end::past_the_end;
use lanewise::{DeviceBuffer, LaunchConfig};
use tests::isolate::isolated_with;

#[test]
fn an_index_past_the_end_is_told_with_the_kernels_line_and_both_numbers() {
    const WHICH: &str = "LANEWISE_TEST_ROW";
    let source = include_str!("../../kernels/src/past_the_end.rs");
    for which in 0..10u32 {
        let name =
            "past_the_end::an_index_past_the_end_is_told_with_the_kernels_line_and_both_numbers";
        let answer = isolated_with(&[(WHICH, &which.to_string())], name, || {
            let which = std::env::var(WHICH).expect("a child has it");
            let device = device();
            let stream = device.stream().expect("a stream");
            let [mut global, mut own] =
                [(); 2].map(|()| DeviceBuffer::<u32>::zeroed(&device, 7).expect("a buffer"));
            let config = LaunchConfig::new(1, 1).with_dynamic_shared(28);
            let which: u32 = which.parse().expect("a number");
            let arguments = (which, 9, &mut global, &mut own);
            stream
                .launch(past_the_end, config, arguments)
                .expect("a launch");
            stream.synchronize().is_err().to_string()
        });
        let arm = match which {
            9 => "_ => ".to_owned(),
            which => format!("{which} => "),
        };
        let line = 1 + source
            .lines()
            .position(|line| line.trim_start().starts_with(&arm))
            .expect("it is there");
        let what = match which {
            5 | 6 => "place out of bounds: the tile is 2 x 7 but the place is (1, 9)",
            7 => "index out of bounds: the len is 2 but the index is 9",
            _ => "index out of bounds: the len is 7 but the index is 9",
        };
        assert_eq!(
            (answer.text.as_str(), answer.printed.trim_end()),
            (
                "true",
                format!(
                    "panicked at tests/device/kernels/src/past_the_end.rs:{line}: {what}, block (0,0,0), thread (0,0,0)"
                )
                .as_str()
            ),
            "{which}: {}",
            answer.stderr
        );
    }
}
