// The frame of an application: navigation, the person, the theme; and the login page before it.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { follow, path, query } from "../route";
import { isOnline, logOut, session } from "../session";
import { Icon } from "./icons";
import { Mark } from "./mark";
import { ThemeButton } from "./theme";
import { Toasts } from "./toast";

export interface Place {
  href: string;
  name: string;
  icon: string;
}

const isCurrent = (href: string): boolean => (href === "/" ? path.value === "/" : path.value === href || path.value.startsWith(`${href}/`));

const subject = signal("");
/** Names in the title of the page what a view is about, while it is shown. */
export function useSubject(name: string | undefined): void {
  useEffect(() => {
    subject.value = name ?? "";
    return () => void (subject.value = "");
  }, [name]);
}

/** The page for a guest who wants to log in, and who returns to this view afterwards. */
export const loginPage = (): string => `/login?to=${encodeURIComponent(location.pathname + location.search)}`;

function Person() {
  const user = session.value?.name ?? "";
  return (
    <div class="person" title={session.value?.groups.join(", ")}>
      <span class="avatar" aria-hidden="true">
        {user.slice(0, 1)}
      </span>
      <span class="name">{user}</span>
    </div>
  );
}

/** `offline` says what becomes of what people do while the server cannot be reached. */
export function Frame({ title, places, top, offline, children }: { title: string; places: Place[]; top?: ComponentChildren; offline?: string; children: ComponentChildren }) {
  const isKnown = Boolean(session.value?.user);
  const canLogIn = (session.value?.login.length ?? 0) > 0;
  const place = places.find(({ href }) => isCurrent(href));
  const name = [subject.value, place?.name, title].filter(Boolean).join(" · ");
  useEffect(() => void (document.title = name), [name]);
  return (
    <div class="frame" onClick={follow}>
      <a class="skip" href="#content" data-load>
        Skip to the content
      </a>
      <header class="side">
        <a class="brand" href="/">
          <Mark />
          <span class="name">{title}</span>
        </a>
        {top}
        <nav class="nav" aria-label="Main">
          {places.map((place) => (
            <a key={place.href} href={place.href} aria-current={isCurrent(place.href) ? "page" : undefined}>
              <Icon name={place.icon} />
              {place.name}
            </a>
          ))}
        </nav>
        <div class="side-end">
          {isKnown && <Person />}
          <div class="row">
            <ThemeButton />
            {isKnown ? (
              <button class="button plain small" type="button" onClick={() => void logOut()} aria-label="Log out" title="Log out">
                <Icon name="out" />
                <span class="word">Log out</span>
              </button>
            ) : (
              canLogIn && (
                <a class="button small" href={loginPage()}>
                  Log in
                </a>
              )
            )}
          </div>
        </div>
      </header>
      <main class="main" id="content" tabIndex={-1}>
        <div class="page">
          {!isOnline.value && (
            <div class="notice" role="status">
              The server cannot be reached. {offline}
            </div>
          )}
          {children}
        </div>
      </main>
      <Toasts />
    </div>
  );
}

export function LoginPage({ title }: { title: string }) {
  const logins = session.value?.login ?? [];
  const to = path.value === "/login" ? (query.value.get("to") ?? "/") : location.pathname + location.search;
  return (
    <main class="login">
      <div class="panel">
        <div class="row">
          <h1 class="brand grow">
            <Mark />
            {title}
          </h1>
          <ThemeButton />
        </div>
        {logins.map(({ href }) => (
          <a key={href} class="button primary" href={`${href}?to=${encodeURIComponent(to)}`} data-load>
            Log in
          </a>
        ))}
        {logins.length === 0 && <p class="notice">Nobody can log in: the program was started without a way to know people. Start it with --oidc-issuer, or with --dev-login for development.</p>}
      </div>
    </main>
  );
}
