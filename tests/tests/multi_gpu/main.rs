//! Chapter 10: several devices. The tests simulate two, four and eight, each number in a process
//! of its own.

use lanewise_patterns::timeline::{BarKind, panels};
use lanewise_patterns::{Setup, run};
use tests::agree::{agrees, variant};
use tests::isolate::{isolated, isolated_with};

/// Every variant of the chapter.
const VARIANTS: [&str; 16] = [
    "copy_one_way",
    "copy_both_ways",
    "ping_pong",
    "peer_access",
    "sum_on_one_device",
    "sum_on_each_device",
    "stencil_one_device",
    "stencil_in_line",
    "stencil_overlap",
    "all_reduce",
    "reduce_scatter",
    "all_gather",
    "broadcast",
    "send_receive",
    "matmul_by_columns",
    "matmul_by_rows",
];

/// Matrices, which are quadratic in their size.
fn is_matrix(name: &str) -> bool {
    name.starts_with("stencil") || name.starts_with("matmul")
}

/// Every variant at sizes that are small, odd, and no multiple of anything.
fn everything() -> String {
    let mut wrong = Vec::new();
    for name in VARIANTS {
        let sizes: &[usize] = if is_matrix(name) {
            &[0, 1, 2, 5, 17, 40]
        } else {
            &[0, 1, 3, 31, 1000, 4099]
        };
        for &size in sizes {
            wrong.extend(agrees(name, Setup::new(size, size as u64)).err());
        }
    }
    // More columns than rows, and the other way about.
    for (columns, rows) in [(33, 5), (5, 33)] {
        for name in VARIANTS.into_iter().filter(|name| is_matrix(name)) {
            let setup = Setup {
                rows: Some(rows),
                ..Setup::new(columns, 1)
            };
            wrong.extend(agrees(name, setup).err());
        }
    }
    wrong.join("\n")
}

fn on_simulated_devices(count: &str, test: &str) {
    if tests::simulator("several simulated devices", "the machine has those it has").is_none() {
        return;
    }
    let answer = isolated_with(&[("LANEWISE_SIM_DEVICES", count)], test, everything);
    assert_eq!(answer.text, "");
}

/// On a GPU with the devices that the machine has, on the simulator with one.
#[test]
fn as_many_devices_as_there_are_agree_with_the_cpu() {
    let answer = isolated(
        "as_many_devices_as_there_are_agree_with_the_cpu",
        everything,
    );
    assert_eq!(answer.text, "");
}

#[test]
fn two_devices_agree_with_the_cpu() {
    on_simulated_devices("2", "two_devices_agree_with_the_cpu");
}

#[test]
fn four_devices_agree_with_the_cpu() {
    on_simulated_devices("4", "four_devices_agree_with_the_cpu");
}

#[test]
fn eight_devices_agree_with_the_cpu() {
    on_simulated_devices("8", "eight_devices_agree_with_the_cpu");
}

/// Runs variants on simulated devices and says how long each took, in modelled microseconds.
fn times(
    test: &str,
    environment: &[(&str, &str)],
    variants: &[&str],
    size: usize,
) -> Option<Vec<f64>> {
    tests::simulator("how long it takes", "time on a GPU is the machine's")?;
    let answer = isolated_with(environment, test, || {
        let times = variants.iter().map(|name| {
            let outcome =
                run::run(&tests::device(), variant(name), Setup::new(size, 1)).expect("it runs");
            let time = outcome.time();
            outcome.check.expect("it was compared").expect("it agrees");
            (time.as_secs_f64() * 1e6).to_string()
        });
        times.collect::<Vec<_>>().join(" ")
    });
    let times = answer
        .text
        .split(' ')
        .map(|time| time.parse().expect("a time"));
    Some(times.collect())
}

#[test]
fn both_directions_at_once_take_as_long_as_one_and_there_and_back_twice_as_long() {
    let test = "both_directions_at_once_take_as_long_as_one_and_there_and_back_twice_as_long";
    let variants = ["copy_one_way", "copy_both_ways", "ping_pong"];
    let Some(times) = times(test, &[("LANEWISE_SIM_DEVICES", "2")], &variants, 1 << 22) else {
        return;
    };
    let [one, both, back] = times[..] else {
        panic!("{times:?}")
    };
    assert!(both < 1.1 * one && back > 1.9 * one, "{times:?}");
}

