//! Compiles the functions with a variable number of arguments, which only C can define.

fn main() {
    println!("cargo:rerun-if-changed=src/hooks/library/variadic.c");
    cc::Build::new()
        .file("src/hooks/library/variadic.c")
        .opt_level(1)
        .flag("-ffreestanding")
        .compile("fencehound_variadic");
}
