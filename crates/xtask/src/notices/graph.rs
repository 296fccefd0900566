//! Which packages end up in a compiled artefact, by cargo's resolved graph.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A package from outside the workspace.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX expression, or nothing.
    pub(super) licence: String,
    pub(super) authors: String,
    pub(super) repository: String,
    pub(super) folder: PathBuf,
    /// The manifest's `license-file`, relative to the folder.
    pub(super) licence_file: Option<PathBuf>,
}

/// All packages from outside the workspace whose code is in `root`, by name and version.
///
/// Follows ordinary dependencies only: what build scripts and tests use does not get into the
/// artefact. What a procedural macro writes does, hence the macro counts, but nothing that it uses
/// itself. Cargo lists the graph with the features that the whole workspace asks for, so there may
/// be a package more than a build of `root` alone has, never one fewer.
pub(super) fn compiled_packages(
    metadata: &Value,
    root: &str,
) -> Result<BTreeMap<(String, String), Package>> {
    let packages = by_id(&metadata["packages"]);
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let (root, _) = packages
        .iter()
        .find(|(_, package)| package["name"] == root && package["source"].is_null())
        .with_context(|| format!("cargo metadata does not name {root}"))?;

    let mut reached = BTreeSet::from([*root]);
    let mut open = vec![*root];
    let mut found = BTreeMap::new();
    while let Some(id) = open.pop() {
        let (Some(package), Some(node)) = (packages.get(id), nodes.get(id)) else {
            bail!("cargo metadata has nothing about {id}");
        };
        if !package["source"].is_null() {
            let package = read(package)?;
            found.insert((package.name.clone(), package.version.clone()), package);
        }
        if is_procedural_macro(package) {
            continue;
        }
        for dependency in items(&node["deps"]) {
            let Some(used) = dependency["pkg"].as_str() else {
                continue;
            };
            // `kind` is null for ordinary dependencies.
            let is_ordinary = items(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
            if is_ordinary && reached.insert(used) {
                open.push(used);
            }
        }
    }
    Ok(found)
}

fn read(package: &Value) -> Result<Package> {
    let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
    let manifest = text("manifest_path");
    let folder = Path::new(&manifest)
        .parent()
        .with_context(|| format!("{} has no folder", text("name")))?;
    let authors: Vec<&str> = items(&package["authors"])
        .filter_map(|author| author.as_str())
        // Without the mail address.
        .map(|author| author.split(" <").next().unwrap_or(author))
        .collect();
    Ok(Package {
        name: text("name"),
        version: text("version"),
        licence: text("license"),
        authors: authors.join(", "),
        repository: text("repository"),
        folder: folder.to_owned(),
        licence_file: package["license_file"].as_str().map(PathBuf::from),
    })
}

fn is_procedural_macro(package: &Value) -> bool {
    items(&package["targets"]).any(|target| items(&target["kind"]).any(|kind| kind == "proc-macro"))
}

fn by_id(list: &Value) -> BTreeMap<&str, &Value> {
    items(list)
        .filter_map(|item| Some((item["id"].as_str()?, item)))
        .collect()
}

fn items(list: &Value) -> std::slice::Iter<'_, Value> {
    list.as_array().map_or(&[][..], Vec::as_slice).iter()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::compiled_packages;

    fn package(id: &str, kind: &str) -> Value {
        json!({
            "id": id,
            "name": id,
            "version": "1.0.0",
            "license": "MIT",
            "authors": ["A <a@example.org>", "B"],
            "source": if id == "ours" || id == "root" { Value::Null } else { json!("elsewhere") },
            "manifest_path": format!("/crates/{id}/Cargo.toml"),
            "targets": [{ "kind": [kind] }],
        })
    }

    fn node(id: &str, dependencies: &[(&str, &[Option<&str>])]) -> Value {
        let dependencies: Vec<Value> = dependencies
            .iter()
            .map(|(used, kinds)| {
                let kinds: Vec<Value> = kinds.iter().map(|kind| json!({ "kind": kind })).collect();
                json!({ "pkg": used, "dep_kinds": kinds })
            })
            .collect();
        json!({ "id": id, "deps": dependencies })
    }

    #[test]
    fn follows_what_is_compiled_in_and_nothing_else() {
        let metadata = json!({
            "packages": [
                package("root", "bin"), package("ours", "lib"), package("used", "lib"),
                package("macro", "proc-macro"), package("of-macro", "lib"),
                package("of-build", "lib"), package("of-tests", "lib"), package("both", "lib"),
                package("unused", "lib"),
            ],
            "resolve": { "nodes": [
                node("root", &[("ours", &[None]), ("of-build", &[Some("build")])]),
                node("ours", &[
                    ("used", &[None]), ("macro", &[None]), ("of-tests", &[Some("dev")]),
                    ("both", &[Some("dev"), None]),
                ]),
                node("used", &[("ours", &[Some("dev")])]),
                node("macro", &[("of-macro", &[None])]),
                node("of-macro", &[]), node("of-build", &[]), node("of-tests", &[]),
                node("both", &[("used", &[None])]), node("unused", &[]),
            ]},
        });
        let found = compiled_packages(&metadata, "root").unwrap();
        let names: Vec<&str> = found.keys().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["both", "macro", "used"]);
        let used = &found[&("used".to_owned(), "1.0.0".to_owned())];
        assert_eq!(used.authors, "A, B");
        assert_eq!(used.folder.to_str(), Some("/crates/used"));
        assert!(compiled_packages(&metadata, "absent").is_err());
    }
}
