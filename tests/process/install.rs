//! `make install` puts everything in place, `make uninstall` takes all of it away again.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a target of the Makefile on a root of its own; false if there is no make.
fn make(target: &str, root: &Path) -> bool {
    let done = Command::new("make")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["--silent", target, "PREFIX=/usr"])
        .arg(format!("DESTDIR={}", root.display()))
        .arg(concat!("BINARY=", env!("CARGO_BIN_EXE_jsift")))
        // A make that runs these tests has nothing to say to this one.
        .env_remove("MAKEFLAGS")
        .output();
    match done {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "make {target}: {errors}");
            true
        }
        Err(_) => false,
    }
}

/// The files below a folder, by their paths in it.
fn files(root: &Path) -> BTreeSet<String> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let inside = path.strip_prefix(root).unwrap();
                found.insert(inside.to_str().unwrap().to_owned());
            }
        }
    }
    found
}

#[test]
fn what_is_installed_is_uninstalled() {
    let root = tempfile::TempDir::new().unwrap();
    if !make("install", root.path()) {
        return eprintln!("passed over, since make is not here");
    }
    let installed = files(root.path());
    let expected = [
        "usr/bin/jsift",
        "usr/share/bash-completion/completions/jsift",
        "usr/share/fish/vendor_completions.d/jsift.fish",
        "usr/share/jsift/completions/_jsift.ps1",
        "usr/share/jsift/completions/jsift.elv",
        "usr/share/jsift/completions/jsift.nu",
        "usr/share/man/man1/jsift-events.1",
        "usr/share/man/man1/jsift-extract.1",
        "usr/share/man/man1/jsift-summary.1",
        "usr/share/man/man1/jsift.1",
        "usr/share/man/man7/jsift-security.7",
        "usr/share/zsh/site-functions/_jsift",
    ];
    assert_eq!(installed, expected.map(str::to_owned).into());
    let version = Command::new(root.path().join("usr/bin/jsift"))
        .arg("--version")
        .output()
        .unwrap();
    let expected = concat!("jsift ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(String::from_utf8(version.stdout).unwrap(), expected);
    assert!(make("uninstall", root.path()));
    assert_eq!(files(root.path()), BTreeSet::new());
}
