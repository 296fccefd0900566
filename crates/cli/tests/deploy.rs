//! What is in `deploy/` fits the program: its options, variables, paths, metrics and times.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::server::Server;
use support::{csanmt, failure, run, success};

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(deploy().join(name)).unwrap()
}

/// Name and text of every file.
fn files() -> Vec<(String, String)> {
    let names = ["", "kubernetes"].map(|folder| std::fs::read_dir(deploy().join(folder)).unwrap());
    let paths = names
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.is_file());
    files
        .map(|path| {
            (
                path.display().to_string(),
                std::fs::read_to_string(path).unwrap(),
            )
        })
        .collect()
}

fn help() -> String {
    success(&run(csanmt().args(["serve", "--help"]), b"")).to_owned()
}

/// The words of a text that begin so.
fn words<'t>(text: &'t str, begin: &str) -> BTreeSet<&'t str> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    text.split(|char| !is_part(char))
        .filter(|word| word.starts_with(begin))
        .collect()
}

/// The number behind `key`.
fn number(text: &str, key: &str) -> u32 {
    let (_, rest) = text.split_once(key).unwrap_or_else(|| panic!("{key}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

#[test]
fn j11_every_variable_and_option_exists() {
    let help = help();
    let variables = words(&help, "CSANMT_");
    let options = words(&help, "--");
    let mut found = 0;
    for (name, text) in files() {
        for variable in words(&text, "CSANMT_") {
            found += 1;
            assert!(variables.contains(variable), "{name}: {variable}");
        }
        let commands = text.lines().filter(|line| line.contains("csanmt serve"));
        for option in commands.flat_map(|line| words(line, "--")) {
            found += 1;
            assert!(options.contains(option), "{name}: {option}");
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn j11_the_settings_file_is_accepted_also_what_is_commented_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("serve.toml");
    let text = read("serve.toml");
    let settings = text.lines().map(|line| {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let name = bare.split(" = ").next().unwrap_or_default();
        let is_setting = bare.contains(" = ") && !name.contains(' ');
        if is_setting { bare } else { line }
    });
    let settings: Vec<&str> = settings.collect();
    std::fs::write(&file, settings.join("\n")).unwrap();
    let mut command = csanmt();
    command.args(["serve", "--model", "/nowhere/x", "--port", "0", "--config"]);
    // Everything is read before the model is missed.
    let output = run(command.arg(&file), b"");
    assert!(failure(&output, 1).contains("/nowhere/x"));
}

#[test]
fn j11_the_image_is_one_static_binary_that_nobody_runs() {
    let text = read("Dockerfile");
    let (build, image) = text.split_once("\nFROM scratch\n").unwrap();
    for target in ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"] {
        assert!(build.contains(target), "{target}");
    }
    assert!(build.contains("--release --locked"), "{build}");
    assert!(build.contains("--features embedded-site"), "{build}");
    let instructions: Vec<&str> = image
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(' ').next())
        .collect();
    let expected = [
        "COPY",
        "USER",
        "ENV",
        "EXPOSE",
        "STOPSIGNAL",
        "ENTRYPOINT",
        "CMD",
    ];
    assert_eq!(instructions, expected);
    assert!(number(image, "USER ") > 0, "root");
    assert_eq!(number(image, "CSANMT_PORT="), number(image, "EXPOSE "));
    let toolchain = std::fs::read_to_string(deploy().join("../rust-toolchain.toml")).unwrap();
    let (_, version) = toolchain.split_once("channel = \"").unwrap();
    let version = version
        .rsplit_once(".0\"")
        .map_or(version, |(version, _)| version);
    let image = format!("rust:{}-", version.split('"').next().unwrap());
    assert!(build.contains(&image), "{image}");
}

#[test]
fn j11_probes_ports_and_times_are_those_of_the_server() {
    let server = Server::start(&[]);
    let kubernetes = read("kubernetes/csanmt.yaml");
    for part in kubernetes.split("{path: ").skip(1) {
        let path = part.split([',', '}']).next().unwrap();
        assert_eq!(server.request("GET", path, "").0, 200, "{path}");
    }
    let port = number(&help(), "[env: CSANMT_PORT=]\n          [default: ");
    assert_eq!(number(&kubernetes, "containerPort: "), port);
    let drain = number(&kubernetes, "CSANMT_DRAIN, value: \"");
    assert!(number(&kubernetes, "terminationGracePeriodSeconds: ") > drain);
    for line in [
        "runAsNonRoot: true",
        "readOnlyRootFilesystem: true",
        "allowPrivilegeEscalation: false",
        // A service of this name would set CSANMT_PORT to an address.
        "enableServiceLinks: false",
    ] {
        assert!(kubernetes.contains(line), "{line}");
    }
    let unit = read("csanmt.service");
    let drain = number(&help(), "[env: CSANMT_DRAIN=]\n          [default: ");
    assert!(number(&unit, "TimeoutStopSec=") > drain);
    assert!(unit.contains("DynamicUser=yes") && unit.contains("kill -HUP"));
}

#[test]
fn j11_alerts_ask_for_metrics_that_exist() {
    // Some appear with what they tell.
    let folder = tempfile::tempdir().unwrap();
    let baseline = folder.path().join("baseline.json");
    let known = json!({"mean": 1.0, "deviation": 1.0});
    let text = json!({"sentences": 1000, "statistics": {"length_ratio": known}});
    std::fs::write(&baseline, text.to_string()).unwrap();
    let server = Server::start(&["--baseline", baseline.to_str().unwrap()]);
    assert_eq!(server.translate("我们今天去学校。").0, 200);
    server.signal("HUP");
    let begin = Instant::now();
    while server
        .metric("csanmt_reloads_total{outcome=\"done\"} ")
        .is_none()
    {
        assert!(begin.elapsed() < Duration::from_secs(20), "never loaded");
    }
    let (_, metrics) = server.request("GET", "/metrics", "");
    let (_, api) = server.request("GET", "/openapi.json", "");
    let api: Value = serde_json::from_str(&api).unwrap();
    let alerts = read("alerts.yaml");
    let expressions = alerts.split("rules:").nth(1).unwrap();
    let names = words(expressions, "csanmt_");
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        let family = name.trim_end_matches("_total").trim_end_matches("_bucket");
        let kind = format!("# TYPE {family} ");
        assert!(metrics.contains(&kind), "{name}");
    }
    for part in expressions.split("route=\"").skip(1) {
        let route = part.split('"').next().unwrap();
        assert!(api["paths"][route].is_object(), "{route}");
    }
}
