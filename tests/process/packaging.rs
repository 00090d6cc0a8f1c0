//! What is around the program: archives, the installer, and the shell parts of what CI systems run.
//!
//! `packaging/check` does the rest, with the binary that is released: npm, wheels, images.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

/// The targets that are released.
fn targets() -> Vec<String> {
    let list = read("packaging/targets");
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect()
}

/// Writes a program of shell.
fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A folder for what a test writes, and in it `bin`, which comes first in PATH and has jsift.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().unwrap());
        fs::create_dir(place.path("bin")).unwrap();
        let jsift = concat!("exec '", env!("CARGO_BIN_EXE_jsift"), "' \"$@\"");
        script(&place.path("bin/jsift"), jsift);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A command with these variables and no others, in the project's folder.
    fn run(&self, program: &str, args: &[&str], variables: &[(&str, &str)]) -> Output {
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.path("bin").display());
        Command::new(program)
            .args(args)
            .current_dir(ROOT)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.0.path())
            .envs(variables.iter().copied())
            .output()
            .unwrap()
    }

    /// Archives of this version, whose program is a script, for all targets.
    fn archives(&self) -> String {
        script(&self.path("program"), &format!("echo jsift {VERSION}"));
        let program = self.path("program").display().to_string();
        let dist = self.path("dist").display().to_string();
        for target in targets() {
            let packed = self.run("packaging/archive", &[&target, &program, &dist], &[]);
            assert!(packed.status.success(), "{}", errors(&packed));
        }
        dist
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn all_that_names_the_version_or_the_targets_names_the_same() {
    let place = Place::new();
    let version = place.run("packaging/version", &[&format!("v{VERSION}")], &[]);
    assert!(version.status.success(), "{}", errors(&version));
    assert!(
        !place
            .run("packaging/version", &["v0.0.0"], &[])
            .status
            .success()
    );
    for target in targets() {
        let workflow = read(".github/workflows/release.yml");
        assert!(workflow.contains(&format!("target: {target},")), "{target}");
    }
}

#[test]
fn the_launcher_is_short() {
    assert!(read("packaging/npm/launcher.js").lines().count() <= 30);
}

#[test]
fn an_archive_is_the_same_every_time_and_its_formula_names_it() {
    let (one, two) = (Place::new(), Place::new());
    let dist = one.archives();
    two.archives();
    let formula = one.run("packaging/formula", &[&dist], &[]);
    let formula = String::from_utf8(formula.stdout).unwrap();
    for target in targets() {
        let name = format!("dist/jsift-v{VERSION}-{target}.tar.gz");
        assert_eq!(
            fs::read(one.path(&name)).unwrap(),
            fs::read(two.path(&name)).unwrap()
        );
        let checksum = one.read(&format!("{name}.sha256"));
        let checksum = checksum.split(' ').next().unwrap();
        let named = formula.contains(checksum);
        assert_eq!(named, !target.contains("windows"), "{target}");
    }
}

/// What `packaging/install.sh` does on a system that calls itself so.
fn install(place: &Place, dist: &str, system: &str, processor: &str) -> Output {
    let says = format!("case $1 in -m) echo {processor} ;; *) echo {system} ;; esac");
    script(&place.path("bin/uname"), &says);
    let download = format!("file://{dist}");
    place.run(
        "sh",
        &["packaging/install.sh"],
        &[("JSIFT_DOWNLOAD", &download)],
    )
}

#[test]
fn the_installer_takes_the_archive_of_the_system() {
    let released = Place::new();
    let dist = released.archives();
    for (system, processor, program) in [
        ("Linux", "x86_64", "jsift"),
        ("Linux", "aarch64", "jsift"),
        ("Darwin", "arm64", "jsift"),
        ("MINGW64_NT-10.0", "x86_64", "jsift.exe"),
    ] {
        let place = Place::new();
        let done = install(&place, &dist, system, processor);
        assert!(done.status.success(), "{}", errors(&done));
        let installed = place.path(".local/bin").join(program);
        let version = Command::new(&installed).output().unwrap();
        assert!(
            place
                .path(".local/share/zsh/site-functions/_jsift")
                .exists()
        );
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(said.contains("/bin is not in PATH; add it: "), "{said}");
        assert_eq!(version.stdout, format!("jsift {VERSION}\n").into_bytes());
        assert!(
            place
                .path(".local/share/man/man7/jsift-security.7")
                .exists()
        );
    }
    for (system, processor) in [("Linux", "riscv64"), ("Plan9", "x86_64")] {
        let place = Place::new();
        let done = install(&place, &dist, system, processor);
        assert_eq!(done.status.code(), Some(1));
        assert!(
            errors(&done).contains("there is no archive for"),
            "{}",
            errors(&done)
        );
        assert!(!place.path(".local").exists());
    }
}

#[test]
fn the_installer_takes_nothing_that_differs_from_its_checksum() {
    let place = Place::new();
    place.archives();
    for target in targets() {
        let sum = place.path(&format!("dist/jsift-v{VERSION}-{target}.tar.gz.sha256"));
        fs::write(sum, format!("{}  a\n", "0".repeat(64))).unwrap();
    }
    let download = format!("file://{}", place.path("dist").display());
    let variables = [("JSIFT_DOWNLOAD", download.as_str())];
    let done = place.run("sh", &["packaging/install.sh"], &variables);
    assert_eq!(done.status.code(), Some(1));
    assert!(
        errors(&done).contains("the checksum of"),
        "{}",
        errors(&done)
    );
    assert!(!place.path(".local").exists());
}

/// What the step of the action writes, and how it ends.
fn report(run: &str, variables: &[(&str, &str)]) -> (Option<i32>, String, String, String) {
    let place = Place::new();
    let (summary, outputs) = (place.path("summary"), place.path("outputs"));
    let mut all = vec![
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ("GITHUB_OUTPUT", outputs.to_str().unwrap()),
        ("JSIFT_RUN", run),
        ("JSIFT_STRUCTURAL", "true"),
        ("JSIFT_FAIL_ON", ""),
        ("JSIFT_EXIT_ZERO", "false"),
    ];
    all.extend(variables);
    let done = place.run("packaging/github/report", &[], &all);
    let annotations = String::from_utf8(done.stdout).unwrap();
    let (summary, outputs) = (place.read("summary"), place.read("outputs"));
    (done.status.code(), summary, outputs, annotations)
}

#[test]
fn the_action_reports_how_the_run_went() {
    let (code, summary, outputs, annotations) = report("tests/samples/gemini.jsonl", &[]);
    assert_eq!((code, annotations.as_str()), (Some(0), ""));
    assert!(summary.contains("success"), "{summary}");
    assert!(!summary.contains("Done. I created"), "a text: {summary}");
    assert!(outputs.contains("\nsuccess\n") && outputs.contains("Done. I created hello.txt."));

    let full = report(
        "tests/samples/gemini.jsonl",
        &[("JSIFT_STRUCTURAL", "false")],
    );
    assert!(full.1.contains("Done. I created"), "{}", full.1);

    let quota = "tests/samples/gemini-quota.log";
    let (code, summary, outputs, annotations) = report(quota, &[]);
    assert_eq!(code, Some(12));
    assert!(annotations.starts_with("::error "), "{annotations}");
    assert!(outputs.contains("\nquota\n") && summary.contains("quota"));
    assert_eq!(report(quota, &[("JSIFT_EXIT_ZERO", "true")]).0, Some(0));

    let codex = "tests/samples/codex.jsonl";
    let (code, summary, outputs, annotations) =
        report(codex, &[("JSIFT_FAIL_ON", "tokens:1,no-files")]);
    assert_eq!(code, Some(5));
    assert!(
        summary.starts_with("### ❌ codex: limit exceeded\n\n`tokens "),
        "{summary}"
    );
    assert!(outputs.contains("\nmismatch\n"), "{outputs}");
    assert!(
        annotations.starts_with("::error title=codex%3A limit exceeded::tokens "),
        "{annotations}"
    );
    assert_eq!(report("no-such-file", &[]).0, Some(2));
}

/// The scripts of a YAML file that stand in literal blocks, in order.
fn literal_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if !line.trim_end().ends_with("- |") {
            continue;
        }
        let dash = line.find('-').unwrap();
        let inside =
            |line: &&str| line.trim().is_empty() || line.len() - line.trim_start().len() > dash;
        let block = std::iter::from_fn(|| lines.next_if(inside)).collect::<Vec<_>>();
        blocks.push(block.join("\n"));
    }
    blocks
}

