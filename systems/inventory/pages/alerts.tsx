// Notices of low stock, and what became of the messages about them.
import * as inventory from "generated/InventorySystem";
import { moment, number } from "web/format";
import { useLoad } from "web/load";
import { ask, service } from "web/session";
import { Badge, Empty, Panel, Problem, Table } from "web/ui/table";
import { changes, products, shop } from "./shop";

interface Message {
  messageId: string;
  timestamp: string;
  channel: "email" | "webhook";
  kind: "low-stock" | "summary";
  recipient: string;
  subject: string;
  state: "WAITING" | "SENT" | "GIVEN_UP";
  attempts: number;
  nextAttempt: string;
  lastError: string;
  sentAt: string;
}

interface Messages {
  email: boolean;
  webhook: boolean;
  messages: Message[];
}

const noticesShown = 50;

export function Alerts() {
  const shopId = shop.value;
  const { state, again } = useLoad(
    async () => ({ notices: (await inventory.notificationsPage(service, { shopId }, { limit: noticesShown })).items, sent: await ask<Messages>(`/api/messages?shopId=${encodeURIComponent(shopId)}`) }),
    [shopId, changes.value],
  );
  const { value, error } = state.value;
  return (
    <>
      <h1>Alerts</h1>
      {error && <Problem error={error} again={again} />}
      {!value && !error && <div class="loading" role="progressbar" aria-label="Loading" />}
      {value && (
        <>
          {!value.sent.email && !value.sent.webhook && (
            <div class="notice">
              <span>This program sends nothing: it was started without --smtp and without --webhook. Notices are kept here.</span>
            </div>
          )}
          <Panel title="Notices of low stock" flush>
            {value.notices.length === 0 ? (
              <Empty icon="bell" title="No notices">
                <p>One is written when a product falls below its threshold, once each time.</p>
              </Empty>
            ) : (
              <Table
                caption="Notices of low stock" rows={value.notices} keyOf={(notice) => notice.notificationId}
                columns={[
                  { name: "Product", show: (notice) => <><strong>{notice.productName ?? notice.productId}</strong><span class="sub">{now(notice)}</span></> },
                  { name: "When", show: (notice) => moment(notice.timestamp) },
                  { name: "Left then", isNumber: true, show: (notice) => number(notice.currentStock) },
                  { name: "Threshold", isNumber: true, show: (notice) => number(notice.reorderThreshold) },
                ]}
              />
            )}
          </Panel>
          <Panel title="Messages" flush>
            {value.sent.messages.length === 0 ? (
              <Empty icon="bell" title="Nothing was sent" />
            ) : (
              <Table
                caption="Messages" rows={value.sent.messages} keyOf={(message) => message.messageId}
                columns={[
                  { name: "Message", show: (message) => <><strong>{message.subject}</strong><span class="sub">{message.channel === "email" ? "E-mail" : "Telephone"} to {message.recipient}</span></> },
                  { name: "When", show: (message) => moment(message.timestamp) },
                  { name: "Status", show: (message) => <Status message={message} /> },
                ]}
              />
            )}
          </Panel>
        </>
      )}
    </>
  );
}

function now(notice: inventory.Notification): string {
  const product = products.value?.find((one) => one.productId === notice.productId);
  if (!product) return "";
  return product.currentStock.compare(product.reorderThreshold) < 0 ? `now ${number(product.currentStock)}, still low` : `now ${number(product.currentStock)}`;
}

function Status({ message }: { message: Message }) {
  if (message.state === "SENT") return <><Badge kind="good">sent</Badge> <span class="quiet small">{moment(message.sentAt)}</span></>;
  if (message.state === "GIVEN_UP") return <><Badge kind="bad">given up</Badge><span class="sub">{message.lastError}</span></>;
  return (
    <>
      <Badge kind="warn">waiting</Badge>
      {message.lastError && (
        <span class="sub">
          {message.attempts} {message.attempts === 1 ? "attempt" : "attempts"}, again {moment(message.nextAttempt)}: {message.lastError}
        </span>
      )}
    </>
  );
}
