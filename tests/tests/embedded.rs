//! One program, several targets: which of the embedded texts a device gets.

use gpu::basics::vector_add::vec_add;
use lanewise::{DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::Module;
use tests::device;
use tests::isolate::isolated_with;

/// Adds two vectors. Returns the target of the text that ran, such as 90, or the error.
fn add() -> String {
    let device = device();
    let module = match device.module::<gpu::Ptx>() {
        Ok(module) => module,
        Err(error) => return error.to_string(),
    };
    let stream = device.stream().expect("a stream");
    let buffer = |values: &[f32]| DeviceBuffer::from_slice(&device, values).expect("a buffer");
    let (a, b, mut c) = (
        buffer(&[1.0; 100]),
        buffer(&[0.5; 100]),
        buffer(&[0.0; 100]),
    );
    let arguments = (&a, &b, &mut c);
    let launched = stream.launch(vec_add, LaunchConfig::for_num_elems(100), arguments);
    launched.expect("a launch");
    assert_eq!(c.to_vec().expect("a copy"), [1.5; 100]);
    let resources = module.resources("vec_add").expect("the module has it");
    resources.ptx_target.to_string()
}

#[test]
fn the_device_runs_the_newest_text_that_is_not_newer_than_itself() {
    let best = device().ptx::<gpu::Ptx>().expect("there is one");
    assert_eq!(format!("sm_{}", add()), best.arch);
}

/// By it the host's half of a kernel is checked against the device's when it is compiled: none
/// may be missing.
#[test]
fn every_kernel_says_what_it_expects_of_the_host() {
    let layouts = gpu::Ptx::LAYOUTS;
    assert!(layouts.is_sorted());
    let module = device().module::<gpu::Ptx>().expect("it loads");
    assert!(!module.kernels().is_empty());
    for kernel in module.kernels() {
        let of_it = layouts.iter().filter(|(symbol, _)| symbol == kernel);
        assert_eq!(of_it.count(), 1, "{kernel}");
    }
}

/// The same of statics: what the host reads from one has to be what it says that it is.
#[test]
fn every_static_says_what_it_holds() {
    let layouts = gpu::Ptx::LAYOUTS;
    for text in gpu::Ptx::TEXTS {
        let manifest: serde_json::Value = serde_json::from_str(text.manifest).expect("JSON");
        let statics = manifest["statics"].as_array().expect("a list");
        assert!(!statics.is_empty());
        for one in statics {
            let of_it = layouts.iter().filter(|(symbol, _)| one["name"] == *symbol);
            let numbers: Vec<String> = of_it.map(|(_, number)| format!("{number:016x}")).collect();
            assert_eq!(one["layout"], *numbers.concat(), "{one} of {}", text.arch);
        }
        // The host reads the variable of panics, and nothing else of the builder's.
        let rest = text.plain.replace("__lanewise_panic", "");
        let has_notes = rest.contains("__lanewise");
        assert!(!has_notes, "notes of the builder's own are in the PTX");
    }
}

#[test]
fn each_model_gets_its_text_and_an_old_one_is_told_why_not() {
    let refused = |device: &str| {
        format!(
            "the PTX of `gpu` is for sm_80, sm_90, and the device is {device}: add its target in the build.rs of `gpu`"
        )
    };
    let models = [
        ("h200", "90".to_owned()),
        ("rtx4090", "80".to_owned()),
        ("b200", "90".to_owned()),
        ("v100", refused("sm_70")),
        ("k40", refused("sm_35")),
    ];
    for (model, wanted) in models {
        let answer = isolated_with(
            &[("LANEWISE_DEVICE", "sim"), ("LANEWISE_MODEL", model)],
            "each_model_gets_its_text_and_an_old_one_is_told_why_not",
            add,
        );
        assert_eq!(answer.text, wanted, "{model}");
    }
}
