// The frame of an application: navigation, the person, the theme; and the login page before it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { follow, go, path, query } from "../route";
import { isOnline, type Login, logIn, logOut, session } from "../session";
import { Field } from "./form";
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

/** The page for a guest who wants to log in, and who returns to this view afterwards. */
export const loginPage = (): string => `/login?to=${encodeURIComponent(location.pathname + location.search)}`;

function Person() {
  const user = session.value?.user ?? "";
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

function ChoosePerson({ login }: { login: Login }) {
  const [user, setUser] = useState(login.people?.[0]?.user ?? "");
  const [groups, setGroups] = useState((login.people?.[0]?.groups ?? []).join(", "));
  const [wrong, setWrong] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    setWrong("");
    const list = groups.split(",").map((group) => group.trim()).filter((group) => group !== "");
    const to = query.value.get("to") ?? "/";
    logIn(login, { user: user.trim(), groups: list }).then(
      () => path.value === "/login" && go(to.startsWith("/") && !to.startsWith("//") ? to : "/", "replace"),
      (error: Error) => setWrong(error.message),
    );
  };
  return (
    <form onSubmit={submit}>
      {login.people && login.people.length > 0 && (
        <div class="row" role="group" aria-label="Known people">
          {login.people.map((person) => (
            <button key={person.user} class="button small" type="button" onClick={() => (setUser(person.user), setGroups(person.groups.join(", ")))}>
              {person.user}
            </button>
          ))}
        </div>
      )}
      <Field label="User" wrong={wrong}>
        {(id) => <input {...id} name="user" value={user} onInput={(e) => setUser(e.currentTarget.value)} required autocomplete="username" autofocus />}
      </Field>
      <Field label="Groups" hint="Separated by commas">
        {(id) => <input {...id} name="groups" value={groups} onInput={(e) => setGroups(e.currentTarget.value)} />}
      </Field>
      <button class="button primary" type="submit">
        Log in
      </button>
      <p class="quiet small">This login checks no password. It is for development, on this machine only.</p>
    </form>
  );
}

export function LoginPage({ title }: { title: string }) {
  const logins = session.value?.login ?? [];
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
        {logins.map((login) =>
          login.kind === "choose" ? (
            <ChoosePerson key={login.href} login={login} />
          ) : (
            <a key={login.href} class="button primary" href={login.href} data-load>
              Log in
            </a>
          ),
        )}
        {logins.length === 0 && <p class="notice">Nobody can log in: the program was started without a way to know people. Start it with --dev-login.</p>}
      </div>
    </main>
  );
}
