//! `cargo xtask test`: what every change must pass.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, command, run as run_command};
use crate::{
    check_deps, chromium, node, package, redis, serve, site, sizes, wasm_package, workspace,
};

pub(crate) const HELP: &str = "\
cargo xtask test

Runs, in this order, and stops at the first failure:
formatting, lints (also for WebAssembly), documentation, dependency rules, Rust tests (with a Redis,
installed from Debian when it is missing and this is root), the site and
its size, the types of the JavaScript, the package in Node and in bundlers, and the page in Chromium
against the real server.

Node packages are installed by lockfile; Chromium from Debian when it is missing and this is root.
Without Chromium the tests of the page are skipped, except where CI is set: there that is a failure.
";

type Step = (&'static str, fn() -> Result<()>);

const STEPS: &[Step] = &[
    ("formatting", || {
        run_command(&mut cargo(["fmt", "--all", "--check"]))
    }),
    ("lints", || {
        run_command(&mut cargo([
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]))
    }),
    ("lints for WebAssembly", || {
        wasm_package::ensure_target()?;
        run_command(&mut wasm_lints(&["csanmt-kernels", "csanmt-wasm"], &[]))?;
        // What only the second build compiles is in the kernels.
        let folder = workspace::target().join("wasm-relaxed");
        let folder = folder.to_string_lossy();
        let relaxed = [
            "--config",
            wasm_package::RELAXED_SIMD,
            "--target-dir",
            &folder,
        ];
        run_command(&mut wasm_lints(&["csanmt-kernels"], &relaxed))
    }),
    ("documentation", || {
        let mut doc = cargo(["doc", "--workspace", "--no-deps", "--quiet"]);
        run_command(doc.env("RUSTDOCFLAGS", "-D warnings"))
    }),
    ("dependency rules", check_deps::run),
    ("Redis", redis::ensure),
    ("Rust tests", || {
        run_command(&mut cargo(["test", "--workspace"]))
    }),
    ("site", site::build),
    ("size of the site", sizes::run),
    ("node packages", node::install),
    ("JavaScript types", node::check_types),
    ("the package", package_tests),
    ("the page in Chromium", browser_tests),
];

pub(crate) fn run() -> Result<()> {
    let begin = Instant::now();
    for (number, (name, step)) in STEPS.iter().enumerate() {
        let number = number + 1;
        eprintln!("\n== {number}/{}: {name}", STEPS.len());
        let begin = Instant::now();
        step().with_context(|| format!("step {number}, {name}, failed"))?;
        eprintln!("== {name}: {:.1} s", begin.elapsed().as_secs_f32());
    }
    let seconds = begin.elapsed().as_secs_f32();
    eprintln!("\nall {} steps passed in {seconds:.0} s", STEPS.len());
    Ok(())
}

fn wasm_lints(packages: &[&str], options: &[&str]) -> Command {
    let mut lints = cargo(["clippy", "--target", "wasm32-unknown-unknown"]);
    for package in packages {
        lints.args(["--package", package]);
    }
    lints.args(options).args(["--", "-D", "warnings"]);
    lints
}

/// What of it needs a browser is left out without one.
fn package_tests() -> Result<()> {
    package::test(chromium::ensure()?.as_deref())
}

fn browser_tests() -> Result<()> {
    let Some(chromium) = chromium::ensure()? else {
        let reason = "no Chromium: install it or set CHROMIUM_PATH";
        if std::env::var_os("CI").is_some() {
            bail!(reason);
        }
        eprintln!("\n!! THE TESTS OF THE PAGE ARE SKIPPED. {reason}\n");
        return Ok(());
    };
    let server = serve::build_server()?;
    let mut tests = command("npm", ["test"]);
    tests
        .current_dir(workspace::browser_tests())
        .env("CHROMIUM_PATH", chromium)
        .env("CSANMT", server)
        .env("CSANMT_SITE", workspace::site())
        .env("SCREENSHOTS", workspace::target().join("screenshots"));
    run_command(&mut tests)
}
