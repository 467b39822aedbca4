//! Texture and surface objects, references, and errors in their use.

use lanewise_sim::image::{Format, Image, Object, Sampler, Shape, Texture};

use crate::common::Rig;
use crate::images::surfaces::surface;
use crate::images::{TEX_2D, at, image, kernel, texture};

#[test]
fn wrong_objects_and_places_are_reported() {
    let rig = Rig::new(&kernel(TEX_2D));
    let (plane, written) = surface(&rig);
    let object = texture(&rig, plane, Sampler::default());
    let (from, out) = (rig.buffer(&[0u32; 4]), rig.buffer(&[0u32; 4]));
    let fault = |rig: &Rig, object| rig.fault("k", 1, 1, &[object, out, from]);
    assert!(fault(&rig, 0).starts_with("0x0 is no texture object\n"));
    assert!(fault(&rig, written).contains("is a surface, where a texture is read"));
    let line = image(&rig, Shape::D1, [4, 1, 1], (Format::U32, 1), &[0u32; 4]);
    let narrow = texture(&rig, line, Sampler::default());
    assert!(fault(&rig, narrow).starts_with("a `.2d` fetch of a texture that is 1-D\n"));
    rig.ok("k", 1, 1, &[object, out, from]);
    rig.device.memory().free(plane.address).expect("it is ours");
    let report = fault(&rig, object);
    assert!(
        report.starts_with("a texture or surface over memory that is not live\n"),
        "{report}"
    );
    assert!(report.contains("`tex.2d.v4.f32.f32`"), "{report}");

    let rig = Rig::new(&kernel("sust.b.2d.b32.trap [%rd0, {%c0, %c1}], 1;"));
    let (_, object) = surface(&rig);
    let place = |x: i32, y: i32| {
        let (from, out) = (
            rig.buffer(&[x as u32, y as u32, 0, 0]),
            rig.buffer(&[0u32; 4]),
        );
        rig.fault("k", 1, 1, &[object, out, from])
    };
    for (x, y) in [(20, 0), (-4, 0), (0, 4), (0, -1)] {
        let report = place(x, y);
        assert!(
            report.starts_with("a surface access of 4 bytes outside of the surface\n"),
            "{report}"
        );
        assert!(
            report.contains(&format!("coordinates are ({x}, {y})")),
            "{report}"
        );
    }
    assert!(place(6, 0).starts_with("a surface access of 4 bytes at byte 6 of a row\n"));
}

#[test]
fn arrays_are_out_of_reach_of_pointers() {
    let rig = Rig::new(&kernel("ld.global.u32 %r0, [%rd0];"));
    let (plane, _) = surface(&rig);
    let (from, out) = (rig.buffer(&[0u32; 4]), rig.buffer(&[0u32; 4]));
    let report = rig.fault("k", 1, 1, &[plane.address, out, from]);
    assert!(report.contains("of an array"), "{report}");
}

#[test]
fn references_are_bound_by_the_host() {
    let body = kernel(
        "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [lookup, {%c0}]; sust.b.1d.b32.trap [sink, {%c1}], 5;
         mov.u64 %l0, lookup; istypep.texref %p, %l0; selp.u32 %r1, 1, 0, %p; istypep.surfref %p, %l0; selp.u32 %r2, 1, 0, %p;",
    );
    let rig = Rig::new(&format!(
        ".global .texref lookup;\n.global .surfref sink;\n{body}"
    ));
    let (lookup, sink) = (
        rig.instance
            .texture_reference("lookup")
            .expect("a reference"),
        rig.instance.surface_reference("sink").expect("a reference"),
    );
    assert_eq!(rig.instance.texture_reference("sink"), None);
    assert!(rig.instance.global("lookup").is_none());
    let (from, out) = (rig.buffer(&[2u32, 4, 0, 0]), rig.buffer(&[0u32; 4]));
    let report = rig.fault("k", 1, 1, &[0, out, from]);
    assert!(
        report.starts_with("a texture reference that nothing is bound to\n"),
        "{report}"
    );
    let line = image(
        &rig,
        Shape::D1,
        [4, 1, 1],
        (Format::U32, 1),
        &[1u32, 2, 3, 4],
    );
    let images = rig.device.images();
    // Integers read plain memory.
    let memory = Image {
        shape: Shape::Linear,
        ..line
    };
    let (levels, sampler) = (vec![memory], Sampler::default());
    assert!(images.set(lookup, Object::Texture(Texture { levels, sampler })));
    assert!(images.set(sink, Object::Surface(line)));
    assert_eq!(at(&rig, 0, &[[2, 4]])[0], [3, 1, 0, 0]);
    assert_eq!(rig.read::<u32>(line.address, 4), [1, 5, 3, 4]);
    let device = rig.device;
    drop(rig.instance);
    assert_eq!(device.images().live(), 0);
}

#[test]
fn every_row_but_those_of_many_samples_is_modelled() {
    use lanewise_sim::isa::Section;
    for found in sim_figures::coverage::coverage() {
        if !matches!(found.row.section, Section::Texture | Section::Surface)
            || found.row.modifiers.contains("2dms")
        {
            continue;
        }
        assert_eq!(
            found.modelled, found.samples,
            "{:?}: {:?}",
            found.row, found.missing
        );
    }
}

#[test]
fn samplers_of_their_own_are_refused_by_name() {
    let text = format!("{}.global .samplerref s;\n", crate::common::HEAD);
    let error = lanewise_sim::Module::load(&text)
        .expect_err("no such sampler")
        .to_string();
    assert!(error.contains("a sampler of its own"), "{error}");
}