/// As `pip install --target FOLDER` puts them: the module, and the program in `bin`.
#[test]
fn the_module_of_the_wheel_runs_the_program() {
    let place = Place::new();
    fs::create_dir(place.path("jsift")).unwrap();
    let module = "jsift/__main__.py";
    let from = Path::new(ROOT).join("packaging/python").join(module);
    fs::copy(from, place.path(module)).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.args(["-m", "jsift"]).args(arguments);
        command.env("PYTHONPATH", place.0.path()).output()
    };
    let file = Path::new(ROOT).join("tests/samples/gemini-quota.log");
    let Ok(done) = run(&["summary", "-q", file.to_str().unwrap()]) else {
        eprintln!("python3 is not here: passed over");
        return;
    };
    assert_eq!(done.status.code(), Some(12), "{}", errors(&done));
    fs::remove_file(place.path("bin/jsift")).unwrap();
    let missing = run(&["--version"]).unwrap();
    let message = "jsift: the program is not in any of ";
    assert!(errors(&missing).starts_with(message));
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn the_component_installs_and_reports() {
    let component = read("templates/jsift.yml");
    let blocks = literal_blocks(&component);
    let [before, script] = blocks.as_slice() else {
        panic!("{blocks:?}");
    };
    let released = Place::new();
    let dist = released.archives();
    for (run, fail_on, code) in [
        ("tests/samples/gemini.jsonl", "none", 0),
        ("tests/samples/gemini-quota.log", "none", 12),
        ("tests/samples/codex.jsonl", "tokens:1", 5),
    ] {
        let place = Place::new();
        let release = place.path(&format!("releases/v{VERSION}"));
        fs::create_dir_all(&release).unwrap();
        fs::copy(
            Path::new(ROOT).join("packaging/install.sh"),
            release.join("install.sh"),
        )
        .unwrap();
        // The program of these archives is none; the report is that of the program that is tested.
        let program = format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_jsift"));
        let report = place.path("jsift-report.md").display().to_string();
        let script = script.replace("jsift-report.md", &report);
        let line = format!(
            "set -e\n{before}\nprintf '#!/bin/sh\\n%s\\n' \"$PROGRAM\" >\"$PREFIX/bin/jsift\"\n{script}"
        );
        let done = place.run(
            "sh",
            &["-c", &line],
            &[
                ("PROGRAM", &program),
                ("TMPDIR", place.0.path().to_str().unwrap()),
                ("CI_PROJECT_DIR", place.0.path().to_str().unwrap()),
                ("JSIFT_VERSION", VERSION),
                (
                    "JSIFT_RELEASES",
                    &format!("file://{}", place.path("releases").display()),
                ),
                ("JSIFT_DOWNLOAD", &format!("file://{dist}")),
                ("JSIFT_RUN", run),
                ("JSIFT_FAIL_ON", fail_on),
                ("JSIFT_STRUCTURAL", "true"),
            ],
        );
        assert_eq!(done.status.code(), Some(code), "{}", errors(&done));
        let report = place.read("jsift-report.md");
        let mark = if code == 0 { "### ✅ " } else { "### ❌ " };
        assert!(report.starts_with(mark), "{report}");
        let log = String::from_utf8(done.stdout).unwrap();
        for said in [&report, &log] {
            assert_eq!(said.contains("limit exceeded"), code == 5, "{said}");
        }
        assert!(place.path("jsift/bin/jsift").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_built_in_is_listed() {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let list = || {
        let mut command = Command::new(Path::new(ROOT).join("packaging/sbom"));
        command
            .arg(&target)
            .env("CARGO_NET_OFFLINE", "true")
            .output()
    };
    let Some(listed) = list().ok().filter(|listed| listed.status.success()) else {
        eprintln!("node, or a crate, is not here: passed over");
        return;
    };
    assert_eq!(listed.stdout, list().unwrap().stdout);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(
        listed["metadata"]["component"]["purl"],
        format!("pkg:cargo/jsift@{VERSION}")
    );
    let components = listed["components"].as_array().unwrap();
    let has = |name: &str| components.iter().any(|it| it["name"] == name);
    assert!(has("memchr") && has("serde_json"));
    assert!(!has("jsift") && !has("proptest") && !has("serde_derive"));
    for component in components {
        // Our own crates come from no registry.
        if !component["name"].as_str().unwrap().starts_with("jsift-") {
            let digest = component["hashes"][0]["content"].as_str().unwrap();
            assert_eq!(digest.len(), 64, "{component}");
        }
        assert!(
            component["licenses"][0]["expression"].is_string(),
            "{component}"
        );
    }
}

#[test]
fn the_linters_that_are_here_find_nothing() {
    let place = Place::new();
    let scripts = [
        ".ci/run",
        "docs/dev/figures",
        "packaging/archive",
        "packaging/build",
        "packaging/check",
        "packaging/formula",
        "packaging/github/install",
        "packaging/github/report",
        "packaging/install.sh",
        "packaging/npm/test",
        "packaging/release",
        "packaging/reproducible",
        "packaging/system-packages",
        "packaging/version",
        "packaging/wheel-test",
    ];
    let linters: [(&str, &[&str]); 3] = [
        ("shellcheck", &scripts),
        ("actionlint", &[]),
        (
            "zizmor",
            &["--offline", "--quiet", "--min-severity=low", "."],
        ),
    ];
    for (linter, args) in linters {
        let found = Command::new(linter).arg("--version").output();
        if !found.is_ok_and(|found| found.status.success()) {
            eprintln!("{linter} is not here: passed over");
            continue;
        }
        let done = place.run(linter, args, &[]);
        let reported = String::from_utf8_lossy(&done.stdout);
        assert!(
            done.status.success(),
            "{linter}: {reported}{}",
            errors(&done)
        );
    }
}
