//! Kernels of several crates in one program: a user's own beside the catalog's, under
//! the same names.

use gpu::basics::vector_add;
use lanewise::{DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::Kernel;
use tests::device;
use tests::isolate::isolated_with;

/// The sums that the catalog's `vec_add` and the other crate's make of the same vectors.
fn sums() -> [Vec<f32>; 2] {
    let device = device();
    let stream = device.stream().expect("a stream");
    let buffer = |values: &[f32]| DeviceBuffer::from_slice(&device, values).expect("a buffer");
    let (a, b) = (buffer(&[1.0, 2.0, 3.0]), buffer(&[10.0, 20.0, 30.0]));
    let (mut catalog, mut own) = (buffer(&[0.0; 3]), buffer(&[0.0; 3]));
    let config = LaunchConfig::for_num_elems(3);
    stream
        .launch(vector_add::vec_add, config, (&a, &b, &mut catalog))
        .expect("a launch");
    stream
        .launch(kernels::vec_add, config, (&a, &b, &mut own))
        .expect("a launch");
    [catalog, own].map(|sum| sum.to_vec().expect("no fault"))
}

#[test]
fn kernels_of_two_crates_may_have_one_name() {
    assert_eq!(vector_add::vec_add::NAME, kernels::vec_add::NAME);
    assert_eq!(sums(), [[11.0, 22.0, 33.0]; 2]);
}

/// What the environment's folder has is taken from there, of that crate only, and only if it is of
/// the same source.
#[test]
fn a_folder_of_ptx_replaces_the_crate_that_it_is_of() {
    let test = "a_folder_of_ptx_replaces_the_crate_that_it_is_of";
    let folder = std::env::temp_dir().join(format!("lanewise-ptx-{}", std::process::id()));
    let text = device().ptx::<kernels::Ptx>().expect("there is one");
    let target = folder.join(text.arch);
    std::fs::create_dir_all(&target).expect("a folder can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(target.join(name), text).expect("a file can be written");
    };
    let answer = || {
        let environment = [("LANEWISE_PTX", folder.to_str().expect("a plain name"))];
        let body = || match std::panic::catch_unwind(sums) {
            Ok(sums) => format!("{sums:?}"),
            Err(reason) => reason
                .downcast_ref::<String>()
                .cloned()
                .unwrap_or_else(|| "no text".to_owned()),
        };
        isolated_with(&environment, test, body).text
    };
    write("kernels.ptx", &text.plain.replace("add.f32", "sub.f32"));
    write("kernels.launching.ptx", text.launching);
    write("kernels.json", text.manifest);
    let replaced = answer();
    write("kernels.json", &text.manifest.replace("&[f32]", "&[f64]"));
    let refused = answer();
    write("kernels.json", text.manifest);
    let one_more = "kernels_vec_add_more, .param .u64 ";
    let first = ".visible .entry vec_add(\n\t.param .u64 ";
    assert!(text.plain.contains(first), "{}", text.plain);
    let longer = text.plain.replace(first, &format!("{first}{one_more}"));
    write("kernels.ptx", &longer);
    let does_not_fit = answer();
    std::fs::remove_dir_all(&folder).expect("it was made above");

    let said =
        "the kernel `vec_add` has other parameters than this program passes: expected 6 of 8, ";
    assert!(does_not_fit.contains(said), "{does_not_fit}");
    assert_eq!(replaced, "[[11.0, 22.0, 33.0], [-9.0, -18.0, -27.0]]");
    let said = "was made from another source of `kernels` than this program: `";
    assert!(refused.contains(said), "{refused}");
    assert!(refused.contains("` is declared differently"), "{refused}");
}
