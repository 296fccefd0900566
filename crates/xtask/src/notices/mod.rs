//! `cargo xtask notices`: the licences of other people's code in what we give away.
//!
//! MIT, BSD, Apache and Unicode licences ask that their text goes along with every copy, also a
//! compiled one. So every artefact has one plain text file beside it, made of what the build
//! itself used: nobody has to keep a list.

mod document;
mod graph;
mod licence_files;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::metadata::metadata;
use crate::process::{command, output};
use crate::{wasm_package, workspace};
use document::Component;
use graph::Package;

pub(crate) const HELP: &str = "\
cargo xtask notices

Writes the licence texts of all code that is compiled into what we give away:

  target/notices/program.txt      the csanmt program with the page in it, as in the image
  target/notices/webassembly.txt  the WebAssembly engine; the npm package and the site carry it
                                  as THIRD-PARTY.txt
";

/// The name of the file beside an artefact.
pub(crate) const FILE_NAME: &str = "THIRD-PARTY.txt";

/// Something that we give away.
pub(crate) struct Artefact {
    title: &'static str,
    file: &'static str,
    builds: &'static [Build],
    toolchain: &'static [Supplied],
}

/// One package as cargo builds it.
struct Build {
    package: &'static str,
    features: &'static str,
    target: &'static str,
}

/// Code that comes with the compiler and that cargo therefore does not list.
struct Supplied {
    name: &'static str,
    licence: &'static str,
    author: &'static str,
    repository: &'static str,
}

const STANDARD_LIBRARY: Supplied = Supplied {
    name: "the standard library",
    licence: "MIT OR Apache-2.0",
    author: "The Rust Project Developers; with addr2line, dlmalloc, gimli, object and \
             rustc-demangle, by their authors",
    repository: "https://github.com/rust-lang/rust",
};

const MUSL: Supplied = Supplied {
    name: "musl",
    licence: "MIT",
    author: "2005-2020 Rich Felker, et al.",
    repository: "https://musl.libc.org/",
};

const WEBASSEMBLY_BUILD: Build = Build {
    package: "csanmt-wasm",
    features: "",
    target: wasm_package::TARGET,
};

/// The engine for browsers and Node.
pub(crate) const WEBASSEMBLY: Artefact = Artefact {
    title: "csanmt's WebAssembly engine",
    file: "webassembly.txt",
    builds: &[WEBASSEMBLY_BUILD],
    toolchain: &[STANDARD_LIBRARY],
};

/// The program for servers. It carries the page, so the engine in WebAssembly is in it too.
const PROGRAM: Artefact = Artefact {
    title: "the csanmt program",
    file: "program.txt",
    builds: &[
        Build {
            package: "csanmt-cli",
            features: "csanmt-cli/embedded-site",
            target: "x86_64-unknown-linux-musl",
        },
        Build {
            package: "csanmt-cli",
            features: "csanmt-cli/embedded-site",
            target: "aarch64-unknown-linux-musl",
        },
        WEBASSEMBLY_BUILD,
    ],
    toolchain: &[STANDARD_LIBRARY, MUSL],
};

pub(crate) fn run() -> Result<()> {
    let folder = workspace::target().join("notices");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for artefact in [&PROGRAM, &WEBASSEMBLY] {
        write(artefact, &folder.join(artefact.file))?;
    }
    Ok(())
}

/// Writes the notices of an artefact.
pub(crate) fn write(artefact: &Artefact, path: &Path) -> Result<()> {
    let root = workspace::root();
    let data = root.join("crates/text/data/NOTICE");
    let data =
        fs::read_to_string(&data).with_context(|| format!("cannot read {}", data.display()))?;
    let components = components(artefact)?;
    let text = document::compose(artefact.title, &data, &components);
    fs::write(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    eprintln!(
        "{}: {} bytes, {} components",
        path.display(),
        text.len(),
        components.len()
    );
    Ok(())
}

/// Everything in an artefact: this project, what cargo resolves, what the compiler adds.
fn components(artefact: &Artefact) -> Result<Vec<Component>> {
    let mut packages = BTreeMap::new();
    for build in artefact.builds {
        let mut options = vec!["--locked", "--filter-platform", build.target];
        if !build.features.is_empty() {
            options.extend(["--features", build.features]);
        }
        let metadata = metadata(&options)?;
        packages.extend(graph::compiled_packages(&metadata, build.package)?);
    }
    let mut components = vec![Component {
        name: "csanmt".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        licence: "MIT OR Apache-2.0".to_owned(),
        authors: String::new(),
        repository: String::new(),
        texts: licence_files::read(workspace::root(), None)?,
    }];
    for package in packages.into_values() {
        components.push(with_texts(package)?);
    }
    let rustc = output(&mut command("rustc", ["--version"]))?;
    let version = rustc.split_whitespace().nth(1).unwrap_or_default();
    components.extend(artefact.toolchain.iter().map(|supplied| Component {
        name: supplied.name.to_owned(),
        version: format!("of Rust {version}"),
        licence: supplied.licence.to_owned(),
        authors: supplied.author.to_owned(),
        repository: supplied.repository.to_owned(),
        texts: Vec::new(),
    }));
    Ok(components)
}

fn with_texts(package: Package) -> Result<Component> {
    let texts = licence_files::read(&package.folder, package.licence_file.as_deref())
        .with_context(|| format!("the licence of {} {}", package.name, package.version))?;
    Ok(Component {
        name: package.name,
        version: package.version,
        licence: package.licence,
        authors: package.authors,
        repository: package.repository,
        texts,
    })
}
