// What becomes of the files that were chosen on this page:
//
//   waiting ─▶ reading (its fingerprint) ─▶ announcing ─▶ uploading ─▶ analysing ─▶ completed
//                                  failed ◀─ from each of them; a retry begins at "waiting"
import type * as history from "generated/text-analyzer-history";
import { effect, type Signal, signal } from "@preact/signals";
import { number } from "web/format";
import { ask } from "web/session";
import { askAgain, fileOf, news } from "./files";
import { ownerId } from "./owner";
import { refusal } from "./rules";
import { Sha256 } from "./sha256";

export type Phase =
  | { at: "waiting" | "announcing" }
  | { at: "reading" | "uploading"; share: number }
  | { at: "analysing"; isClaimed: boolean }
  | { at: "completed"; result: NonNullable<history.File["result"]>; isOld: boolean }
  | { at: "failed"; why: string; mayRetry: boolean };

export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly phase: Signal<Phase>;
  fileId: string | undefined; // as soon as it is announced
  fingerprint: string | undefined;
  failedBefore: string | undefined; // when an earlier analysis failed, until this one has begun
  stop: AbortController;
}

interface Announced {
  fileId: string;
  status: history.File["status"];
  upload?: { url: string };
}

const runningMax = 2; // a browser opens few connections to one server, and the events take one of them
const pieceBytes = 1 << 20; // some milliseconds of work, between which the page stays responsive

/** The newest first. */
export const uploads = signal<readonly Upload[]>([]);
/** What was counted last, for screen readers. */
export const lastWords = signal("");
let lastId = 0;
let running = 0;

export function add(files: Iterable<File>): void {
  const added = [...files].map((file): Upload => {
    const why = refusal(file);
    return {
      id: ++lastId, file, phase: signal<Phase>(why ? { at: "failed", why, mayRetry: false } : { at: "waiting" }),
      fileId: undefined, fingerprint: undefined, failedBefore: undefined, stop: new AbortController(),
    };
  });
  uploads.value = [...added.reverse(), ...uploads.value];
  runNext();
}

export function retry(upload: Upload): void {
  upload.stop = new AbortController();
  upload.phase.value = { at: "waiting" };
  runNext();
}

/** Takes an upload from the list; one that is under way ends. */
export function drop(upload: Upload): void {
  upload.stop.abort();
  uploads.value = uploads.value.filter((one) => one !== upload);
}

export const isDone = ({ phase: { value } }: Upload): boolean => value.at === "completed" || value.at === "failed";
/** Whether the page must stay open for it. */
export const needsPage = ({ phase: { value } }: Upload): boolean => ["waiting", "reading", "announcing", "uploading"].includes(value.at);

function runNext(): void {
  while (running < runningMax) {
    const next = uploads.peek().findLast((upload) => upload.phase.peek().at === "waiting"); // the one that waits longest
    if (!next) return;
    ++running;
    next.phase.value = { at: "reading", share: 0 };
    run(next)
      .catch((error: Error) => fail(next, error.message))
      .finally(() => (--running, runNext()));
  }
}

function fail(upload: Upload, why: string): void {
  if (!upload.stop.signal.aborted) upload.phase.value = { at: "failed", why, mayRetry: true };
}

async function run(upload: Upload): Promise<void> {
  const { file, phase, stop } = upload;
  upload.fingerprint ??= await fingerprintOf(file, stop.signal, (share) => (phase.value = { at: "reading", share }));
  stop.signal.throwIfAborted();
  phase.value = { at: "announcing" };
  const announced = await ask<Announced>("/files", { ownerId, name: file.name, size: file.size, fingerprint: upload.fingerprint });
  stop.signal.throwIfAborted();
  upload.fileId = announced.fileId;
  askAgain();
  if (announced.upload) {
    upload.failedBefore = announced.status === "FAILED" ? (await fileOf(announced.fileId))?.updatedAt.toString() : undefined;
    await send(upload, announced.upload.url);
  }
  phase.value = { at: "analysing", isClaimed: announced.status === "IN_PROGRESS" };
  await look(upload, !announced.upload);
}

/** Returns the SHA-256 of the content, reading a piece at a time. */
async function fingerprintOf(file: File, stop: AbortSignal, progress: (share: number) => void): Promise<string> {
  const hash = new Sha256();
  for (let at = 0; at < file.size; at += pieceBytes) {
    stop.throwIfAborted();
    const piece = await file.slice(at, at + pieceBytes).arrayBuffer().catch(() => {
      throw new Error("The file cannot be read. Was it changed or moved, or is it a folder? Choose it again.");
    });
    hash.update(new Uint8Array(piece));
    progress(Math.min(1, (at + pieceBytes) / file.size));
  }
  return hash.digest();
}

/** Sends the bytes to the bucket. fetch() does not report the progress of an upload. */
function send({ file, phase, stop }: Upload, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const end = (): void => request.abort();
    stop.signal.addEventListener("abort", end, { once: true });
    request.upload.addEventListener("progress", ({ loaded, total }) => (phase.value = { at: "uploading", share: total > 0 ? loaded / total : 1 }));
    request.addEventListener("load", () => (request.status < 300 ? resolve() : reject(new Error(`The upload was refused: ${reasonOf(request)}`))));
    request.addEventListener("error", () => reject(new Error("The upload was interrupted. Is the server there, and does the bucket let this page upload (CORS)?")));
    request.addEventListener("abort", () => reject(new Error("The upload was cancelled.")));
    request.addEventListener("loadend", () => stop.signal.removeEventListener("abort", end));
    request.open("PUT", url);
    phase.value = { at: "uploading", share: 0 };
    request.send(file.slice(0, file.size, "")); // without a type: buckets need not allow the header
  });
}

function reasonOf(request: XMLHttpRequest): string {
  const xml = new DOMParser().parseFromString(request.responseText, "application/xml");
  return xml.querySelector("Error > Message")?.textContent ?? `status ${request.status}`;
}

/** Asks how far the analysis is. */
async function look(upload: Upload, isOld = false): Promise<void> {
  const file = await fileOf(upload.fileId ?? "");
  if (upload.phase.peek().at !== "analysing" || upload.stop.signal.aborted) return;
  if (!file) return fail(upload, "The server has removed the file.");
  if (file.status === "FAILED" && file.updatedAt.toString() === upload.failedBefore) return; // no worker has the new upload yet
  if (file.status === "COMPLETED" && file.result) {
    upload.phase.value = { at: "completed", result: file.result, isOld };
    lastWords.value = `${upload.file.name}: ${number(file.result.totalWords)} words`;
    askAgain(); // for the history
  } else if (file.status === "FAILED") {
    fail(upload, file.errorMessage ?? "The analysis failed.");
    askAgain();
  } else {
    upload.phase.value = { at: "analysing", isClaimed: file.status === "IN_PROGRESS" };
  }
}

const analysed = (): Upload[] => uploads.peek().filter(({ phase }) => phase.peek().at === "analysing");
effect(() => {
  if (news.value > 0) for (const upload of analysed()) look(upload).catch(() => undefined); // asked again soon
});
// Events can be lost with their connection.
const pauseSeconds = 10;
setInterval(() => analysed().length > 0 && askAgain(), pauseSeconds * 1000);
addEventListener("beforeunload", (event) => uploads.peek().some(needsPage) && event.preventDefault());
