//! `cargo xtask check-deps`: dependencies point one way.

use anyhow::{Result, bail};
use serde_json::Value;

use crate::licences;
use crate::metadata::metadata;

pub(crate) const HELP: &str = "\
cargo xtask check-deps

Fails when a crate of the workspace depends on one it may not know. The rules are the table at the
top of crates/xtask/src/check_deps.rs. Dependencies of tests are free.

Fails also when any crate of the whole graph has a licence, or is there in several versions, that
crates/xtask/src/licences.rs does not allow.
";

/// What one crate may use of the workspace, and what it must not bring in from outside.
struct Rule {
    package: &'static str,
    may_use: &'static [&'static str],
    never: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule {
        package: "csanmt-kernels",
        may_use: &[],
        never: &["serde", "serde_json", "rayon", "log", "tracing"],
    },
    Rule {
        package: "csanmt-format",
        may_use: &[],
        never: &["memmap2", "tokio", "rayon"],
    },
    Rule {
        package: "csanmt-text",
        may_use: &[],
        never: &["tokio", "rayon"],
    },
    Rule {
        package: "csanmt-model",
        may_use: &["csanmt-kernels", "csanmt-format"],
        never: &["tokio", "rayon", "memmap2"],
    },
    Rule {
        package: "csanmt",
        may_use: &["csanmt-model", "csanmt-text", "csanmt-format"],
        never: &["axum", "tokio", "wasm-bindgen", "js-sys", "web-sys", "clap"],
    },
    Rule {
        package: "csanmt-documents",
        may_use: &["csanmt"],
        never: &["axum", "tokio", "wasm-bindgen", "clap", "rayon"],
    },
    Rule {
        package: "csanmt-lab",
        may_use: &[
            "csanmt",
            "csanmt-model",
            "csanmt-text",
            "csanmt-format",
            "csanmt-kernels",
        ],
        never: &["axum", "tokio", "wasm-bindgen", "clap"],
    },
    Rule {
        package: "csanmt-server",
        may_use: &["csanmt", "csanmt-documents"],
        never: &["clap", "wasm-bindgen"],
    },
    Rule {
        package: "csanmt-cli",
        may_use: &["csanmt", "csanmt-documents", "csanmt-lab", "csanmt-server"],
        never: &["wasm-bindgen"],
    },
    Rule {
        package: "csanmt-wasm",
        may_use: &["csanmt", "csanmt-documents"],
        never: &["axum", "tokio", "rayon", "clap"],
    },
    Rule {
        package: "csanmt-fuzz",
        may_use: &[],
        never: &[],
    },
    Rule {
        package: "xtask",
        may_use: &[],
        never: &["clap"],
    },
];

pub(crate) fn run() -> Result<()> {
    let mut complaints = complaints(&metadata(&["--no-deps"])?);
    let all = metadata(&["--locked"])?;
    complaints.extend(licences::complaints(&all));
    if !complaints.is_empty() {
        bail!("forbidden dependencies:\n  {}", complaints.join("\n  "));
    }
    let count = all["packages"].as_array().map_or(0, Vec::len);
    eprintln!(
        "check-deps: {} crates keep to the rules, {count} have licences that are allowed",
        RULES.len()
    );
    Ok(())
}

fn complaints(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let members: Vec<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let mut complaints = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(rule) = RULES.iter().find(|rule| rule.package == name) else {
            complaints.push(format!("{name} has no rule yet: add one to RULES"));
            continue;
        };
        let dependencies = package["dependencies"].as_array();
        for dependency in dependencies.map_or(&[][..], Vec::as_slice) {
            // `kind` is null for ordinary dependencies.
            if dependency["kind"] == "dev" {
                continue;
            }
            let used = dependency["name"].as_str().unwrap_or_default();
            let allowed = if members.contains(&used) {
                rule.may_use.contains(&used)
            } else {
                !rule.never.contains(&used)
            };
            if !allowed {
                complaints.push(format!("{name} may not depend on {used}"));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::complaints;

    fn workspace(dependencies: &serde_json::Value) -> serde_json::Value {
        json!({ "packages": [
            { "name": "csanmt-kernels", "dependencies": dependencies },
            { "name": "csanmt-model", "dependencies": [{ "name": "csanmt-kernels", "kind": null }] },
        ]})
    }

    #[test]
    fn accepts_edges_that_point_down_and_those_of_tests() {
        let edges = json!([{ "name": "csanmt-model", "kind": "dev" }, { "name": "thiserror", "kind": null }]);
        assert_eq!(complaints(&workspace(&edges)), Vec::<String>::new());
    }

    #[test]
    fn rejects_an_edge_that_points_up() {
        let edges = json!([{ "name": "csanmt-model", "kind": null }]);
        assert_eq!(
            complaints(&workspace(&edges)),
            ["csanmt-kernels may not depend on csanmt-model"]
        );
    }

    #[test]
    fn rejects_a_forbidden_outside_crate() {
        let edges = json!([{ "name": "rayon", "kind": "build" }]);
        assert_eq!(
            complaints(&workspace(&edges)),
            ["csanmt-kernels may not depend on rayon"]
        );
    }

    #[test]
    fn rejects_a_crate_without_a_rule() {
        let metadata = json!({ "packages": [{ "name": "csanmt-new", "dependencies": [] }] });
        assert_eq!(complaints(&metadata).len(), 1);
    }
}
