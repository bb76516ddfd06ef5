// The login, when the server verifies access keys: what this key may do holds for everything that the page asks for.
import { useState } from "preact/hooks";
import { Field } from "web/ui/form";
import { Mark } from "web/ui/mark";
import { ThemeButton } from "web/ui/theme";
import { logIn } from "./session";

export function Login() {
  const [key, setKey] = useState("");
  const [secret, setSecret] = useState("");
  const [wrong, setWrong] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    setWrong("");
    logIn(key.trim(), secret.trim()).catch((error: Error) => setWrong(error.message));
  };
  return (
    <main class="login">
      <div class="panel">
        <div class="row">
          <h1 class="brand grow"><Mark />Tavola</h1>
          <ThemeButton />
        </div>
        <form onSubmit={submit}>
          <Field label="Access key" wrong={wrong}>
            {(id) => <input {...id} name="accessKeyId" class="mono" value={key} onInput={(e) => setKey(e.currentTarget.value)} required autocomplete="username" spellcheck={false} autofocus />}
          </Field>
          <Field label="Secret key">
            {(id) => <input {...id} name="secretAccessKey" class="mono" type="password" value={secret} onInput={(e) => setSecret(e.currentTarget.value)} required autocomplete="current-password" />}
          </Field>
          <button class="button primary" type="submit">Log in</button>
          <p class="quiet small">These are the keys of the file that the server was started with (--credentials). What a key may do there, it may do here.</p>
        </form>
      </div>
    </main>
  );
}
