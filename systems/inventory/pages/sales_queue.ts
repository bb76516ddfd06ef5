// Sales that wait for the server. A sale is kept in the browser before it is sent, with an id of its own, and dropped when the server has
// answered. So a sale is neither lost nor recorded twice when the network fails: the design takes the same saleId once.
import { effect, signal } from "@preact/signals";
import * as inventory from "generated/InventorySystem";
import { service, session } from "web/session";

export interface WaitingSale {
  saleId: string;
  shopId: string;
  productId: string;
  quantity: string;
  timestamp: string; // when it was sold
  milliseconds: number; // the same, for the order
  productName: string;
  user: string; // who sold it; sent when the same person is logged in
}

export interface Outcome {
  sale: WaitingSale;
  recorded?: inventory.Sale;
  refusal?: unknown;
}

// Each sale has an entry of its own, so that tabs that change the queue at the same time lose nothing.
const prefix = "waiting-sale:";
function stored(): WaitingSale[] {
  const entries = Object.keys(localStorage).filter((key) => key.startsWith(prefix)).map((key) => localStorage.getItem(key));
  const sales = entries.filter((entry) => entry !== null).map((entry) => JSON.parse(entry) as WaitingSale);
  return sales.sort((a, b) => a.milliseconds - b.milliseconds);
}
export const waiting = signal<WaitingSale[]>(stored());
const showStored = (): void => void (waiting.value = stored());
addEventListener("storage", (event) => (event.key === null || event.key.startsWith(prefix)) && showStored());

let isSending = false;
let pause = 1000;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<(outcome: Outcome) => void>();

export function onOutcome(listener: (outcome: Outcome) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function sell(sale: Omit<WaitingSale, "saleId" | "timestamp" | "milliseconds" | "user">): void {
  const now = new Date();
  const timestamp = now.toISOString().replace(/\.\d+Z$/, "Z");
  const whole: WaitingSale = { ...sale, saleId: crypto.randomUUID(), timestamp, milliseconds: now.getTime(), user: session.value?.user ?? "" };
  localStorage.setItem(prefix + whole.saleId, JSON.stringify(whole));
  showStored();
  void sendWaiting();
}

/** Sends the waiting sales one after the other, and tries again later if there is no answer. */
export async function sendWaiting(): Promise<void> {
  if (isSending || !session.value?.user) return;
  isSending = true;
  clearTimeout(timer);
  try {
    for (let sale = next(); sale; sale = next()) {
      const outcome = await send(sale);
      localStorage.removeItem(prefix + sale.saleId);
      showStored();
      for (const listener of listeners) listener(outcome);
    }
    pause = 1000;
  } catch {
    timer = setTimeout(() => void sendWaiting(), pause);
    pause = Math.min(pause * 2, 30_000);
  } finally {
    isSending = false;
  }
}

const next = (): WaitingSale | undefined => stored().find((sale) => sale.user === session.value?.user);

async function send(sale: WaitingSale): Promise<Outcome> {
  const { saleId, shopId, productId, timestamp } = sale;
  try {
    const quantity = inventory.Decimal.of(sale.quantity);
    return { sale, recorded: await inventory.recordSale(service, { saleId, shopId, productId, quantity, timestamp, performedBy: sale.user }) };
  } catch (error) {
    const isTheirs = session.value?.user === sale.user; // otherwise somebody else has logged in meanwhile
    const isAnswer = isTheirs && error instanceof inventory.Refused && error.refusal !== "NOT_LOGGED_IN";
    if (!isAnswer) throw error;
    return { sale, refusal: error };
  }
}

addEventListener("online", () => void sendWaiting());
effect(() => {
  if (session.value?.user) void sendWaiting();
});
