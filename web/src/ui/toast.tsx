// Short messages at the edge of the page, read out by screen readers.
import { signal } from "@preact/signals";

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
  action?: { name: string; run: () => void } | undefined;
}

const toasts = signal<Toast[]>([]);
let last = 0;

const drop = (id: number): void => void (toasts.value = toasts.value.filter((toast) => toast.id !== id));

export function say(text: string, options: { isBad?: boolean; action?: Toast["action"] } = {}): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { id, text, isBad: options.isBad ?? false, action: options.action }];
  setTimeout(() => drop(id), options.isBad || options.action ? 10_000 : 5_000);
}

export function sayError(error: unknown): void {
  say(error instanceof Error ? error.message : String(error), { isBad: true });
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.isBad ? "bad" : ""}`}>
          <span class="grow">{toast.text}</span>
          {toast.action && (
            <button class="button plain small" type="button" onClick={() => (toast.action?.run(), drop(toast.id))}>
              {toast.action.name}
            </button>
          )}
          <button class="button plain small" type="button" aria-label="Close the message" onClick={() => drop(toast.id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
