//! Messages between blocks that run on several cores of the host. These programs have no data race.
//! Neither has the simulator, which ThreadSanitizer shows (compiling takes some minutes):
//!
//! ```sh
//! RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
//!     CARGO_TARGET_DIR=target/thread-sanitizer cargo test -Zbuild-std \
//!     --target x86_64-unknown-linux-gnu -p sim-tests --test simulator -- strong message
//! ```

use crate::common::Rig;

/// Block 0 writes a number and sets a flag; the others wait for the flag and copy the number.
/// `write` sets the flag at `%flag` from `%one`, and `read` gets it in `%seen`.
fn pass(declarations: &str, write: &str, read: &str, test: &str) {
    let rig = Rig::new(&format!(
        ".visible .entry k(.param .u64 out) {{
            .reg .b64 %out, %flag, %to; .reg .b32 %b, %d; .reg .pred %first, %p; {declarations}
            ld.param.u64 %out, [out]; add.u64 %flag, %out, 64; mov.u32 %b, %ctaid.x;
            setp.eq.u32 %first, %b, 0; @!%first bra WAIT;
            st.global.u32 [%out], 42; {write} ret;
        WAIT: {read} {test} @%p bra WAIT;
            ld.global.u32 %d, [%out]; mad.wide.u32 %to, %b, 4, %out; st.global.u32 [%to], %d; ret; }}"
    ));
    for _ in 0..20 {
        let out = rig.buffer(&[0u32; 32]);
        rig.ok("k", 4, 1, &[out]);
        assert_eq!(rig.read::<u32>(out, 4), [42; 4], "{write} {read}");
    }
}

/// Flags of each width, in named and in generic memory.
#[test]
fn a_flag_of_each_width_passes_a_message() {
    for (bits, register, compared) in [(8, 16, 16), (16, 16, 16), (32, 32, 32), (64, 64, 64)] {
        for space in ["", ".global"] {
            pass(
                &format!(".reg .b{register} %seen, %one;"),
                &format!("mov.b{register} %one, 1; st.release.gpu{space}.u{bits} [%flag], %one;"),
                &format!("ld.acquire.gpu{space}.u{bits} %seen, [%flag];"),
                &format!("setp.eq.u{compared} %p, %seen, 0;"),
            );
        }
    }
}

#[test]
fn each_strength_passes_a_message() {
    let register = ".reg .b32 %seen;";
    let test = "setp.eq.u32 %p, %seen, 0;";
    let fence = "fence.acq_rel.gpu;";
    for (write, read) in [
        ("st.relaxed.gpu.u32", "ld.relaxed.gpu.u32"),
        ("st.volatile.u32", "ld.volatile.u32"),
        ("st.volatile.global.u32", "ld.volatile.global.u32"),
        (
            "red.relaxed.gpu.global.add.u32",
            "ld.relaxed.sys.global.u32",
        ),
    ] {
        pass(
            register,
            &format!("{fence} {write} [%flag], 1;"),
            &format!("{read} %seen, [%flag]; {fence}"),
            test,
        );
    }
}

#[test]
fn vectors_and_wide_values_pass_a_message() {
    pass(
        ".reg .b32 %seen, %other;",
        "fence.acq_rel.gpu; st.relaxed.gpu.global.v2.b32 [%flag], {0, 1};",
        "ld.relaxed.gpu.global.v2.b32 {%other, %seen}, [%flag]; fence.acq_rel.gpu;",
        "setp.eq.u32 %p, %seen, 0;",
    );
    pass(
        ".reg .b128 %wide; .reg .b64 %seen, %other;",
        "mov.b64 %other, 7; mov.b64 %seen, 1; mov.b128 %wide, {%other, %seen}; st.release.gpu.global.b128 [%flag], %wide;",
        "ld.acquire.gpu.global.b128 %wide, [%flag]; mov.b128 {%other, %seen}, %wide;",
        "setp.eq.u64 %p, %seen, 0;",
    );
}
