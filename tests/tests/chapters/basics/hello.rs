//! Threads that print who they are.

use gpu::basics::hello::check_index;
use lanewise::LaunchConfig;
use lanewise_patterns::Setup;
use tests::agree::agrees;
use tests::isolate::isolated;

#[test]
fn check_index_on_two_blocks_of_three_prints_the_notes_six_lines() {
    let answer = isolated(
        "basics::hello::check_index_on_two_blocks_of_three_prints_the_notes_six_lines",
        || {
            let device = tests::device();
            let stream = device.stream().expect("a stream");
            stream
                .launch(check_index, LaunchConfig::new(2, 3), ())
                .expect("a launch");
            stream.synchronize().expect("no fault");
            "printed".to_owned()
        },
    );
    // Blocks run in any order.
    let mut printed: Vec<&str> = answer
        .printed
        .lines()
        .filter(|line| !line.is_empty())
        .collect();
    printed.sort_unstable();
    let mut expected = lanewise_patterns::basics::hello::indices(2, 3);
    expected.sort_unstable();
    assert_eq!(printed, expected);
}

#[test]
fn hello_world_greets_once_for_each_thread() {
    let answer = isolated(
        "basics::hello::hello_world_greets_once_for_each_thread",
        || {
            let setup = Setup {
                block: Some(33),
                ..Setup::new(99, 0)
            };
            agrees("hello_world", setup).map_or_else(|why| why, |()| "agrees".to_owned())
        },
    );
    assert_eq!(answer.text, "agrees");
}