#[test]
fn without_peer_access_copies_are_slower_and_the_kernel_is_refused() {
    let test = "without_peer_access_copies_are_slower_and_the_kernel_is_refused";
    if tests::simulator("no peer access", "the machine's peers are what they are").is_none() {
        return;
    }
    let environment = [("LANEWISE_SIM_DEVICES", "2"), ("LANEWISE_SIM_PEERS", "0")];
    let answer = isolated_with(&environment, test, || {
        let device = tests::device();
        let copied =
            run::run(&device, variant("copy_one_way"), Setup::new(1 << 20, 1)).expect("it runs");
        let time = copied.time();
        copied.check.expect("it was compared").expect("it agrees");
        let refused = run::run(&device, variant("peer_access"), Setup::new(1 << 20, 1))
            .expect_err("no access");
        let rate = (1u64 << 22) as f64 / time.as_secs_f64() / 1e9;
        format!("{} {refused:#}", rate < 40.0)
    });
    assert!(answer.text.starts_with("true "), "{}", answer.text);
    assert!(
        answer.text.contains("CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"),
        "{}",
        answer.text
    );
}

/// The halo's copies run while the interior is computed, and the devices work at the same time:
/// neither waits for more of the other than its row.
#[test]
fn the_halo_is_exchanged_beside_the_interior_and_devices_do_not_work_in_turn() {
    let test = "the_halo_is_exchanged_beside_the_interior_and_devices_do_not_work_in_turn";
    if tests::simulator("what runs beside what", "its times are the machine's").is_none() {
        return;
    }
    let answer = isolated_with(&[("LANEWISE_SIM_DEVICES", "2")], test, || {
        lanewise::trace::keep();
        let names = ["stencil_in_line", "stencil_overlap", "stencil_one_device"];
        // Large enough that the interior takes longer than the host takes to queue the copies.
        let setup = Setup {
            rows: Some(2048),
            by: Some(3),
            // Small ones are compared with the CPU.
            is_checked: false,
            ..Setup::new(2048, 1)
        };
        for name in names {
            run::run(&tests::device(), variant(name), setup).expect("it runs");
        }
        let mut beside = Vec::new();
        for panel in panels(&lanewise::trace::so_far(), &names) {
            let bars = || {
                panel
                    .rows
                    .iter()
                    .flat_map(|row| row.bars.iter().map(move |bar| (&row.name, bar)))
            };
            let interior = |device: &str| {
                let device = device.to_owned();
                bars().filter(move |(row, bar)| {
                    row.starts_with(&device) && bar.name == "stencil_interior"
                })
            };
            let copies = bars().filter(|(_, bar)| bar.kind == BarKind::Move);
            let overlapping = copies.filter(|(row, copy)| {
                let device = row.split(',').next().unwrap_or("");
                interior(device)
                    .any(|(_, kernel)| kernel.start < copy.end && copy.start < kernel.end)
            });
            beside.push(overlapping.count().to_string());
            let kernels = || bars().filter(|(_, bar)| bar.kind == BarKind::Kernel);
            let start = kernels().map(|(_, bar)| bar.start).fold(f64::MAX, f64::min);
            let end = kernels().map(|(_, bar)| bar.end).fold(0.0, f64::max);
            beside.push((end - start).to_string());
        }
        beside.join(" ")
    });
    let found: Vec<f64> = answer
        .text
        .split(' ')
        .map(|number| number.parse().expect("a number"))
        .collect();
    let [in_line, _, beside, two_devices, _, one_device] = found[..] else {
        panic!("{found:?}")
    };
    // Two copies a step, three steps; none where all is in one line.
    assert_eq!((in_line, beside), (0.0, 6.0));
    // Half as long but for what the host needs to queue it all; in turn they would take
    // longer than one.
    assert!(one_device > 1.1 * two_devices, "{found:?}");
}
