//! Documents against the schemas in `docs/schema`.

use std::path::Path;

use serde_json::Value;

/// The document holds to the schema, and the schema is one.
pub fn valid(document: &Value, schema: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let text = std::fs::read_to_string(folder.join(schema)).unwrap();
    let schema = serde_json::from_str(&text).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}
