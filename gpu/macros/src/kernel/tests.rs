//! Tests of the messages of `#[kernel]` for functions that cannot be kernels.

use proc_macro2::TokenStream;

/// Returns the messages for `#[kernel(options)]` on `item`.
fn errors(options: &str, item: &str) -> Vec<String> {
    let parse = |text: &str| text.parse::<TokenStream>().expect("the case is Rust");
    match super::expand(parse(options), parse(item)) {
        Ok(_) => Vec::new(),
        Err(error) => error.into_iter().map(|error| error.to_string()).collect(),
    }
}

/// Asserts that there is one error, and that it begins with `message`.
#[track_caller]
fn refuses(options: &str, item: &str, message: &str) {
    let errors = errors(options, item);
    assert!(
        matches!(&errors[..], [error] if error.starts_with(message)),
        "#[kernel({options})] {item}\n  wanted: {message}\n  got: {errors:#?}"
    );
}

#[test]
fn parameters_that_threads_cannot_share_are_refused() {
    refuses(
        "",
        "fn k(a: &mut [f32]) {}",
        "every thread would hold this `&mut`",
    );
    refuses("", "fn k(a: &f32) {}", "a kernel borrows slices only");
    refuses("", "fn k(a: &str) {}", "a `&str` cannot be passed");
    refuses(
        "",
        "fn k(a: impl Copy) {}",
        "the host has to know this type",
    );
    refuses("", "fn k(a: fn()) {}", "a kernel takes `&[T]`");
    for nested in [
        "Option<&[f32]>",
        "&[&f32]",
        "[&[f32]; 2]",
        "DisjointSlice<&u32>",
    ] {
        let message = "a kernel borrows slices only, each as a parameter";
        refuses("", &format!("fn k(a: {nested}) {{}}"), message);
    }
    refuses("", "fn k(self) {}", "a kernel is a free function");
    refuses("", "fn k((a, b): (u32, u32)) {}", "name the parameter");
}

#[test]
fn functions_of_the_wrong_kind_are_refused() {
    refuses("", "async fn k() {}", "a kernel cannot be `async`");
    refuses("", "const fn k() {}", "a kernel cannot be `const`");
    refuses("", "extern \"C\" fn k() {}", "leave the ABI out");
    refuses("", "fn k() -> u32 { 1 }", "a kernel returns nothing");
    refuses("", "fn k<'a>(a: &[f32]) {}", "leave lifetimes out");
    // A kernel could keep a `'static` reference after the launch.
    for forever in [
        "&'static [f32]",
        "DisjointSlice<'static, f32>",
        "GlobalMut<'static, u32>",
        "&[Slot<'static>]",
        "TensorMap<'static, f32, 2>",
    ] {
        refuses(
            "",
            &format!("fn k(a: {forever}) {{}}"),
            "leave lifetimes out",
        );
    }
    let many: String = (0..25).map(|i| format!("p{i}: u32, ")).collect();
    let message = "a kernel takes at most 24 parameters";
    refuses("", &format!("fn k({many}) {{}}"), message);
    refuses("", "fn größe() {}", "`größe` is a symbol of the PTX too");
}

#[test]
fn const_parameters_need_their_values() {
    refuses(
        "",
        "fn k<const N: usize>() {}",
        "PTX has no generics: list the values of `N`",
    );
    refuses("instances(1)", "fn k() {}", "`k` has no generic parameter");
    refuses(
        "instances()",
        "fn k<const N: usize>() {}",
        "`instances` lists no value",
    );
    refuses(
        "instances((1, 2))",
        "fn k<const N: usize>() {}",
        "`k` has 1 generic parameters, here stands something for 2",
    );
    refuses(
        "instances(1.5)",
        "fn k<const N: usize>() {}",
        "a value is a whole number",
    );
}

#[test]
fn type_parameters_need_their_types() {
    refuses(
        "",
        "fn k<T>(a: &[T]) {}",
        "PTX has no generics: list the types of `T`",
    );
    refuses("instances(16)", "fn k<T>(a: &[T]) {}", "`T` is a type");
    refuses(
        "instances(f32)",
        "fn k<const N: usize>() {}",
        "a value is a whole number",
    );
    refuses(
        "instances(a::X, b::X)",
        "fn k<T>(a: &[T]) {}",
        "two instances would be called `k_X`",
    );
}

#[test]
fn options_are_checked() {
    refuses("instance(1)", "fn k() {}", "`instance` is not an option");
    refuses("min_arch = \"90\"", "fn k() {}", "`90` is not a target");
    refuses(
        "",
        "#[launch_bounds] fn k() {}",
        "unexpected end of input, expected a number",
    );
    refuses(
        "",
        "#[launch_bounds(1, 2, 3)] fn k() {}",
        "launch bounds are one or two numbers",
    );
    refuses(
        "",
        "#[launch_bounds(1)] #[launch_bounds(2)] fn k() {}",
        "`#[launch_bounds]` stands here twice",
    );
    refuses(
        "",
        "#[max_registers(64, 2)] fn k() {}",
        "there is one number of registers",
    );
    refuses(
        "",
        "#[cluster_launch(2, 1, 1, 1)] fn k() {}",
        "a cluster has 1, 2 or 3 sizes",
    );
    refuses("", "#[cooperative_launch(2)] fn k() {}", "unexpected token");
    refuses(
        "",
        "#[launch_contract(dims = 4)] fn k() {}",
        "a launch has 1, 2 or 3 dimensions",
    );
    refuses(
        "",
        "#[launch_contract(block = (1, 1, 1, 1))] fn k() {}",
        "a block has 1, 2 or 3 sizes",
    );
    refuses(
        "",
        "#[launch_contract(block = ())] fn k() {}",
        "a block has 1, 2 or 3 sizes",
    );
    refuses(
        "",
        "#[launch_contract(warps)] fn k() {}",
        "`warps` is not a clause",
    );
}

#[test]
fn a_function_with_two_faults_is_told_both() {
    assert_eq!(errors("", "async fn k(a: &mut [f32]) {}").len(), 2);
}

#[test]
fn an_attribute_above_moves_below() {
    let parse = |text: &str| text.parse::<TokenStream>().expect("the case is Rust");
    let moved = super::companion::expand(
        "launch_bounds",
        parse("256, 2"),
        parse("#[kernel] fn k() {}"),
    );
    let moved = moved.expect("it goes with #[kernel]").to_string();
    assert_eq!(
        moved,
        parse("#[kernel] #[launch_bounds(256, 2)] fn k() {}").to_string()
    );
    assert!(super::companion::expand("launch_bounds", parse("256"), parse("fn k() {}")).is_err());
}

#[test]
fn clauses_about_lengths_name_parameters() {
    let refused = |clause: &str, message| {
        let item = format!("#[launch_contract({clause})] fn k(a: &[f32], b: &[f32], n: u32) {{}}");
        refuses("", &item, message);
    };
    refused("len(c) == 4", "the kernel has no parameter `c`");
    refused("len(a) == len(c)", "the kernel has no parameter `c`");
    refused("len(a) < n", "expected `==` or `>=`");
    refused("len(a) == n + 1", "expected `,`");
    for other in ["max(n)", "4.0", "(n)", "\"n\""] {
        let message = "a length is compared with a product";
        refused(&format!("len(a) == {other}"), message);
    }
}

#[test]
fn stages_are_one_in_the_first_statement() {
    let stages = |body: &str| format!("fn k() {{ {body} }}");
    let two = "shared! { static A: SharedStages<f32, 8, 2>; static B: SharedStages<f32, 8, 2>; }";
    refuses("", &stages(two), "a kernel has one `SharedStages`");
}
