//! Every sample of the instruction table, run without changes: once with all registers zero,
//! and once with meaningful values in some of them: addresses in global and shared memory,
//! sizes, masks, extremes.
//!
//! Whatever the operands of an instruction are, the machine ends with a result or a report. It does
//! not panic, does not hang, and does not report an internal error.

use std::collections::HashSet;

use lanewise_sim::isa::Decoder;
use lanewise_sim::isa::pattern::{self, patterns};
use lanewise_sim::isa::sample::{every_sample, samples};
use lanewise_sim::module::spellings;
use lanewise_sim::ptx::ast::{Modifier, Opcode};
use lanewise_sim::{AllocationKind, Checks, Device, DeviceModel, Fault, Launch, Module};
use sim_figures::coverage::coverage;

use crate::common::Numbers;

/// A module's text with its kernel's registers set to what `pick` gives for their bytes.
fn with_values(text: &str, mut pick: impl FnMut(u64) -> u64) -> String {
    let mut sets = String::new();
    for line in text.lines() {
        let Some((ty, name)) = line
            .trim()
            .strip_prefix(".reg .")
            .and_then(|r| r.split_once(' '))
        else {
            continue;
        };
        let name = name.trim_end_matches(';');
        let bytes = match ty {
            "pred" => {
                sets += &format!("setp.eq.u32 {name}, {}, 1;\n", pick(4) & 1);
                continue;
            }
            "f64" => 8,
            "f32" => 4,
            "f16" => 2,
            ty => ty[1..].parse().unwrap_or(0) / 8,
        };
        match bytes {
            2 | 4 | 8 if !ty.starts_with('f') => {
                sets += &format!("mov.{ty} {name}, {:#x};\n", pick(bytes))
            }
            4 => sets += &format!("mov.f32 {name}, 0f{:08X};\n", pick(4) as u32),
            8 => sets += &format!("mov.f64 {name}, 0d{:016X};\n", pick(8)),
            // Bytes, f16 and 128 bits have no plain `mov` of a constant: they stay zero.
            _ => {}
        }
    }
    let at = text
        .find("list: .branchtargets")
        .expect("every sample has a table");
    format!("{}{sets}    {}", &text[..at], &text[at..])
}

/// Runs every sample. Returns how many ended and how many faulted.
fn run(values: Option<u64>) -> (usize, usize) {
    let device = Device::new(DeviceModel::b200()).expect("the host gives address space");
    let memory = device
        .memory()
        .allocate(4096, 256, AllocationKind::Device, None)
        .expect("memory");
    let mut numbers = Numbers(values.unwrap_or(0));
    let (mut ended, mut faulted) = (0, 0);
    for sample in patterns()
        .iter()
        .flat_map(|pattern| samples(pattern, (8, 8), 100))
    {
        let mut text = sample.module.replace("sm_120", "sm_100");
        if values.is_some() {
            let shared = 0x2_0000_0000u64;
            let long = [
                memory,
                memory + 64,
                memory + 128,
                shared + 0x400,
                shared + 0x440,
                0x400,
                0x480,
                0,
                16,
                1 << 63,
                u64::MAX,
            ];
            let word = [
                0x400,
                0x440,
                0x500,
                0,
                1,
                4,
                16,
                31,
                0x1000_0400,
                0x100_0400,
                0x7f80_0000,
                0xffff_ffff,
            ];
            text = with_values(&text, |bytes| match bytes {
                8 => long[numbers.within((0, 10)) as usize],
                4 => word[numbers.within((0, 11)) as usize],
                _ => [0, 1, 0x3c00, 0xffff][numbers.within((0, 3)) as usize],
            });
        }
        // What the device's capability or the decoder refuses is said when it is loaded.
        let Some(instance) = Module::load(&text)
            .ok()
            .and_then(|module| device.instantiate(&module).ok())
        else {
            continue;
        };
        let kernel = instance.module().kernel("sample");
        if kernel.is_some_and(|kernel| kernel.refused.is_some()) {
            continue;
        }
        let params = [0; 128];
        let launch = Launch {
            budget: Some(10_000),
            count: true,
            checks: Checks::all(),
            dynamic_shared: 1024,
            ..Launch::new("sample", [2, 1, 1], [64, 1, 1], &params)
        };
        match device.launch(&instance, &launch) {
            Ok(_) => ended += 1,
            Err(Fault::Launch(error)) => panic!("{}: {error}", sample.instruction),
            Err(fault) => {
                faulted += 1;
                let said = fault.to_string();
                assert!(!said.contains("broke a rule of its own"), "{text}\n{said}");
                assert!(said.contains("kernel `sample`"), "{text}\n{said}");
            }
        }
    }
    (ended, faulted)
}

#[test]
fn every_sample_ends_with_a_result_or_a_report() {
    let (ended, faulted) = run(None);
    assert!(
        ended > 1500 && faulted > 500,
        "{ended} ended, {faulted} faulted"
    );
}

#[test]
fn every_sample_ends_whatever_it_is_given() {
    for seed in 1..4 {
        let (ended, faulted) = run(Some(seed));
        assert!(
            ended > 1500 && faulted > 100,
            "seed {seed}: {ended} ended, {faulted} faulted"
        );
    }
}

/// The instruction table and the decoder agree: what a row describes loads, and what a row refuses
/// does not load.
#[test]
fn every_row_loads_whole_or_is_refused_by_name() {
    let mut wrong = Vec::new();
    for found in coverage() {
        let row = found.row;
        let wanted = row.refused.map_or(found.samples, |_| 0);
        if found.modelled != wanted {
            let missing = &found.missing;
            wrong.push(format!("{:?} {}: {missing:?}", row.opcode, row.modifiers));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The decoder's own table contains every instance of each row that works on registers alone.
#[test]
fn every_instance_of_a_row_that_works_on_registers_loads() {
    let rows = patterns().iter();
    let rows = rows.filter(|pattern| pattern.row.decoder == Some(Decoder::Registers));
    let mut wrong = Vec::new();
    for sample in rows.flat_map(|pattern| every_sample(pattern, (1, 0), 20)) {
        let module = Module::load(&sample.module).map_err(|error| error.to_string());
        let refused = module.map(|module| {
            module
                .kernel("sample")
                .is_none_or(|it| it.refused.is_some())
        });
        if refused != Ok(false) {
            wrong.push(format!("{}: {refused:?}", sample.instruction));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The instruction table names every instruction. If no row has a spelling of the decoder, that
/// spelling can never be used.
#[test]
fn every_spelling_of_the_decoder_is_an_instance_of_a_row() {
    // What looks instructions up by their spelling: whole ones, the comparison of one, the
    // property, half of four conversions.
    let by = [
        Decoder::Registers,
        Decoder::CompareToPredicate,
        Decoder::TestNumber,
        Decoder::ConvertFour,
    ];
    let is_instance = |spelling: &str| {
        let mut words = spelling.split('.');
        let opcode = words.next().and_then(Opcode::of);
        let modifiers: Option<Vec<Modifier>> = words.map(Modifier::of).collect();
        opcode.zip(modifiers).is_some_and(|(opcode, modifiers)| {
            let mut rows = pattern::of(opcode).iter();
            rows.any(|pattern| {
                pattern.row.decoder.is_some_and(|it| by.contains(&it)) && pattern.takes(&modifiers)
            })
        })
    };
    let without: HashSet<&str> = spellings()
        .filter(|spelling| !is_instance(spelling.split('(').next().unwrap_or(spelling)))
        .collect();
    assert!(without.is_empty(), "{without:?}");
}
