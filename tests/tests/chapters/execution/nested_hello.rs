//! A greeting that launches half of its threads again.

use lanewise_patterns::Setup;
use tests::agree::agrees;
use tests::count::count;
use tests::isolate::isolated;

/// It runs in a process of its own, like every test that prints: otherwise the output of other
/// tests would be among the lines.
#[test]
fn every_level_of_a_nested_greeting_is_printed_once() {
    let name = "execution::nested_hello::every_level_of_a_nested_greeting_is_printed_once";
    let answer = isolated(name, || {
        let grids = [
            (0, None),
            (1, None),
            (2, None),
            (7, None),
            (8, None),
            (1024, None),
        ];
        let setups = grids
            .into_iter()
            .chain([(10, Some(3))])
            .map(|(threads, block)| Setup {
                block,
                ..Setup::new(threads, 1)
            });
        let wrong = setups.filter_map(|setup| agrees("nested_hello_world", setup).err());
        wrong.collect::<Vec<_>>().join("\n")
    });
    assert_eq!(answer.text, "");
}

/// 8 threads, then 4, 2 and 1: three launches, and the deepest line says so.
#[test]
fn eight_threads_nest_three_levels_deep() {
    let lines = lanewise_patterns::execution::nested_hello::lines(1, 8);
    assert_eq!(
        lines.last().map(String::as_str),
        Some("Recursion=3: Hello World from thread 0 block 0")
    );
    let answer = isolated(
        "execution::nested_hello::eight_threads_nest_three_levels_deep",
        || {
            let counters = count("nested_hello_world", Setup::new(8, 1));
            let launches = counters.map(|counters| counters.device_launches);
            launches.map_or("a GPU does not count".to_owned(), |launches| {
                launches.to_string()
            })
        },
    );
    assert!(
        ["3", "a GPU does not count"].contains(&answer.text.as_str()),
        "{answer:?}"
    );
}
