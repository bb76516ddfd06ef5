#!/usr/bin/env node
// `npx tavola`: runs the program with the same arguments, passes signals on, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { program } = require("../program.cjs");

let path;
try {
  path = program();
} catch (error) {
  console.error(`tavola: ${error.message}`);
  process.exit(1);
}
const args = process.argv.slice(2);
// A server must not stay behind when npx is killed.
if (args[0] === "serve" && process.platform === "linux") args.push("--die-with-parent");
const child = spawn(path, args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`tavola: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
