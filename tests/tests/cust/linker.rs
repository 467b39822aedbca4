//! `cust::link`: several texts to one image.
//!
//! The texts end in a zero byte, which the driver API wants of PTX and cust 0.3.2 does not add; and
//! CUDA 13's linker knows no target below sm_75.

use cust::launch;
use cust::link::Linker;
use cust::memory::{CopyDestination, DeviceBox};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};

const CALLER: &str = "
.version 7.8
.target sm_80
.address_size 64
.extern .func (.param .b32 twice_out) twice (.param .b32 twice_in);
.visible .entry apply(.param .u64 x)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd;
    ld.param.u64 %rd, [x];
    ld.global.u32 %r0, [%rd];
    {
        .param .b32 in;
        .param .b32 out;
        st.param.b32 [in], %r0;
        call.uni (out), twice, (in);
        ld.param.b32 %r1, [out];
    }
    st.global.u32 [%rd], %r1;
    ret;
}
\0";

const CALLEE: &str = "
.version 7.8
.target sm_80
.address_size 64
.visible .func (.param .b32 twice_out) twice (.param .b32 twice_in)
{
    .reg .b32 %r<2>;
    ld.param.b32 %r0, [twice_in];
    add.u32 %r1, %r0, %r0;
    st.param.b32 [twice_out], %r1;
    ret;
}
\0";

#[test]
fn two_texts_link_to_one_module() {
    let _context = super::context();
    let mut linker = Linker::new().expect("a linker");
    linker.add_ptx(CALLER).expect("PTX");
    linker.add_ptx(CALLEE).expect("PTX");
    let image = linker.complete().expect("both halves");
    let module = Module::from_cubin(&image, &[]).expect("an image");
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
    let value = DeviceBox::new(&21u32).expect("memory");
    // SAFETY: the kernel takes one pointer to a u32.
    unsafe { launch!(module.apply<<<1, 1, 0, stream>>>(value.as_device_ptr())) }.expect("a launch");
    stream.synchronize().expect("no fault");
    let mut answer = 0;
    value.copy_to(&mut answer).expect("a copy");
    assert_eq!(answer, 42);
}

#[test]
fn half_a_program_does_not_link() {
    let _context = super::context();
    let mut linker = Linker::new().expect("a linker");
    linker
        .add_ptx(CALLER)
        .expect("PTX that is right as far as it goes");
    linker
        .complete()
        .map(|_| ())
        .expect_err("nobody defines `twice`");
}

#[test]
fn what_is_no_ptx_is_not_linked() {
    let _context = super::context();
    let mut linker = Linker::new().expect("a linker");
    linker.add_ptx("no PTX").expect_err("it does not parse");
}
