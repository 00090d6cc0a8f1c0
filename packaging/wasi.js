#!/usr/bin/env node
// Runs a program for WASI, which sees this folder as its own: `packaging/wasi.js PROGRAM.wasm [ARGUMENTS]`.
"use strict";
const { readFileSync } = require("node:fs");
const { WASI } = require("node:wasi");

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: ["jsift", ...args], preopens: { ".": process.cwd() } });
WebAssembly.instantiate(readFileSync(program), wasi.getImportObject()).then(({ instance }) => {
  process.exitCode = wasi.start(instance);
});
