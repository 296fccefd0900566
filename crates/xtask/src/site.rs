//! `cargo xtask site`: the page, its library, the WebAssembly engine and the models as static
//! files that any web server can serve, also from a sub-path.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::manifest::Manifest;
use crate::{notices, wasm_package, workspace};

pub(crate) const HELP: &str = "\
cargo xtask site

Builds the WebAssembly engine and lays out target/site:

  index.html, app.js, …   the page (www/app)
  lib/                    the library (www/lib) with the engine's module
  models/                 the model files
  manifest.json           every file of the page with its size and SHA-256
  THIRD-PARTY.txt         the licences of the crates in the engine

Any static web server can serve the folder, also from a sub-path.
";

/// The model that the page loads.
const DEFAULT_MODEL: &str = "models/zh-en-tiny.safetensors";
/// What the service worker's source has in place of the site's version.
const VERSION_PLACEHOLDER: &str = "0000000000000000";
/// What the page has in place of the list of its modules.
const MODULES_PLACEHOLDER: &str = "<!-- modules: the build lists here what app.js will ask for -->";

pub(crate) fn build() -> Result<()> {
    let package = wasm_package::build()?;
    let root = workspace::root();
    let site = workspace::site();
    if site.exists() {
        fs::remove_dir_all(&site).with_context(|| format!("cannot clear {}", site.display()))?;
    }
    let page = ["html", "css", "js", "svg", "png", "webmanifest"];
    copy_tree(&root.join("www/app"), &site, &page)?;
    copy_tree(&root.join("www/lib"), &site.join("lib"), &["js"])?;
    copy_tree(&package, &site.join("lib"), &["js", "wasm"])?;
    copy_tree(&root.join("models"), &site.join("models"), &["safetensors"])?;
    if !site.join(DEFAULT_MODEL).is_file() {
        bail!("{DEFAULT_MODEL} is missing: make it with `csanmt convert`, see models/README.md");
    }

    list_modules(&site)?;

    // The service worker is left out of the list: it carries the version of all the others, and
    // the browser itself keeps it.
    let mut paths = files_below(&site, &site)?;
    paths.retain(|path| path != "sw.js");
    let manifest = Manifest::of(&site, &paths)?;
    write(
        &site.join("manifest.json"),
        &manifest.to_json(DEFAULT_MODEL),
    )?;
    stamp(&site.join("sw.js"), &manifest.version())?;
    // After the manifest: it goes along with the page, but the page does not need it, so nobody
    // has to download it or to take a new version because of it.
    notices::write(&notices::WEBASSEMBLY, &site.join(notices::FILE_NAME))?;
    eprintln!("{} files in {}", paths.len() + 3, site.display());
    Ok(())
}

/// Names the page's modules in its head, so that the browser asks for all of them at once and not
/// each when it has read the one before.
fn list_modules(site: &Path) -> Result<()> {
    let page = site.join("index.html");
    let html = fs::read_to_string(&page).context("cannot read index.html")?;
    let Some((head, rest)) = html.split_once(MODULES_PLACEHOLDER) else {
        bail!("www/app/index.html must have the comment {MODULES_PLACEHOLDER}");
    };
    let mut modules = page_modules(site, "app.js")?;
    modules.retain(|path| path != "app.js");
    let links: Vec<String> = modules
        .iter()
        .map(|path| format!("<link rel=\"modulepreload\" href=\"{path}\">"))
        .collect();
    write(&page, &format!("{head}{}{rest}", links.join("\n    ")))
}

/// The module at `path` and all that it imports, in the order in which they are first named.
fn page_modules(site: &Path, path: &str) -> Result<Vec<String>> {
    let mut found = vec![path.to_owned()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        let source =
            fs::read_to_string(site.join(&path)).with_context(|| format!("cannot read {path}"))?;
        for import in static_imports(&source) {
            let imported = resolve(&path, import);
            if !found.contains(&imported) {
                found.push(imported);
            }
        }
        next += 1;
    }
    Ok(found)
}

