//! No safe program misuses a barrier, however its threads part: there is a barrier wherever a
//! thread arrives or waits, nobody initialises it again, and nothing races. A program may wait
//! forever, read cells of threads that have left, and arrive more often than a phase takes, which
//! ends the launch with an error. A GPU would wait, too, so they run on the simulator only.

use hopper::{buffer, device, values};
use hopper_kernels::parted::{LENGTH, THREADS, programs_with_barriers};
use lanewise::checks::Checking;
use lanewise::{Backend, LaunchConfig};
use tests::isolate::isolated_with;

/// The threads of a group, and the program of each group, of which the last one is for all groups
/// after it.
const ATTEMPTS: &[(u32, &[&str])] = &[
    (96, &["wwwwww"]),                // as it is meant
    (96, &["wlwlyw"]),                // beside phases
    (96, &["PCPCPC"]),                // each thread is a producer and a consumer
    (96, &["tTtTtT"]),                // tokens
    (96, &["nTnTww"]),                // copies arrive
    (96, &["xwxwx"]),                 // the cluster's barrier
    (32, &["q", "ww", "ww"]),         // a warp leaves before it has arrived
    (1, &["q", "w", "ww"]),           // a lane leaves
    (32, &["wq", "www", "wwww"]),     // loops of different lengths
    (32, &["a", "aa", "ww"]),         // arrivals without waits
    (3, &["aaaa", "w", "a"]),         // more arrivals than the phase takes
    (32, &["wl", "lw"]),              // a fill and a wait in two orders
    (32, &["wv", "vw"]),              // a barrier of the block and a wait in two orders
    (1, &["wl", "lw", "ll"]),         // the same, lane by lane
    (32, &["ttttT", "aaaa", "aaaa"]), // the token of an old phase
    (32, &["tk", "wo", "wo"]),        // a token of another barrier
    (1, &["tk", "T", "k"]),
    (1, &["o"]),                 // many threads at a barrier of one
    (5, &["ooooo", "eu", "ue"]), // waits for phases that never come, or have passed
    (32, &["eeee", "oe", "uo"]),
    (8, &["ssssss", "sss", "s"]),        // one of several barriers
    (96, &["pppp"]),                     // a hundred producers where one was declared
    (96, &["cccc"]),                     // a hundred consumers of nothing
    (1, &["pppp", "cccc", "cccc", "."]), // as it is meant
    (1, &["pppp", "hhhh", "hhhh", "."]), // places that are kept
    (1, &["p", "hhhhhh", "cc", "q"]),    // more places than there are
    (1, &["pcpc", "cpcp", "."]),         // two that are both
    (1, &["pq", "ccc", "ccc", "q"]),     // a producer that leaves
    (32, &["PPPPC", "CPCP", "PC"]),      // more places than are empty
    (32, &["PlC", "lPC", "PCl"]),        // fills between
    (32, &["PqC", "PCP", "PC"]),         // a warp leaves with a full place
    (2, &["Py", "yP", "PC"]),            // stages beside a pipeline
    (32, &["yx", "xy"]),
    (7, &["xq", "xx", "x"]),
    (96, &["lywPCxotTlyw"]),                // everything in one order
    (48, &["lywPCxotTlyw", "wyTtoxCPwyl"]), // and in two
];

/// The number of programs that nobody thought of.
const RANDOM: usize = 30;

/// Returns the threads of a group, and each group's program.
fn attempt(number: usize) -> (u32, Vec<String>) {
    if let Some((threads, programs)) = ATTEMPTS.get(number) {
        return (*threads, programs.iter().map(|it| it.to_string()).collect());
    }
    let mut state = number as u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(2 * number as u64 + 1);
        (state >> 33) as usize % below
    };
    let letters = b"awntTkoeusxpchPClyvq.wwPCll";
    let threads = [1, 5, 16, 32, 32, 48][random(6)];
    let programs = (0..2 + random(3)).map(|_| {
        let letters = (0..1 + random(LENGTH)).map(|_| letters[random(letters.len())] as char);
        letters.collect()
    });
    let programs = programs.collect();
    (threads, programs)
}

/// Runs an attempt in three orders of its threads. Returns what is wrong, or "right".
fn outcome(number: usize) -> String {
    let (device, stream) = device();
    let (threads, programs) = attempt(number);
    let groups = THREADS.div_ceil(threads as usize);
    let text: String = (0..groups)
        .map(|group| format!("{:.<LENGTH$}", programs[group.min(programs.len() - 1)]))
        .collect();
    let mut found = Vec::new();
    for seed in 0..3 {
        let programs = buffer(&device, text.as_bytes());
        let mut output = buffer(&device, &[0u32; THREADS]);
        let _checking = Checking::race().seed(seed).start();
        let config = LaunchConfig::new(1, THREADS as u32);
        let arguments = (&programs, threads, &mut output);
        let ended = stream
            .launch(programs_with_barriers, config, arguments)
            .map_err(|error| error.to_string())
            .and_then(|()| stream.synchronize().map_err(|error| error.to_string()));
        match ended {
            Ok(()) => found.push(values(&output)),
            Err(report) => return report,
        }
    }
    if found.iter().any(|it| *it != found[0]) {
        return format!("what the threads find depends on their order: {found:?}");
    }
    "right".to_owned()
}

#[test]
fn no_attempt_makes_safe_code_misuse_a_barrier() {
    if device().0.backend() == Backend::Cuda {
        return;
    }
    const NUMBER: &str = "ATTEMPT";
    let test = "parted::no_attempt_makes_safe_code_misuse_a_barrier";
    let (mut right, mut broken) = (0, Vec::new());
    let all = ATTEMPTS.len() + RANDOM;
    for number in 0..all {
        let answer = isolated_with(&[(NUMBER, &number.to_string())], test, || {
            let number = std::env::var(NUMBER).expect("the parent says which");
            outcome(number.parse().expect("a number"))
        });
        if answer.text == "right" {
            right += 1;
        } else if !["deadlock", "uninitialised", "at an mbarrier that waits for"]
            .iter()
            .any(|harmless| answer.text.contains(harmless))
        {
            broken.push(format!("{:?}: {}", attempt(number), answer.text));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(right >= 8, "of {all} programs, only {right} ended");
}
