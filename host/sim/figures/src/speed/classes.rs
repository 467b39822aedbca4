//! One program for each class of instructions: a loop that consists almost only of that
//! instruction. So a slow class is easy to find.
//!
//! Compare the rate of a class with the rates of similar classes. All classes are one indirect call
//! and a loop over 32 lanes, unless the arithmetic itself is done in software.

use super::{Program, buffer};
use lanewise_sim::{Device, MemoryError};

/// The prefix of the kernels' names.
pub(super) const PREFIX: &str = "class_";

/// The number of copies of the instruction in the loop, and the number of iterations.
const COPIES: usize = 16;
const ROUNDS: usize = 32;
/// The number of blocks, of 256 threads each.
const BLOCKS: u32 = 32;

/// The name of a class is its instruction. `%r1`..`%r3` contain integers, `%x1`.. integers of
/// 64 bits, `%f1`.. floats, `%d1`.. doubles, `%h1`.. halves, `%q1`.. pairs of halves. `%c` is
/// the address of the thread's four bytes of global memory, `%g` of the thread's own place in
/// global memory, `%s` of its place in shared memory, `%one` of a place that all threads share,
/// `%bin` of one of 64 bins in shared memory, and `%far` of a place in global memory 128 bytes
/// from the neighbour's.
const CLASSES: &[&str] = &[
    "add.s32 %r0, %r1, %r2;",
    "mul.lo.s32 %r0, %r1, %r2;",
    "mul.hi.s32 %r0, %r1, %r2;",
    "mul.wide.u32 %x0, %r1, %r2;",
    "mad.lo.s32 %r0, %r1, %r2, %r3;",
    "mad.wide.u32 %x0, %r1, %r2, %x1;",
    "div.s32 %r0, %r1, %r2;",
    "div.u32 %r0, %r1, %r2;",
    "rem.u32 %r0, %r1, %r2;",
    "min.s32 %r0, %r1, %r2;",
    "abs.s32 %r0, %r1;",
    "sad.u32 %r0, %r1, %r2, %r3;",
    "shl.b32 %r0, %r1, %r3;",
    "shr.s32 %r0, %r1, %r3;",
    "shf.l.wrap.b32 %r0, %r1, %r2, %r3;",
    "bfe.u32 %r0, %r1, 3, 7;",
    "bfi.b32 %r0, %r1, %r2, 3, 7;",
    "popc.b32 %r0, %r1;",
    "clz.b32 %r0, %r1;",
    "brev.b32 %r0, %r1;",
    "bfind.u32 %r0, %r1;",
    "prmt.b32 %r0, %r1, %r2, 0x5410;",
    "prmt.b32 %r0, %r1, %r2, %r3;",
    "lop3.b32 %r0, %r1, %r2, %r3, 0x96;",
    "dp4a.u32.u32 %r0, %r1, %r2, %r3;",
    "add.cc.u32 %r0, %r1, %r2;",
    "setp.lt.s32 %p0, %r1, %r2;",
    "selp.b32 %r0, %r1, %r2, %p1;",
    "mov.b64 %x0, {%r1, %r2};",
    "add.u16 %h0, %h1, %h2;",
    "add.s64 %x0, %x1, %x2;",
    "mul.lo.s64 %x0, %x1, %x2;",
    "mul.hi.u64 %x0, %x1, %x2;",
    "div.u64 %x0, %x1, %x2;",
    "rem.s64 %x0, %x1, %x2;",
    "shl.b64 %x0, %x1, %r3;",
    "popc.b64 %r0, %x1;",
    "setp.lt.u64 %p0, %x1, %x2;",
    "add.f32 %f0, %f1, %f2;",
    "add.ftz.f32 %f0, %f1, %f2;",
    "add.rz.f32 %f0, %f1, %f2;",
    "add.rm.f32 %f0, %f1, %f2;",
    "add.sat.f32 %f0, %f1, %f2;",
    "mul.f32 %f0, %f1, %f2;",
    "fma.rn.f32 %f0, %f1, %f2, %f3;",
    "fma.rn.ftz.f32 %f0, %f1, %f2, %f3;",
    "fma.rz.f32 %f0, %f1, %f2, %f3;",
    "min.f32 %f0, %f1, %f2;",
    "min.NaN.f32 %f0, %f1, %f2;",
    "setp.lt.f32 %p0, %f1, %f2;",
    "div.rn.f32 %f0, %f1, %f2;",
    "div.rz.f32 %f0, %f1, %f2;",
    "div.approx.f32 %f0, %f1, %f2;",
    "div.full.f32 %f0, %f1, %f2;",
    "rcp.rn.f32 %f0, %f1;",
    "rcp.approx.ftz.f32 %f0, %f1;",
    "sqrt.rn.f32 %f0, %f1;",
    "sqrt.approx.f32 %f0, %f1;",
    "rsqrt.approx.f32 %f0, %f1;",
    "sin.approx.f32 %f0, %f1;",
    "cos.approx.ftz.f32 %f0, %f1;",
    "ex2.approx.f32 %f0, %f1;",
    "ex2.approx.ftz.f32 %f0, %f1;",
    "lg2.approx.f32 %f0, %f1;",
    "tanh.approx.f32 %f0, %f1;",
    "add.f64 %d0, %d1, %d2;",
    "add.rz.f64 %d0, %d1, %d2;",
    "mul.f64 %d0, %d1, %d2;",
    "fma.rn.f64 %d0, %d1, %d2, %d3;",
    "min.f64 %d0, %d1, %d2;",
    "div.rn.f64 %d0, %d1, %d2;",
    "sqrt.rn.f64 %d0, %d1;",
    "rcp.rn.f64 %d0, %d1;",
    "rcp.approx.ftz.f64 %d0, %d1;",
    "rsqrt.approx.f64 %d0, %d1;",
    "add.f16 %h0, %h1, %h2;",
    "fma.rn.f16 %h0, %h1, %h2, %h3;",
    "add.f16x2 %q0, %q1, %q2;",
    "mul.f16x2 %q0, %q1, %q2;",
    "fma.rn.f16x2 %q0, %q1, %q2, %q3;",
    "max.f16x2 %q0, %q1, %q2;",
    "setp.lt.f16x2 %p0|%p1, %q1, %q2;",
    "ex2.approx.f16x2 %q0, %q1;",
    "tanh.approx.f16x2 %q0, %q1;",
    "add.bf16x2 %q0, %q1, %q2;",
    "fma.rn.bf16 %h0, %h1, %h2, %h3;",
    "fma.rn.bf16x2 %q0, %q1, %q2, %q3;",
    "cvt.rn.f32.s32 %f0, %r1;",
    "cvt.rzi.s32.f32 %r0, %f1;",
    "cvt.rni.s32.f32 %r0, %f1;",
    "cvt.rmi.f32.f32 %f0, %f1;",
    "cvt.f64.f32 %d0, %f1;",
    "cvt.rn.f32.f64 %f0, %d1;",
    "cvt.rn.f64.s32 %d0, %r1;",
    "cvt.rzi.s32.f64 %r0, %d1;",
    "cvt.rn.f32.u64 %f0, %x1;",
    "cvt.rzi.u64.f64 %x0, %d1;",
    "cvt.rn.f16.f32 %h0, %f1;",
    "cvt.f32.f16 %f0, %h1;",
    "cvt.rn.f16x2.f32 %q0, %f1, %f2;",
    "cvt.rn.bf16x2.f32 %q0, %f1, %f2;",
    "cvt.u64.u32 %x0, %r1;",
    "cvt.s32.s8 %r0, %r1;",
    "ld.global.b32 %r0, [%c];",
    "st.global.b32 [%c], %r1;",
    "atom.global.add.u32 %r0, [%c], %r1;",
    "ld.global.b32 %r0, [%g];",
    "ld.global.v2.b32 {%r0, %r4}, [%g];",
    "ld.global.v4.b32 {%r0, %r4, %r5, %r6}, [%g];",
    "ld.global.b64 %x0, [%g];",
    "ld.global.b32 %r0, [%far];",
    "ld.global.b32 %r0, [%one];",
    "ld.global.u8 %r0, [%g];",
    "ld.b32 %r0, [%g];",
    "st.global.b32 [%g], %r1;",
    "st.global.v4.b32 [%g], {%r1, %r2, %r3, %r1};",
    "st.global.b32 [%far], %r1;",
    "ld.shared.b32 %r0, [%s];",
    "ld.shared.v2.b32 {%r0, %r4}, [%s];",
    "ld.shared.v4.b32 {%r0, %r4, %r5, %r6}, [%s];",
    "ld.shared.b32 %r0, [%bin];",
    "st.shared.b32 [%s], %r1;",
    "st.shared.v4.b32 [%s], {%r1, %r2, %r3, %r1};",
    "st.shared.b32 [%bin], %r1;",
    "ld.local.b32 %r0, [stack];",
    "st.local.b32 [stack], %r1;",
    "ld.local.v4.b32 {%r0, %r4, %r5, %r6}, [stack];",
    "ld.const.b32 %r0, [constant];",
    "ld.param.u64 %x0, [out];",
    "atom.global.add.u32 %r0, [%g], %r1;",
    "atom.global.add.u32 %r0, [%one], %r1;",
    "red.global.add.u32 [%one], %r1;",
    "red.global.add.f32 [%g], %f1;",
    "atom.global.cas.b32 %r0, [%g], %r1, %r2;",
    "atom.shared.add.u32 %r0, [%bin], %r1;",
    "atom.shared.add.f32 %f0, [%s], %f1;",
    "red.shared.add.u32 [%bin], %r1;",
    "shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;",
    "shfl.sync.idx.b32 %r0, %r1, %r3, 31, -1;",
    "shfl.sync.down.b32 %r0|%p0, %r1, 1, 31, -1;",
    "vote.sync.ballot.b32 %r0, %p1, -1;",
    "match.any.sync.b32 %r0, %r1, -1;",
    "redux.sync.add.s32 %r0, %r1, -1;",
    "activemask.b32 %r0;",
    "bar.warp.sync -1;",
    "bar.sync 0;",
    "membar.gl;",
    "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), twice, (p); ld.param.b32 %r0, [q]; }",
];

