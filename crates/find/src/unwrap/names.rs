//! Who has written the text in a record, by the names that the record has for its origin.
//!
//! - docker's json-file driver, and fluentd's docker input: `stream` or `source` is the standard output or error of a
//!   container; `container_id` names the container if the log is of several, and `kubernetes` does where the filter of
//!   fluent-bit has added it.
//! - journald (systemd.journal-fields(7)): `_STREAM_ID` is the connection that the standard output of a service has; its
//!   lines belong together whichever process of the service wrote them. Other text is of the process `_PID`, whose number
//!   counts within `_BOOT_ID`; what a process passes on for others has a `SYSLOG_IDENTIFIER` of its own. The drivers of
//!   docker and podman pass on the lines of all containers, and name each in `CONTAINER_ID_FULL`.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::input::Writer;
use jsift_json::view::Value;

/// The names that a record has for its origin, as they are written.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    /// The standard output or error of something.
    pub(super) stream: Option<&'a [u8]>,
    /// The same in records of fluentd, if these name a container.
    source: Option<&'a [u8]>,
    pub(super) container: Option<&'a [u8]>,
    /// A container by its namespace, its pod and its name there.
    in_pod: [Option<&'a [u8]>; 3],
    boot: Option<&'a [u8]>,
    process: Option<&'a [u8]>,
    identifier: Option<&'a [u8]>,
}

impl<'a> Names<'a> {
    /// Takes note of a member of the record.
    pub(super) fn note(&mut self, name: &str, value: Value<'a>) {
        let place = match name {
            "stream" | "_STREAM_ID" => &mut self.stream,
            "source" => &mut self.source,
            "container_id" | "CONTAINER_ID_FULL" => &mut self.container,
            "_BOOT_ID" => &mut self.boot,
            "_PID" => &mut self.process,
            "SYSLOG_IDENTIFIER" => &mut self.identifier,
            "kubernetes" => {
                let names = ["namespace_name", "pod_name", "container_name"];
                self.in_pod = names.map(|name| Some(value.get(name)?.raw()));
                return;
            }
            _ => return,
        };
        *place = Some(value.raw());
    }

    /// Returns the writer of the text; `None` if the record has no name for it.
    pub(super) fn writer(&self) -> Option<Writer> {
        let stream = self.stream.or(self.container.and(self.source));
        let [.., in_pod] = self.in_pod;
        if stream.or(self.container).or(in_pod).is_some() {
            return Some(hash((stream, self.container, self.in_pod)));
        }
        self.process.or(self.identifier)?;
        Some(hash((self.boot, self.process, self.identifier)))
    }
}

/// Returns a number that stands for a name.
pub(super) fn hash(name: impl Hash) -> u64 {
    FxBuildHasher.hash_one(name)
}
