//! What cannot run is refused when it is used, with kernel and line. The rest of its module runs.

use crate::common::Rig;
use lanewise_sim::{Checks, Device, DeviceModel, Fault, Launch, LaunchError, LoadError, Module};

/// A kernel that calls a function with `instruction` in it, a kernel that reaches this function
/// through two calls, and a kernel that does not reach it.
fn module(version: &str, target: &str, instruction: &str) -> String {
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
         .func inner() {{ .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<2>;\n{instruction}\nret; }}\n\
         .func outer() {{ call inner; ret; }}\n\
         .visible .entry bad() {{ call outer; ret; }}\n\
         .visible .entry good(.param .u64 out) {{ .reg .b64 %d<2>; ld.param.u64 %d1, [out]; st.global.u32 [%d1], 7; ret; }}\n"
    )
}

#[test]
fn a_kernel_that_names_what_cannot_run_is_refused_and_its_neighbour_runs() {
    let text = module("8.8", "sm_100a", "tcgen05.wait::ld.sync.aligned;");
    let loaded = Module::load(&text).expect("the module loads");
    let refused = loaded
        .kernel("bad")
        .and_then(|kernel| kernel.refused.clone());
    let Some(LoadError::Unsupported { line, text, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!((line, &text[..7]), (5, "tcgen05"));
    assert_eq!(
        loaded
            .kernel("good")
            .and_then(|kernel| kernel.refused.clone()),
        None
    );

    let device = Device::new(DeviceModel::b200()).expect("the host gives address space");
    let instance = device
        .instantiate(&loaded)
        .expect("a module of a newer GPU");
    let out = device
        .memory()
        .allocate(4, 4, lanewise_sim::AllocationKind::Device, None)
        .expect("memory");
    let params = out.to_le_bytes();
    let launch = |kernel| device.launch(&instance, &Launch::new(kernel, [1; 3], [1; 3], &params));
    launch("good").expect("a kernel beside it");
    // SAFETY: four bytes of the allocation above, which nothing writes any more.
    assert_eq!(unsafe { *(out as *const u32) }, 7);
    let Err(Fault::Launch(LaunchError::Refused { kernel, source })) = launch("bad") else {
        panic!("a kernel that cannot run");
    };
    assert_eq!(kernel, "bad");
    assert!(source.to_string().contains("line 5"), "{source}");
}

/// A kernel has a pointer to a function that cannot run. Only a call of it is an error.
#[test]
fn a_pointer_to_what_cannot_run_faults_when_it_is_called() {
    let text = module("8.8", "sm_100a", "tcgen05.wait::ld.sync.aligned;")
        + ".global .u64 table[1] = {inner};\n\
           .visible .entry through(.param .u64 call) { .reg .b64 %d<2>; .reg .pred %p<1>; ld.param.u64 %d1, [call];\n\
           setp.eq.u64 %p0, %d1, 0; @%p0 ret; ld.global.u64 %d1, [table]; proto: .callprototype _ (); call %d1, proto; ret; }\n";
    let device = Device::new(DeviceModel::b200()).expect("the host gives address space");
    let loaded = Module::load(&text).expect("the module loads");
    let instance = device.instantiate(&loaded).expect("it fits");
    let launch = |call: u64| {
        device.launch(
            &instance,
            &Launch::new("through", [1; 3], [1; 3], &call.to_le_bytes()),
        )
    };
    launch(0).expect("the pointer is not called");
    let fault = launch(1).expect_err("it is called").to_string();
    assert!(
        fault.contains("a call of `inner`, which cannot run"),
        "{fault}"
    );
}

#[test]
fn a_version_that_nobody_knows_yet_loads_and_fails_on_what_is_unknown() {
    for unknown in [
        "frobnicate.b7 {%r1, [2]};",
        "add.u1024 %r1, %r1, %r1;",
        "add.u32 %r1, %r1, %r1, %r1, %r1;",
        "mov.u32 %r1, %newreg;",
    ] {
        let known = Module::load(&module("9.5", "sm_90", unknown));
        assert!(
            known.is_err(),
            "{unknown}: known versions have no such instruction"
        );
        let loaded = Module::load(&module("10.3", "sm_90", unknown)).expect(unknown);
        assert_eq!(loaded.newer_than_known(), Some((10, 3)));
        let refused = |name| loaded.kernel(name).expect("both are there").refused.clone();
        assert!(
            refused("bad").is_some_and(|error| error.to_string().contains("line 5")),
            "{unknown}"
        );
        assert_eq!(refused("good"), None, "{unknown}");
    }
    let known = Module::load(&module("9.5", "sm_90", "ret;")).expect("the newest known");
    assert_eq!(known.newer_than_known(), None);
}

#[test]
fn targets_up_to_the_newest_run_on_their_models() {
    for (target, model) in [
        ("sm_103a", "gb300"),
        ("sm_100f", "gb300"),
        ("sm_120a", "rtx5090"),
        ("sm_120f", "gb10"),
        ("sm_121", "gb10"),
        ("sm_110a", "thor"),
        ("sm_90", "rtx5090"),
    ] {
        let device = Device::new(DeviceModel::named(model).expect(model)).expect("address space");
        let loaded = Module::load(&module("9.5", target, "ret;")).expect(target);
        device
            .instantiate(&loaded)
            .unwrap_or_else(|error| panic!("{target} on {model}: {error}"));
    }
    // Code for one GPU alone, or for another family.
    for (target, model) in [
        ("sm_90a", "b200"),
        ("sm_100a", "gb300"),
        ("sm_120f", "gb300"),
        ("sm_121", "rtx5090"),
    ] {
        let device = Device::new(DeviceModel::named(model).expect(model)).expect("address space");
        let loaded = Module::load(&module("9.5", target, "ret;")).expect(target);
        assert!(device.instantiate(&loaded).is_err(), "{target} on {model}");
    }
}

/// Launches a module's last kernel after a function before it was refused while it was decoded, at
/// its last instruction. Nothing of the refused function may reach the kernel.
fn runs_beside_a_refused_one(text: &str, kernel: &str, expected: Option<u32>) {
    let rig = Rig::on(DeviceModel::h200(), text);
    let refused = rig.instance.module().kernels().next().expect("a kernel");
    assert!(
        refused.refused.is_some(),
        "{} is not modelled",
        refused.name
    );
    let out = rig.buffer(&[0u32; 32]);
    let params = out.to_le_bytes();
    let all: Checks = "all".parse().expect("all checks");
    // Blocks write the same words, which the race check would report.
    for (checks, blocks) in [(Checks::default(), 100), (all, 1)] {
        let mut launch = Launch::new(kernel, [blocks, 1, 1], [32, 1, 1], &params);
        launch.checks = checks;
        rig.device
            .launch(&rig.instance, &launch)
            .unwrap_or_else(|fault| panic!("{fault}"));
        if let Some(expected) = expected {
            assert_eq!(rig.read::<u32>(out, 32), [expected; 32]);
        }
    }
}

/// The exchanges of a refused function were kept. Lanes of the other kernel met at them, and
/// exchanged registers of the refused function's frame.
#[test]
fn a_refused_function_does_not_change_the_results_of_others() {
    runs_beside_a_refused_one(
        include_str!("../ptx/refused/wrong_result.ptx"),
        "b",
        Some(20),
    );
}

/// As above, with registers outside of the running frame.
#[test]
fn a_refused_function_does_not_reach_outside_of_the_frames_of_others() {
    runs_beside_a_refused_one(
        include_str!("../ptx/refused/heap_corruption.ptx"),
        "b",
        Some(20),
    );
}

/// As above, with exchanges in an order in which a search does not find the right one.
#[test]
fn a_refused_function_does_not_keep_the_lanes_of_others_apart() {
    runs_beside_a_refused_one(
        include_str!("../ptx/refused/false_deadlock.ptx"),
        "b",
        Some(5),
    );
}

/// The shared arrays of a refused function were kept, for operations that do not exist.
#[test]
fn a_refused_function_leaves_no_arrays_to_the_checks() {
    runs_beside_a_refused_one(include_str!("../ptx/refused/panic.ptx"), "k", None);
}
