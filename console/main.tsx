// Starts the console: learns what the server is, then shows the login or the frame with the view of the URL.
import { signal } from "@preact/signals";
import { render } from "preact";
import "web/style.css";
import "./console.css";
import "./lens/lens.css";
import "./tables/tables.css";
import "./browse/browse.css";
import "./designs/designs.css";
import "./designs/board/board.css";
import "./designs/edit/edit.css";
import "web/editor/editor.css";
import "./items/items.css";
import "./many/many.css";
import "./partiql/partiql.css";
import "./history/history.css";
import "./backups/backups.css";
import "./streams/streams.css";
import "./requests/requests.css";
import "./metrics/metrics.css";
import { path } from "web/route";
import { Problem } from "web/ui/table";
import { Frame } from "./frame";
import { Login } from "./login";
import { matchOf } from "./routes";
import { loadSession, session } from "./session";

const failure = signal<Error | undefined>(undefined);

function begin(): void {
  failure.value = undefined;
  void matchOf(path.peek())?.view.load().catch(() => undefined); // its code comes while the server says who this is; the frame reports a failure
  loadSession().catch((error: Error) => (failure.value = error));
}

function Console() {
  if (failure.value) return <main class="login"><Problem error={failure.value} again={begin} /></main>;
  if (!session.value) return <p class="starting" role="status">Tavola</p>;
  return session.value.needsLogin ? <Login /> : <Frame />;
}

render(<Console />, document.getElementById("app")!);
begin();
