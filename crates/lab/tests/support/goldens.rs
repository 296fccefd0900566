//! Recorded inputs and outputs of the original graph.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, missing_docs)]

use std::collections::BTreeMap;
use std::path::Path;

use csanmt_lab::npz::Array;
use serde_json::Value;

/// What `goldens.json` and `goldens.npz` of a fixture hold.
pub struct Goldens {
    pub records: Vec<Value>,
    pub tensors: BTreeMap<String, Array>,
}

pub fn load(fixture: &Path) -> Goldens {
    let text = std::fs::read_to_string(fixture.join("goldens.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    Goldens {
        records: json["records"].as_array().unwrap().clone(),
        tensors: csanmt_lab::npz::load(&fixture.join("goldens.npz")).unwrap(),
    }
}

/// The sentences of a record without the padding to the longest one.
pub fn sentences(record: &Value) -> Vec<Vec<u32>> {
    let rows = record["ids"].as_array().unwrap().iter().map(ids);
    rows.map(|mut row| {
        row.truncate(
            row.iter()
                .rposition(|&id| id != 0)
                .map_or(0, |last| last + 1),
        );
        row
    })
    .collect()
}

/// The targets whose logits were recorded.
pub fn forced_targets(record: &Value) -> Vec<Vec<u32>> {
    let rows = record["forced_target_ids"].as_array().unwrap();
    rows.iter().map(ids).collect()
}

pub fn ids(value: &Value) -> Vec<u32> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_u64().unwrap() as u32)
        .collect()
}

/// Largest difference; lengths must agree.
pub fn difference(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().zip(expected);
    pairs
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |m, d| if d.is_nan() { f32::NAN } else { m.max(d) })
}
