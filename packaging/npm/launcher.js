#!/usr/bin/env node
// Runs the jsift of the package for this platform, on the same streams, and ends as it ends.
"use strict";
const { spawn } = require("node:child_process");
const { openSync } = require("node:fs");
const { constants } = require("node:os");

const { platform, arch, argv } = process;
const fail = (reason) => (console.error(`jsift: ${reason}`), process.exit(2));
const find = (name) => {
  try {
    return require.resolve(`${name}/bin/jsift${platform === "win32" ? ".exe" : ""}`);
  } catch {
    return fail(`the optional package ${name} is not installed, or does not exist`);
  }
};
// A terminal sends Ctrl-C to both; where there is none, an interrupt has to be handed on.
const hasTerminal = () => {
  try { return platform === "win32" || openSync("/dev/tty") > 0; } catch { return false; }
};
const child = spawn(find(`jsift-${platform}-${arch}`), argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`cannot start: ${error.message}`));
process.on("SIGINT", () => hasTerminal() || child.kill("SIGINT"));
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
  if (!signal) return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
