// Work on many items: how far it is, what failed, and its end on request. It goes on while somebody looks at another view of the console.
import { type Signal, signal } from "@preact/signals";
import { go } from "web/route";
import { say } from "web/ui/toast";

/** Something that was not done, with the reason in words. */
export interface Listed {
  kind: string; // "Refused", "Changed by somebody else"
  where: string; // "line 12", or the key of an item
  reason: string;
  url?: string | undefined; // of the item
}

export interface Progress {
  phase: string;
  done: number;
  total: number | undefined;
  unit: "items" | "bytes"; // of `done` and `total`
  counts: readonly (readonly [string, number])[];
  isRunning: boolean;
  isStopped: boolean;
  seconds: number;
  error: Error | undefined;
}

const listedMost = 1000; // kept in memory; the others are counted
const shownEachMilliseconds = 100;

export class Job<Result = unknown> {
  readonly progress: Signal<Progress>;
  /** What the work found out: a report, a file. */
  readonly result = signal<Result | undefined>(undefined);
  readonly listed: Listed[] = [];
  readonly kinds = new Map<string, number>();
  private readonly stopping = new AbortController();
  private readonly counts = new Map<string, number>();
  private readonly started = performance.now();
  private latest: Progress;
  private waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(phase: string, total: number | undefined, unit: Progress["unit"] = "items") {
    this.latest = { phase, done: 0, total, unit, counts: [], isRunning: true, isStopped: false, seconds: 0, error: undefined };
    this.progress = signal(this.latest);
  }

  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  stop(): void {
    this.stopping.abort();
  }

  count(name: string, more = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + more);
  }

  counted(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  list(one: Listed): void {
    this.kinds.set(one.kind, (this.kinds.get(one.kind) ?? 0) + 1);
    if (this.listed.length < listedMost) this.listed.push(one);
  }

  /** Notes how far the work is. The page is drawn again ten times a second, whatever comes. */
  note(part: Partial<Pick<Progress, "phase" | "done" | "total" | "unit">>): void {
    this.latest = { ...this.latest, ...part };
    this.waiting ??= setTimeout(() => this.show(), shownEachMilliseconds);
  }

  async run(work: (job: Job<Result>) => Promise<Result>): Promise<void> {
    running.value++;
    try {
      const result = await work(this);
      this.latest = { ...this.latest, isStopped: this.signal.aborted };
      this.result.value = result;
    } catch (why) {
      this.latest = this.signal.aborted ? { ...this.latest, isStopped: true } : { ...this.latest, error: why as Error };
    } finally {
      running.value--;
      this.latest = { ...this.latest, isRunning: false };
      this.show();
    }
  }

  private show(): void {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    this.progress.value = this.latest = { ...this.latest, counts: [...this.counts], seconds: (performance.now() - this.started) / 1000 };
  }
}

const running = signal(0);
/** Closing the page ends the work, so the browser asks. */
addEventListener("beforeunload", (event) => running.value > 0 && event.preventDefault());

const jobs = signal<ReadonlyMap<string, Job<never>>>(new Map());

/** Returns the work that was begun last under a name, which still runs or has ended. */
export const jobOf = <Result>(name: string): Job<Result> | undefined => jobs.value.get(name) as Job<Result> | undefined;

export function forgetJob(name: string): void {
  const all = new Map(jobs.peek());
  all.delete(name);
  jobs.value = all;
}

export function startJob<Result>(name: string, job: Job<Result>, work: (job: Job<Result>) => Promise<Result>): Job<Result> {
  const { pathname, search } = location;
  jobs.value = new Map(jobs.peek()).set(name, job as Job<never>);
  void job.run(work).then(() => {
    if (location.pathname !== pathname) say(job.progress.peek().error ? "Work on many items has failed" : "Work on many items is done", { action: { name: "Show", run: () => go(pathname + search) } });
  });
  return job;
}
