//! Tests of the table: every row can be parsed, and every sample of a row is parsed
//! and found again.

use super::pattern::patterns;
use super::sample::samples;
use super::*;

#[test]
fn every_sample_of_every_row_parses_and_checks() {
    for pattern in patterns() {
        for sample in samples(pattern, (1, 0), 10) {
            let checked = match crate::parse(&sample.module) {
                Ok(mut module) => {
                    match check(&mut module).map(|refusals| refusals.into_iter().next()) {
                        Err(error) => Err(error.to_string()),
                        Ok(Some(refusal)) => Err(refusal.error.to_string()),
                        Ok(None) => Ok(()),
                    }
                }
                Err(error) => Err(error.to_string()),
            };
            match (pattern.row.refused, checked) {
                (None, Ok(())) => {}
                (Some(why), Err(error)) if error.contains(why) => {}
                (_, checked) => panic!("{:?}\n{}\n{checked:?}", pattern.row, sample.module),
            }
        }
    }
}

#[test]
fn a_row_is_decoded_or_refused_by_name() {
    for row in table() {
        assert_eq!(row.decoder.is_none(), row.refused.is_some(), "{row:?}");
    }
}

/// The analyses that follow values through registers depend on this property.
#[test]
fn what_computes_registers_writes_its_first_operand() {
    for pattern in patterns() {
        if pattern.row.decoder.is_some_and(Decoder::is_arithmetic) {
            assert!(pattern.writes_first(), "{:?}", pattern.row);
        }
    }
}

/// Modifiers that require a newer target or version than their row.
#[test]
fn some_modifiers_need_newer_gpus_wherever_they_stand() {
    let refused = |version: &str, target: &str, instruction: &str| {
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.entry k() {{ .reg .b32 %r<4>; .reg .b64 %d<4>; {instruction} ret; }}"
        );
        let mut module = crate::parse(&text).expect("it parses");
        check(&mut module).err().map(|error| error.to_string())
    };
    let wide = "ld.global.v4.b64 {%d0, %d1, %d2, %d3}, [%d0];";
    let why = refused("8.8", "sm_90", wide).expect("256 bits");
    assert!(why.contains("needs `.target sm_100`"), "{why}");
    assert_eq!(refused("8.8", "sm_100", wide), None);
    assert_eq!(
        refused("8.8", "sm_90", "ld.global.v2.b64 {%d0, %d1}, [%d0];"),
        None
    );
    assert!(refused("6.4", "sm_62", "ld.weak.global.b32 %r0, [%d0];").is_some());
    let atom = "atom.global.gpu.add.u32 %r0, [%d0], %r1;";
    assert!(refused("6.0", "sm_52", atom).is_some());
    assert_eq!(refused("5.0", "sm_60", atom), None);
    assert!(refused("6.4", "sm_62", "atom.relaxed.gpu.add.u32 %r0, [%d0], %r1;").is_some());
    assert!(refused("4.2", "sm_50", "add.cc.u64 %d0, %d0, %d0;").is_some());
    assert_eq!(refused("4.2", "sm_50", "add.cc.u32 %r0, %r0, %r0;"), None);
}

/// A requirement without effect is redundant: the rows have it already, or no row has its word.
#[test]
fn every_need_of_a_modifier_adds_to_that_of_a_row() {
    for &(word, version, sm) in MODIFIER_NEEDS {
        let adds = patterns().iter().any(|pattern| {
            let row = pattern.row;
            let is_more = row.since < version || row.target.sm < sm;
            is_more
                && samples(pattern, (1, 0), 10)
                    .iter()
                    .any(|sample| sample.words.contains(&word))
        });
        assert!(adds, ".{word}");
    }
}
