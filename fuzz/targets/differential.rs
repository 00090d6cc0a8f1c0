#![cfg_attr(fuzzing, no_main)]

#[allow(dead_code)]
#[path = "../../tests/properties/mod.rs"]
mod properties;

jsift_fuzz::target!(properties::differential::property);
