//! Links the LAPACK that the feature `sdp` needs; without it there is nothing to do.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_SDP").is_some() {
        println!("cargo::rustc-link-lib=dylib=openblas");
    }
}
