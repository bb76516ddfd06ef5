// The pictures of `make demo`: node demo_pictures.mjs BUILD FOLDER. They show its links, the crawler's status and the text analyzer. `make screenshots` runs it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { startBrowser } from "../browser/harness.mjs";
import { takePictures } from "./pictures.mjs";

const [build, folder] = process.argv.slice(2);
const shift = 21_000;
const urlOf = (port) => `http://127.0.0.1:${port + shift}`;
const demo = spawn("python3", ["-B", "systems/demo.py", build, "--shift", String(shift)], { stdio: ["ignore", "pipe", "inherit"] });
const ended = once(demo, "exit");
const said = await Promise.race([once(demo.stdout, "data"), ended]);
if (typeof said[0] === "number") throw new Error("the demo does not start");

const asked = async (url) => (await fetch(url)).json();
async function until(condition) {
  for (let tries = 0; !(await condition()); ++tries) {
    if (tries > 600) throw new Error("the demo does not get ready");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const browser = await startBrowser();
const picture = (url, name, views, storage) => takePictures({ context: browser.context, url, folder: path.join(folder, name), views, storage });
// While it scrapes, which is a few seconds of every minute.
await until(async () => {
  const { pages, running, shops } = await asked(`${urlOf(8011)}/status.json`);
  return pages >= 45 && running.length > 0 && shops.some(({ done }) => done > 0);
});
await picture(urlOf(8011), "crawler", [["status", "/", "crawl"]]);
const list = `${urlOf(8012)}/v1/text-analyzer-history/listFilesByOwner?ownerId=demo`;
await until(async () => (await asked(list)).items.every(({ status }) => status === "COMPLETED" || status === "FAILED"));
const { items: texts } = await asked(list);
const idOf = (name) => texts.find((text) => text.originalFileName === name).fileId;
await picture(urlOf(8012), "text-analyzer", [["texts", "/", "noise.txt"], ["result", `/file?id=${idOf("ARCHITECTURE.md")}`, "ten most frequent"], ["failure", `/file?id=${idOf("noise.txt")}`, "is not text"]], { ownerId: "demo" });
await picture(urlOf(8010), "demo", [["links", "/", "Text analyzer"]]);
await browser.close();
demo.kill("SIGINT");
await ended;
