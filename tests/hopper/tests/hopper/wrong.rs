//! Wrong uses, and the simulator's report for each. A GPU hangs on most of them, so they run on
//! the simulator only.

use hopper::{buffer, device};
use hopper_kernels::wrong::{
    arrives_at_a_block_that_left, box_between_pieces, expected_bytes, forgotten_products,
    leaves_the_cluster, misaligned_box, missed_arrive, missed_commit, no_proxy_fence,
    sends_a_word_to_a_block_that_left, sends_to_a_block_that_left, sends_words,
};
use lanewise::checks::Checking;
use lanewise::tensor_map::{TensorMap, TensorMapMut, Tiles};
use lanewise::{Backend, LaunchConfig, LaunchError};
use lanewise_std::kernel::SafeKernel;
use tests::isolate::isolated;

/// Returns the report of a launch in a process of its own, or nothing on a GPU.
fn report(
    test: &str,
    launch: impl FnOnce(&lanewise::Stream) -> Result<(), LaunchError>,
) -> Option<String> {
    let (device, stream) = device();
    if device.backend() == Backend::Cuda {
        println!("skipped on a GPU: {test} hangs there");
        return None;
    }
    let answer = isolated(&format!("wrong::{test}"), || {
        let launched = launch(&stream).map_err(|error| error.to_string());
        let ended = launched.and_then(|()| stream.synchronize().map_err(|error| error.to_string()));
        ended.expect_err("the kernel is wrong")
    });
    Some(answer.text)
}

/// Returns the report for a thread that expects this many bytes of a box of 256.
fn report_of_expecting(test: &str, bytes: u32) -> Option<String> {
    report(test, |stream| {
        let device = stream.device();
        with_map(device, |map| {
            let output = Box::leak(Box::new(buffer(device, &[0])));
            stream.launch(
                expected_bytes,
                LaunchConfig::new(1, 32),
                (map, bytes, output),
            )
        })
    })
}

/// Asserts that the report contains all of these words.
#[track_caller]
fn says(report: Option<String>, words: &[&str]) {
    let Some(report) = report else { return };
    for word in words {
        assert!(report.contains(word), "no {word:?} in: {report}");
    }
}

