//! More than a hundred attempts to make safe code race: programs whose threads part. The letters
//! are in `kernels/src/attempts.rs`. Each is run in several orders of its threads with the check
//! for races. A program has to give the same numbers in each order, or wait forever, or read what
//! nobody wrote (a cell, or a register of a lane that is elsewhere), which the simulator reports.
//! A race, or an access of other memory, is a defect of the library.
#![forbid(unsafe_code)]

use std::process::Command;

use lanewise::checks::Checking;
use lanewise::{Arguments, Backend, Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::SafeKernel;
use own_kernels::attempts::*;

/// Attempts that somebody thought of: what is tried, the threads of a group, and the program of
/// each group, of which the last one is for all groups after it.
const NAMED: &[(&str, u32, &[&str])] = &[
    ("fills of two lines", 32, &["lm", "ml"]),
    ("fills of two lines, lane by lane", 1, &["lm", "ml", "ll"]),
    (
        "a line more often than another one",
        32,
        &["lll", "lmm", "mmm"],
    ),
    ("a line that fewer and fewer fill", 32, &["l", "ll", "lll"]),
    ("a long line beside a short one", 16, &["ls", "sl"]),
    ("a halo after a line", 7, &["sls", "ssl", "lss"]),
    ("tiles by rows and by columns", 32, &["tc", "ct"]),
    (
        "tiles by rows and by columns, lane by lane",
        1,
        &["tct", "ctc", "ttt"],
    ),
    ("two tiles together and one alone", 32, &["bt", "tb"]),
    (
        "two tiles together and both alone",
        5,
        &["bbb", "tbt", "btb"],
    ),
    ("tiles and lines", 8, &["tlc", "ltl", "clt"]),
    ("a cell for each warp beside a line", 32, &["wl", "lw"]),
    ("a cell for each warp, more often", 32, &["w", "ww", "www"]),
    ("cells of warps whose lanes part", 3, &["wl", "lw"]),
    ("a reduction beside a line", 32, &["rl", "lr"]),
    ("a reduction beside a scan", 32, &["ri", "ir", "xx"]),
    ("reductions of two types", 32, &["rf", "fr"]),
    ("a reduction in half of a warp", 16, &["r", "l"]),
    ("a broadcast beside cells of warps", 32, &["ow", "wo"]),
    ("a scan after warps have left", 32, &["qi", "ii", "ii"]),
    ("a scan before warps leave", 32, &["iq", "iii", "iii"]),
    ("a line after lanes have left", 2, &["q", "ll"]),
    ("a tile after lanes have left", 9, &["tq", "qt", "tt"]),
    ("all leave but one group", 32, &["lqlm", "llq", "lmlm"]),
    ("an exchange beside a line", 32, &["el", "le"]),
    ("an exchange in lanes that part", 6, &["eel", "lee"]),
    ("a histogram beside a reduction", 32, &["hr", "rh"]),
    ("a histogram in one arm", 32, &["h", "l", "l"]),
    ("values that are filled themselves", 32, &["n", "lm", "ml"]),
    (
        "values that are filled themselves, lane by lane",
        1,
        &["nn", "nl", "mn"],
    ),
    ("values of values beside a tile", 10, &["nt", "tn"]),
    (
        "a function that calls itself, to different depths",
        96,
        &["d"],
    ),
    (
        "a function that calls itself, beside a line",
        32,
        &["dl", "ld"],
    ),
    (
        "a function that calls itself, twice",
        4,
        &["dd", "dl", "ll"],
    ),
    ("a view in a structure", 32, &["k", "lm", "ml"]),
    (
        "a view in a structure, and the line filled by others",
        32,
        &["kk", "llll", "klkl"],
    ),
    ("a view in a structure, lane by lane", 1, &["kl", "lk"]),
    ("atomics beside everything", 5, &["alam", "mala", "aaaa"]),
    ("a barrier of the block between", 32, &["lvm", "mvl"]),
    ("a barrier of the block in one arm", 32, &["lvl", "lml"]),
    ("a barrier instead of a fill", 32, &["vl", "lv"]),
    ("a step beside a fill", 32, &["pl", "lp"]),
    ("a step instead of a fill", 32, &["ppp", "lpp"]),
    ("steps that one warp leaves", 32, &["pq", "ppp", "pppppp"]),
    ("steps that lanes leave", 3, &["pppq", "pppppp", "qp"]),
    (
        "more steps than there are",
        32,
        &["pppppppppppp", "pppppppppp"],
    ),
    ("steps at different times", 32, &["llpp", "plpl", "ppll"]),
    (
        "steps at different times, lane by lane",
        1,
        &["plp", "lpp", "ppl"],
    ),
    ("steps in half of the warps", 32, &["pppp", "...."]),
    ("a step against a barrier of the block", 32, &["pv", "vp"]),
    ("steps beside reductions", 32, &["prp", "rpp"]),
    (
        "steps beside a function that calls itself",
        8,
        &["pd", "dp"],
    ),
    ("steps in the last warp only", 32, &["q", "q", "pppppppp"]),
    ("steps between two tiles", 12, &["tpc", "tpc", "cpt"]),
    ("steps in shared memory beside a line", 32, &["gl", "lg"]),
    (
        "steps in shared memory that lanes begin late",
        3,
        &["gg", "lg", "g"],
    ),
    (
        "a step in shared memory, and the others left out",
        32,
        &["zg", "gz"],
    ),
    (
        "steps in shared memory, one after another",
        32,
        &["ggzg", "ggzg", "gzgg"],
    ),
    (
        "steps in shared memory that warps leave",
        32,
        &["q", "gg", "ggq"],
    ),
    (
        "the last steps of one warp beside a line",
        32,
        &["jl", "lj"],
    ),
    (
        "the last steps of one warp, lane by lane",
        1,
        &["jg", "gj", "jj"],
    ),
    (
        "the last steps of a warp that lanes have left",
        5,
        &["q", "jj", "jlj"],
    ),
    ("the last steps without the first warp", 32, &["lll", "jjj"]),
    ("the last steps beside steps in place", 32, &["jp", "pj"]),
    ("dynamic memory of different lengths", 32, &["ul", "lu"]),
    ("dynamic memory, lane by lane", 1, &["uu", "ug", "gu"]),
    (
        "dynamic memory after warps have left",
        32,
        &["q", "uju", "uuj"],
    ),
    ("stages beside a line", 32, &["yl", "ly"]),
    ("stages, lane by lane", 1, &["yy", "yl", "ly"]),
    (
        "stages of some threads at other times",
        32,
        &["lyyy", "ylyy", "yyly"],
    ),
    ("stages more often than others", 32, &["y", "yy", "yyy"]),
    ("stages that warps leave", 32, &["yq", "yyyyq", "yyyyyyyy"]),
    ("stages that lanes leave", 3, &["yyq", "y", "yyyyyyy"]),
    ("stages after warps have left", 32, &["q", "yyyy", "yyyy"]),
    ("stages of as many steps as the rank says", 96, &["2"]),
    (
        "stages of as many steps as the rank says, again",
        96,
        &["2y2"],
    ),
    (
        "stages of different steps in two arms",
        16,
        &["yyy", "..yyyy", "2yy"],
    ),
    ("stages within which a line is filled", 96, &["3y3"]),
    (
        "stages within which some fill a line",
        32,
        &["3l", "yl", "l3"],
    ),
    (
        "stages within which some fill a line, lane by lane",
        1,
        &["3l", "y3"],
    ),
    ("stages beside steps in place", 32, &["yp", "py"]),
    ("stages beside a barrier of the block", 32, &["yv", "vy"]),
    ("copies to a line beside a fill", 32, &["4l", "l4"]),
    ("copies to a line, lane by lane", 1, &["44", "4l", "l4"]),
    ("copies to a line that lanes leave", 7, &["q", "44", "4"]),
    ("copies to a line and to stages", 32, &["4y", "y4"]),
    ("stages and lines in one order", 96, &["y4l3yp4y"]),
    ("steps in shared memory in one order", 96, &["gjzglpjg"]),
    ("everything in one order", 96, &["lmstcbwrfixohend"]),
    (
        "everything in two orders",
        48,
        &["lmstcbwrfixohend", "dnehoxifrwbctsml"],
    ),
];

/// Bytes of dynamic shared memory: two arrays of a word for each thread, and two words more.
const DYNAMIC: u32 = 8 * 96 + 8;

/// The number of programs that nobody thought of.
const RANDOM: usize = 64;

/// Returns the groups' size and programs of an attempt, and the threads of its block.
fn attempt(number: usize) -> (u32, Vec<String>, LaunchConfig) {
    if let Some((_, threads, programs)) = NAMED.get(number) {
        let programs = programs.iter().map(|program| program.to_string());
        let config = LaunchConfig::new(1, 96).with_dynamic_shared(DYNAMIC);
        return (*threads, programs.collect(), config);
    }
    let mut state = number as u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(number as u64 * 2 + 1);
        (state >> 33) as usize % below
    };
    let letters = b"lmstcbwrfixohendkapvq.llmmtppggjjzuyyy234";
    let threads = [1, 3, 8, 16, 32, 32, 32, 48][random(8)];
    let of_group = |random: &mut dyn FnMut(usize) -> usize| {
        let letters = (0..1 + random(8)).map(|_| letters[random(letters.len())] as char);
        letters.collect::<String>()
    };
    let programs = (0..2 + random(3)).map(|_| of_group(&mut random)).collect();
    let blocks = [
        LaunchConfig::new(1, 96),
        LaunchConfig::new(1, (8, 4, 3)),
        LaunchConfig::new(1, 50),
    ]
    .map(|config| config.with_dynamic_shared(DYNAMIC));
    (threads, programs, blocks[random(3)])
}