/// What a module names in `import … from "./…"` and `export … from "./…"`.
fn static_imports(source: &str) -> impl Iterator<Item = &str> {
    source
        .lines()
        .filter(|line| !line.trim_start().starts_with('*') && !line.trim_start().starts_with('/'))
        .filter_map(|line| {
            let (_, specifier) = line
                .split_once("from \"")
                .or_else(|| line.split_once("import \""))?;
            specifier.strip_suffix("\";")
        })
        .filter(|specifier| specifier.starts_with('.'))
}

/// A relative specifier of the module at `from`, as a path of the site.
fn resolve(from: &str, specifier: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Writes the site's version into the service worker, so that its bytes change when the site does.
fn stamp(worker: &Path, version: &str) -> Result<()> {
    let source =
        fs::read_to_string(worker).with_context(|| format!("cannot read {}", worker.display()))?;
    if source.matches(VERSION_PLACEHOLDER).count() != 1 {
        bail!("www/app/sw.js must have the placeholder {VERSION_PLACEHOLDER} exactly once");
    }
    write(worker, &source.replace(VERSION_PLACEHOLDER, version))
}

/// Copies the files with one of the extensions, keeping the folders.
fn copy_tree(from: &Path, to: &Path, extensions: &[&str]) -> Result<()> {
    for path in files_below(from, from)? {
        let extension = Path::new(&path).extension().unwrap_or_default();
        if path.ends_with(".d.ts") || !extensions.iter().any(|wanted| extension == *wanted) {
            continue;
        }
        let target = to.join(&path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        fs::copy(from.join(&path), &target)
            .with_context(|| format!("cannot copy {path} to {}", target.display()))?;
    }
    Ok(())
}

/// Paths of all files in `folder` relative to `base`, with forward slashes, sorted.
pub(crate) fn files_below(base: &Path, folder: &Path) -> Result<Vec<String>> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .with_context(|| format!("cannot list {}", folder.display()))?;
    entries.sort();
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "node_modules") {
                files.extend(files_below(base, &path)?);
            }
        } else if let Ok(relative) = path.strip_prefix(base) {
            files.push(relative.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(files)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{MODULES_PLACEHOLDER, copy_tree, list_modules, resolve, static_imports};
    use crate::workspace;

    #[test]
    fn finds_what_a_module_imports() {
        let source = "/** @import { A } from \"./types.d.ts\" */\n * import { B } from \"./no.js\";\n\
            import { C, D } from \"./lib/index.js\";\nimport \"../side.js\";\n\
            export { E } from \"./e.js\";\nimport fs from \"node:fs\";\n";
        let found: Vec<&str> = static_imports(source).collect();
        assert_eq!(found, ["./lib/index.js", "../side.js", "./e.js"]);
    }

    #[test]
    fn the_page_lists_modules_that_are_there() {
        let site = std::env::temp_dir().join(format!("csanmt-modules-{}", std::process::id()));
        let root = workspace::root();
        copy_tree(&root.join("www/app"), &site, &["html", "js"]).unwrap();
        copy_tree(&root.join("www/lib"), &site.join("lib"), &["js"]).unwrap();
        list_modules(&site).unwrap();
        let html = fs::read_to_string(site.join("index.html")).unwrap();
        assert!(!html.contains(MODULES_PLACEHOLDER));
        let listed: Vec<&str> = html
            .split("<link rel=\"modulepreload\" href=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!(listed.contains(&"session.js") && listed.contains(&"lib/index.js"));
        assert!(!listed.contains(&"app.js") && !listed.contains(&"sw.js"));
        let missing: Vec<&&str> = listed
            .iter()
            .filter(|path| !site.join(path).is_file())
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
        fs::remove_dir_all(&site).unwrap();
    }

    #[test]
    fn specifiers_are_relative_to_their_module() {
        assert_eq!(resolve("app.js", "./view.js"), "view.js");
        assert_eq!(resolve("lib/index.js", "./a/b.js"), "lib/a/b.js");
        assert_eq!(resolve("lib/a/b.js", "../c.js"), "lib/c.js");
    }
}