/// Returns the PTX of a module with all classes.
pub(super) fn module() -> String {
    let mut text = String::from(
        ".version 8.7\n.target sm_90\n.address_size 64\n.const .b32 constant = 7;\n\
         .func (.param .b32 b) twice(.param .b32 a)\n\
         {\n\t.reg .b32 %r<2>;\n\tld.param.b32 %r1, [a];\n\tadd.u32 %r1, %r1, %r1;\n\tst.param.b32 [b], %r1;\n\tret;\n}\n",
    );
    for (i, instruction) in CLASSES.iter().enumerate() {
        let body = format!("\t{instruction}\n").repeat(COPIES);
        text += &format!(
            "
.visible .entry {PREFIX}{i}(.param .u64 out)
{{
	.reg .pred %p<3>; .reg .b16 %h<4>; .reg .b32 %r<8>, %q<4>, %me, %i; .reg .b64 %x<4>, %c, %g, %far, %one, %s, %bin, %t<3>;
	.reg .f32 %f<4>; .reg .f64 %d<4>;
	.shared .align 16 .b8 tile[4096];
	.local .align 16 .b8 stack[16];
	mov.u32 %me, %tid.x;
	ld.param.u64 %one, [out];
	mul.wide.u32 %t0, %me, 16;
	add.u64 %g, %one, %t0;
	mul.wide.u32 %t1, %me, 4;
	add.u64 %c, %one, %t1;
	mul.wide.u32 %t1, %me, 128;
	add.u64 %far, %one, %t1;
	mov.u64 %s, tile;
	and.b32 %r0, %me, 21;
	mul.wide.u32 %t2, %r0, 4;
	add.u64 %bin, %s, %t2;
	add.u64 %s, %s, %t0;
	mad.lo.u32 %r1, %me, 134775813, 12345;
	add.u32 %r2, %me, 777;
	and.b32 %r3, %me, 15;
	mov.b64 %x1, {{%r1, %r1}};
	mov.b64 %x2, {{%r2, %r3}};
	cvt.rn.f32.u32 %f1, %r2;
	mul.f32 %f1, %f1, 0f3A800000;
	add.f32 %f2, %f1, 0f3F800000;
	add.f32 %f3, %f2, 0f3F000000;
	cvt.f64.f32 %d1, %f1;
	cvt.f64.f32 %d2, %f2;
	cvt.f64.f32 %d3, %f3;
	mov.b32 %q1, 0x3c003800;
	mov.b32 %q2, 0x3c013c01;
	mov.b32 %q3, 0x34003500;
	mov.b32 {{%h1, %h2}}, %q1;
	mov.b16 %h3, 0x3c01;
	setp.lt.u32 %p1, %r3, 7;
	mov.u32 %i, 0;
AGAIN:
{body}	add.u32 %i, %i, 1;
	setp.lt.u32 %p2, %i, {ROUNDS};
	@%p2 bra AGAIN;
	ret;
}}
"
        );
    }
    text
}

/// Returns a program for each class.
pub(super) fn programs(device: &Device) -> Result<Vec<Program>, MemoryError> {
    let out = buffer(device, 1 << 13)?;
    let program = |(i, name): (usize, &&'static str)| Program {
        name,
        kernel: format!("{PREFIX}{i}"),
        grid: [BLOCKS, 1, 1],
        block: [256, 1, 1],
        params: out.to_le_bytes().to_vec(),
    };
    Ok(CLASSES.iter().enumerate().map(program).collect())
}
