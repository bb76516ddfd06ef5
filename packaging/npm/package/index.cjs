// Starts a server for a program or a test, and stops it.
"use strict";

const { spawn } = require("node:child_process");
const { program } = require("./program.cjs");

const CREDENTIALS = Object.freeze({ accessKeyId: "tavola", secretAccessKey: "tavola" });

function argumentsOf(options) {
  const { data, port = 0, region = "local", designs = [], args = [] } = options;
  const given = ["serve", "--port", String(port), "--region", region, "--console", "off", "--ready-fd", "3"];
  // The server ends with this process, however this process ends.
  if (process.platform === "linux") given.push("--die-with-parent", String(process.pid));
  if (data === undefined) given.push("--in-memory");
  else given.push("--data", data);
  for (const design of designs) given.push("--design", design);
  return [...given, ...args];
}

// Resolves to the text of a stream, when it ends.
async function textOf(stream) {
  let text = "";
  stream.setEncoding("utf8");
  for await (const part of stream) text += part;
  return text;
}

exports.start = async function start(options = {}) {
  const child = spawn(program(), argumentsOf(options), { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  ended.catch(() => {});
  let log = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (part) => {
    log = (log + part).slice(-10_000);
  });
  const ready = await textOf(child.stdio[3]);
  if (!ready) throw new Error(`Tavola did not start (${await ended}):\n${log.trim()}`);
  const { endpoint } = JSON.parse(ready);
  // A test runner may end while the server runs: it does not wait for it.
  child.unref();
  child.stderr.unref();
  child.stdio[3].unref?.();
  const stop = async () => {
    child.ref();
    child.kill("SIGTERM");
    await ended;
  };
  return { endpoint, region: options.region ?? "local", credentials: CREDENTIALS, pid: child.pid, stop, [Symbol.asyncDispose ?? "stop"]: stop };
};

// Points AWS's SDKs and tools, in this process and those it starts from now on, to a server.
exports.useInEnvironment = function useInEnvironment(server) {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: server.endpoint,
    AWS_REGION: server.region,
    AWS_ACCESS_KEY_ID: server.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.credentials.secretAccessKey,
  });
};
