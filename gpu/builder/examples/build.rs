//! Builds a kernel crate: `cargo run -p lanewise-builder --example build -- FOLDER OUT ARCH...`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (folder, out) = (
        args.next().ok_or("which folder?")?,
        args.next().ok_or("to where?")?,
    );
    let builder = lanewise_builder::PtxBuilder::new(folder).out_dir(out);
    let start = std::time::Instant::now();
    let builder = builder
        .on_progress(move |stage| eprintln!("{:6.2} s {stage:?}", start.elapsed().as_secs_f64()));
    match args
        .fold(builder, |builder, arch| builder.arch(arch))
        .build()
    {
        Ok(output) => println!("{:?} {:?}", output.modules, output.sources),
        Err(error) => eprintln!("error: {error}"),
    }
    eprintln!("{:6.2} s done", start.elapsed().as_secs_f64());
    Ok(())
}
