// Starts an application: learns who is logged in, then shows the login page or the application.
import { signal } from "@preact/signals";
import { type ComponentType, render } from "preact";
import "./style.css";
import { path } from "./route";
import { loadSession, session } from "./session";
import { LoginPage } from "./ui/frame";
import { Problem } from "./ui/table";

const failure = signal<Error | undefined>(undefined);
const begin = (): void => {
  failure.value = undefined;
  loadSession().catch((error: Error) => (failure.value = error));
};

export function start(title: string, App: ComponentType): void {
  document.title = title;
  function Root() {
    if (failure.value) return <main class="login"><Problem error={failure.value} again={begin} /></main>;
    // The element of index.html, so that what replaces it is all that there is.
    if (!session.value) return <p class="starting" role="status">{title}</p>;
    const isGuest = !session.value.user;
    if (isGuest && (session.value.guests !== "read" || path.value === "/login")) return <LoginPage title={title} />;
    return <App />;
  }
  render(<Root />, document.getElementById("app")!);
  begin();
}