/// A map of 8 x 8 words, in boxes as large.
fn with_map(
    device: &lanewise::Device,
    launch: impl FnOnce(&TensorMap<'_, u32, 2>) -> Result<(), LaunchError>,
) -> Result<(), LaunchError> {
    let tensor = Box::leak(Box::new(buffer(device, &[7u32; 64])));
    launch(&TensorMap::new(tensor, Tiles::new([8, 8], [8, 8])).expect("a map"))
}

#[test]
fn a_missed_arrival_is_counted() {
    let report = report("a_missed_arrival_is_counted", |stream| {
        stream.launch(missed_arrive, LaunchConfig::new(1, 64), ())
    });
    says(
        report,
        &[
            "deadlock",
            "1 arrival and 0 bytes are missing",
            "missed_arrive",
        ],
    );
}

#[test]
fn a_place_that_nobody_commits_is_named() {
    let report = report("a_place_that_nobody_commits_is_named", |stream| {
        stream.launch(missed_commit, LaunchConfig::new(1, 3), ())
    });
    says(
        report,
        &[
            "deadlock",
            "1 arrival and 0 bytes are missing",
            "missed_commit",
        ],
    );
}

#[test]
fn too_many_expected_bytes_are_counted() {
    let report = report_of_expecting("too_many_expected_bytes_are_counted", 272);
    says(
        report,
        &[
            "deadlock",
            "0 arrivals and 16 bytes are missing",
            "expected_bytes",
        ],
    );
}

#[test]
fn too_few_expected_bytes_are_counted() {
    let report = report_of_expecting("too_few_expected_bytes_are_counted", 240);
    says(
        report,
        &[
            "deadlock",
            "0 arrivals and -16 bytes are missing",
            "expected_bytes",
        ],
    );
}

#[test]
fn a_box_in_between_is_named() {
    let report = report("a_box_in_between_is_named", |stream| {
        let device = stream.device();
        with_map(device, |map| {
            stream.launch(misaligned_box, LaunchConfig::new(1, 32), (map,))
        })
    });
    says(report, &["misaligned", "128", "misaligned_box"]);
}

#[test]
fn a_box_that_begins_between_pieces_of_its_row_is_named() {
    let test = "a_box_that_begins_between_pieces_of_its_row_is_named";
    let report = report(test, |stream| {
        let device = stream.device();
        with_map(device, |map| {
            stream.launch(box_between_pieces, LaunchConfig::new(1, 32), (map,))
        })
    });
    says(
        report,
        &[
            "element 1 of its row",
            "a multiple of 16 bytes",
            "box_between_pieces",
        ],
    );
}

#[test]
fn a_block_that_leaves_its_cluster_is_named() {
    let report = report("a_block_that_leaves_its_cluster_is_named", |stream| {
        let device = stream.device();
        let _checked = Checking::all().start();
        let output = Box::leak(Box::new(buffer(device, &[0])));
        let config = LaunchConfig::new(2, 32).with_cluster(2);
        let launched = stream.launch(leaves_the_cluster, config, (output,));
        stream.synchronize().expect_err("found by the check");
        launched
    });
    says(report, &["has ended", "leaves_the_cluster"]);
}

#[test]
fn a_missing_fence_of_proxies_is_named_with_the_write() {
    let test = "a_missing_fence_of_proxies_is_named_with_the_write";
    let report = report(test, |stream| {
        let device = stream.device();
        let _checked = Checking::race().start();
        let tensor = Box::leak(Box::new(buffer(device, &[7u32; 64])));
        let mut map = TensorMapMut::new(tensor, Tiles::new([8, 8], [8, 8])).expect("a map");
        let launched = stream.launch(no_proxy_fence, LaunchConfig::new(1, 32), (&mut map,));
        stream.synchronize().expect_err("found by the check");
        launched
    });
    says(
        report,
        &["without a fence between", "wrong.rs", "no_proxy_fence"],
    );
}

/// The assembler adds the wait, so this is a note and fails no launch.
#[test]
fn products_that_nobody_waits_for_are_noted() {
    let (device, stream) = device();
    if device.backend() == Backend::Cuda {
        return;
    }
    let guard = Checking::sync().start();
    let mut output = buffer(&device, &[0.0; 512]);
    let config = LaunchConfig::new(1, 128);
    let launched = stream.launch(forgotten_products, config, (&mut output,));
    launched.expect("a right result");
    stream.synchronize().expect("a right result");
    let (findings, notes) = guard.findings_and_notes();
    assert_eq!(findings, []);
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    says(
        notes.first().cloned(),
        &[
            "is used while the `wgmma.mma_async`",
            "wgmma.wait_group",
            "forgotten_products",
        ],
    );
    assert!(!notes.is_empty());
}

/// Returns the report for a kernel with a cluster of two blocks, the second of which ends at once.
fn report_of_leaving<K>(test: &str, kernel: K) -> Option<String>
where
    K: SafeKernel<Params = ()>,
{
    report(test, |stream| {
        let _checked = Checking::all().start();
        let config = LaunchConfig::new(2, 32).with_cluster(2);
        let launched = stream.launch(kernel, config, ());
        stream.synchronize().expect_err("found by the check");
        launched
    })
}

#[test]
fn a_copy_to_a_block_that_has_ended_is_named() {
    let test = "a_copy_to_a_block_that_has_ended_is_named";
    says(
        report_of_leaving(test, sends_to_a_block_that_left),
        &[
            "256-byte asynchronous write of shared memory of a block that has ended",
            "block (1,0,0)",
            "sends_to_a_block_that_left",
        ],
    );
}

#[test]
fn an_arrival_at_a_block_that_has_ended_is_named() {
    let test = "an_arrival_at_a_block_that_has_ended_is_named";
    says(
        report_of_leaving(test, arrives_at_a_block_that_left),
        &[
            "use of an mbarrier of a block that has ended",
            "block (1,0,0)",
            "arrives_at_a_block_that_left",
        ],
    );
}

#[test]
fn a_word_to_a_block_that_has_ended_is_named() {
    let test = "a_word_to_a_block_that_has_ended_is_named";
    says(
        report_of_leaving(test, sends_a_word_to_a_block_that_left),
        &[
            "4-byte asynchronous write of shared memory of a block that has ended",
            "block (1,0,0)",
            "sends_a_word_to_a_block_that_left",
        ],
    );
}

/// Returns the report for 32 words that go to a block which expects this many bytes.
fn report_of_words(test: &str, expected: u32, waits: bool) -> Option<String> {
    report(test, |stream| {
        let device = stream.device();
        let _checked = Checking::all().start();
        let output = Box::leak(Box::new(buffer(device, &[0; 64])));
        let config = LaunchConfig::new(2, 32).with_cluster(2);
        stream.launch(sends_words, config, (expected, waits, output))
    })
}

#[test]
fn words_that_were_not_expected_are_counted() {
    let report = report_of_words("words_that_were_not_expected_are_counted", 124, true);
    let words = [
        "receives 4 bytes more than it expects",
        "the mbarrier at shared address",
        "sends_words",
    ];
    says(report, &words);
}

#[test]
fn words_that_nobody_waits_for_are_named() {
    let report = report_of_words("words_that_nobody_waits_for_are_named", 128, false);
    let words = ["no thread waits for 4 bytes", "wrong.rs", "sends_words"];
    says(report, &words);
}

#[test]
fn words_that_are_missing_are_counted() {
    let report = report_of_words("words_that_are_missing_are_counted", 132, true);
    says(
        report,
        &[
            "deadlock",
            "0 arrivals and 4 bytes are missing",
            "sends_words",
        ],
    );
}

#[test]
fn words_that_are_read_before_they_have_come_are_named() {
    let test = "words_that_are_read_before_they_have_come_are_named";
    let report = report_of_words(test, 128, false);
    says(report, &["race", "asynchronous write", "sends_words"]);
}
