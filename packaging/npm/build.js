#!/usr/bin/env node
// Makes the folders of the npm packages: `build.js OUT TARGET=BINARY...`, with targets of `packaging/targets`.
//
// `jsift` holds the launcher and depends, optionally, on one package for each platform, of which npm installs the one
// that fits. The binaries for Linux are static, so that it does not matter which libc is there (`libc` is not set).
"use strict";
const { execFileSync } = require("node:child_process");
const { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "..", "..");
const [out, ...binaries] = process.argv.slice(2);
if (!out) {
  console.error("usage: packaging/npm/build.js OUT TARGET=BINARY...");
  process.exit(2);
}

const lines = readFileSync(join(root, "packaging/targets"), "utf8").split("\n");
const platforms = lines
  .filter((line) => line && !line.startsWith("#"))
  .map((line) => line.split(" "))
  .map(([target, os, cpu]) => ({ target, os, cpu, name: `jsift-${os}-${cpu}` }));

const metadata = execFileSync("cargo", ["metadata", "--no-deps", "--format-version=1"], { cwd: root });
const { version, description, license, repository, keywords } = JSON.parse(metadata).packages[0];
const common = { version, description, license, repository: { type: "git", url: `git+${repository}.git` } };

/** A folder with a manifest and the files of `copies`, from their path in the package to where they are. */
function make(manifest, copies) {
  const folder = join(out, manifest.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const licenses = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"].map((file) => [file, join(root, file)]);
  for (const [to, from] of [...Object.entries(copies), ...licenses]) {
    copyFileSync(from, join(folder, to));
    if (to.startsWith("bin/")) chmodSync(join(folder, to), 0o755);
  }
}

for (const [target, binary] of binaries.map((pair) => pair.split("="))) {
  const { name, os, cpu } = platforms.find((platform) => platform.target === target);
  const program = os === "win32" ? "bin/jsift.exe" : "bin/jsift";
  make({ name, ...common, os: [os], cpu: [cpu], files: [program], preferUnplugged: true }, { [program]: binary });
}
make(
  {
    name: "jsift",
    ...common,
    keywords,
    bin: { jsift: "bin/jsift.js" },
    files: ["bin/jsift.js"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(platforms.map(({ name }) => [name, version])),
  },
  { "bin/jsift.js": join(__dirname, "launcher.js") },
);
