// globalSetup of Jest: a server in memory for the run, which AWS's SDKs find by the environment.
"use strict";

const { start, useInEnvironment } = require("./index.cjs");

module.exports = async function setup() {
  globalThis.tavola = await start();
  useInEnvironment(globalThis.tavola);
};
