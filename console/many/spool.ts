// Text that is written piece by piece and does not stay in the page's memory: a private file of the browser, or a blob where a page may have no files
// (without TLS on another machine, in some private windows).
const folderName = "spools";
const pieceLetters = 256 * 1024;

interface Sink {
  write(text: string): Promise<void>;
  close(): Promise<Blob>;
  drop(): Promise<void>;
}

async function folder(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    const all = await (await navigator.storage.getDirectory()).getDirectoryHandle(folderName, { create: true });
    await removeLeft(all);
    return all;
  } catch {
    return undefined;
  }
}

/** Removes files of pages that were closed: a page holds a lock on each of its own. */
async function removeLeft(all: FileSystemDirectoryHandle): Promise<void> {
  const held = new Set((await navigator.locks.query()).held?.map((lock) => lock.name));
  const names = all as unknown as { keys(): AsyncIterable<string> };
  for await (const name of names.keys()) if (!held.has(name)) await all.removeEntry(name).catch(() => undefined);
}

/** Holds a lock until the page is closed. */
const hold = (name: string): Promise<void> => new Promise((resolve) => void navigator.locks.request(name, () => (resolve(), new Promise(() => undefined))));

async function fileSink(all: FileSystemDirectoryHandle): Promise<Sink> {
  const name = `spool-${crypto.randomUUID()}`;
  await hold(name);
  const handle = await all.getFileHandle(name, { create: true });
  const out = await handle.createWritable();
  return {
    write: (text) => out.write(text),
    close: async () => (await out.close(), handle.getFile()),
    drop: async () => (await out.abort().catch(() => undefined), all.removeEntry(name).catch(() => undefined)),
  };
}

function blobSink(): Sink {
  let whole = new Blob([]);
  return {
    write: async (text) => void (whole = new Blob([whole, text])),
    close: async () => whole,
    drop: async () => void (whole = new Blob([])),
  };
}

export class Spool {
  /** Bytes that were written, nearly: letters beyond ASCII are one. */
  size = 0;
  private readonly sink: Sink;
  private waiting: string[] = [];
  private letters = 0;

  private constructor(sink: Sink) {
    this.sink = sink;
  }

  static async make(): Promise<Spool> {
    const all = await folder();
    return new Spool(all ? await fileSink(all).catch(blobSink) : blobSink());
  }

  async write(text: string): Promise<void> {
    this.waiting.push(text);
    this.letters += text.length;
    this.size += text.length;
    if (this.letters >= pieceLetters) await this.flush();
  }

  /** Ends the writing and returns what was written. It is there until `drop`, or until the page is closed. */
  async finish(type: string): Promise<Blob> {
    await this.flush();
    const all = await this.sink.close();
    return all.slice(0, all.size, type);
  }

  drop(): Promise<void> {
    this.waiting = [];
    return this.sink.drop();
  }

  private async flush(): Promise<void> {
    const text = this.waiting.join("");
    this.waiting = [];
    this.letters = 0;
    if (text !== "") await this.sink.write(text);
  }
}

/** Returns the lines of what was written, one after the other. */
export async function* linesOf(blob: Blob): AsyncGenerator<string> {
  let rest = "";
  const reader = blob.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
