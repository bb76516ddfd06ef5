// What the console is, how programs reach this database, and what people look for first.
import { Panel } from "web/ui/table";
import { session } from "./session";
import { Snippet } from "./snippet";

export default function Help() {
  const { endpoint = "", region = "" } = session.value ?? {};
  return (
    <div class="page">
      <h1>Help</h1>
      <Panel title="Reach this database from a program">
        <p>Set these two variables, and every AWS SDK and the AWS CLI speak to this database. A server without --credentials takes any keys.</p>
        <Snippet text={`export AWS_ENDPOINT_URL_DYNAMODB=${endpoint} AWS_REGION=${region}\nexport AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x`} />
      </Panel>
      <Panel title="A table is missing?">
        <p>
          This is one database, whatever access key and region a program uses. DynamoDB Local keeps a separate database for each key and region unless it is told otherwise; Tavola does not.
          If a table is not here, the program uses another endpoint: look at its configuration for <code>{endpoint}</code>.
        </p>
      </Panel>
      <Panel title="Numbers are exact">
        <p>DynamoDB has numbers of 38 digits, which JavaScript's own cannot hold. This page keeps them as text: 12345678901234567890 stays 12345678901234567890.</p>
      </Panel>
      <Panel title="Keyboard">
        <p><kbd>Ctrl K</kbd> finds tables, views and actions. <kbd>?</kbd> lists the keys of the view that is shown.</p>
      </Panel>
    </div>
  );
}