/// Runs an attempt with one order of its threads, and returns what the threads found.
fn run<K: SafeKernel>(
    device: &Device,
    kernel: K,
    number: usize,
    seed: u64,
) -> Result<Vec<u32>, String>
where
    for<'a> (
        &'a DeviceBuffer<u8>,
        u32,
        &'a mut DeviceBuffer<u32>,
        &'a mut DeviceBuffer<u32>,
    ): Arguments<K::Params>,
{
    let (threads, programs, config) = attempt(number);
    let groups = 96_usize.div_ceil(threads as usize);
    let last = programs.len() - 1;
    let text: String = (0..groups)
        .map(|group| format!("{:.<LENGTH$}", programs[group.min(last)]))
        .collect();
    let attempted = || -> Result<_, Box<dyn std::error::Error>> {
        let stream = device.stream()?;
        let programs = DeviceBuffer::from_slice(device, text.as_bytes())?;
        let mut data = DeviceBuffer::from_slice(device, &[1u32; 150])?;
        let mut output = DeviceBuffer::<u32>::zeroed(device, 96)?;
        let _checking = Checking::race().seed(seed).start();
        stream.launch(
            kernel,
            config,
            (&programs, threads, &mut data, &mut output),)?;
        Ok(output.to_vec()?)
    };
    attempted().map_err(|error| {
        let causes = std::iter::successors(Some(&*error), |error| error.source());
        causes.map(|cause| format!("{cause}; ")).collect()
    })
}

