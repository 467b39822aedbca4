//! NVIDIA's libraries are loaded on first use. If one is missing, the error names the files that
//! were searched for, and where.

use lanewise_patterns::nvidia::{self, Compressed};
use tests::isolate::isolated_with;

#[test]
fn a_library_that_is_not_there_is_named_with_the_variable() {
    let environment = [("LANEWISE_NVIDIA_LIBRARIES", "/nowhere")];
    let test = "algorithms::nvidia::a_library_that_is_not_there_is_named_with_the_variable";
    let answer = isolated_with(&environment, test, || {
        let device = tests::device();
        let matrix = Compressed {
            size: [1, 1],
            starts: &[0, 1],
            places: &[0],
            values: &[1.0f32],
        };
        let jobs = [
            nvidia::gemm(&device, [1.0, 0.0f32], [1; 3], [&[1.0], &[1.0], &[1.0]]),
            nvidia::gemv(&device, [1.0, 0.0f64], (&[1.0], [1; 3]), &[1.0], &[1.0]),
            nvidia::spmv(&device, matrix, &[1.0]),
            nvidia::fft::<f32>(&device, 1, &[]),
            nvidia::random::<f32>(&device, 1, 1, false),
        ];
        let text = |job: anyhow::Result<Box<dyn nvidia::Job>>| match job {
            Ok(job) => format!("there is {}", job.name()),
            Err(error) => format!("{error:#}"),
        };
        jobs.map(text).join("\n")
    });
    let lines: Vec<&str> = answer.text.lines().collect();
    let libraries = ["cublas", "cublas", "cusparse", "cufft", "curand"];
    assert_eq!(lines.len(), libraries.len(), "{}", answer.text);
    for (line, library) in lines.iter().zip(libraries) {
        let first = format!("none of lib{library}.so.");
        assert!(line.starts_with(&first), "{line}");
        let rest = "can be opened (`LANEWISE_NVIDIA_LIBRARIES` names the folder): ";
        assert!(line.contains(rest), "{line}");
        // What the loader says names the file in the folder, and not another one.
        assert!(
            line.contains(&format!("/nowhere/lib{library}.so.")),
            "{line}"
        );
    }
}

#[test]
fn every_algorithm_that_a_library_has_is_timed_beside_it() {
    for name in ["gemm", "gemv", "spmv", "fft", "philox"] {
        let pattern = lanewise_patterns::find(name).expect("a pattern");
        let beside = pattern
            .variants
            .iter()
            .filter(|variant| variant.library.is_some());
        assert!(beside.count() >= 2, "{name}: single and double precision");
        assert!(pattern.size.bench.is_some(), "{name} is in the benchmark");
    }
}