/// Returns whether the threads access memory of which each word is atomic. Threads that part then
/// find numbers that depend on their order, without a race.
fn is_of_words(number: usize) -> bool {
    let (_, programs, _) = attempt(number);
    programs
        .iter()
        .any(|program| program.contains(['g', 'j', 'z', 'u']))
}

/// Runs an attempt in some orders. Returns what the report says, if there is one.
fn outcome(device: &Device, number: usize) -> Result<(), String> {
    let in_order = |seed| match number % 4 {
        0 => run(device, programs_with_halves, number, seed),
        1 => run(device, programs_with_pairs, number, seed),
        2 => run(device, programs_with_sparse_pairs, number, seed),
        _ => run(device, programs_with_three_each, number, seed),
    };
    let first = in_order(0)?;
    for seed in 1..3 {
        let again = in_order(seed)?;
        if again != first && !is_of_words(number) {
            return Err(format!(
                "with seed {seed} the threads find {again:?}, with seed 0 {first:?}"
            ));
        }
    }
    Ok(())
}

/// The attempt at which a child process begins. A report stays with the process's device, so the
/// rest goes on in another process.
const FROM: &str = "ATTEMPTS_FROM";

#[test]
fn no_attempt_makes_safe_code_race() {
    let all = NAMED.len() + RANDOM;
    assert!(all >= 100);
    if let Ok(from) = std::env::var(FROM) {
        let device = Device::open().unwrap();
        for number in from.parse().unwrap()..all {
            let report = outcome(&device, number);
            println!(
                "\n{FROM} {number}: {}",
                report.as_ref().err().map_or("right", |text| text)
            );
            if report.is_err() {
                return;
            }
        }
        return;
    }
    if Device::open().unwrap().backend() == Backend::Cuda {
        return; // a GPU has no check for races, and waits forever
    }
    let (mut next, mut right, mut broken) = (0, 0, Vec::new());
    while next < all {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "no_attempt_makes_safe_code_race", "--nocapture"])
            .env(FROM, next.to_string())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&child.stdout);
        let marker = format!("\n{FROM} ");
        let outcomes: Vec<_> = text.split(&marker).skip(1).collect();
        assert!(
            !outcomes.is_empty(),
            "{text}{}",
            String::from_utf8_lossy(&child.stderr)
        );
        for outcome in outcomes {
            let (number, report) = outcome.split_once(": ").unwrap();
            assert_eq!(number, next.to_string());
            if report.starts_with("right") {
                right += 1;
            } else {
                let harmless = ["deadlock", "uninitialised", "inactive lane"];
                if !harmless.iter().any(|word| report.contains(word)) {
                    let name = NAMED.get(next).map_or("random", |named| named.0);
                    broken.push(format!("{name}, {:?}: {report}", attempt(next)));
                }
            }
            next += 1;
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(right >= all / 4, "of {all} programs, only {right} ended");
}
