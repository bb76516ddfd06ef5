// A dialog before what cannot be undone: the person types the name of what will be lost.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "web/ui/dialog";
import { Field } from "web/ui/form";

export function TypedConfirm(props: { title: string; name: string; yes: string; children: ComponentChildren; onYes: () => void; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (typed !== props.name) return;
    props.onYes();
    props.onClose();
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form class="stack wide" onSubmit={submit}>
        {props.children}
        <Field label={`Type ${props.name} to confirm`}>
          {(id) => <input {...id} class="mono" value={typed} autofocus autocomplete="off" spellcheck={false} onInput={(e) => setTyped(e.currentTarget.value)} />}
        </Field>
        <div class="form-end">
          <button class="button" type="button" onClick={props.onClose}>Cancel</button>
          <button class="button primary bad" type="submit" disabled={typed !== props.name}>{props.yes}</button>
        </div>
      </form>
    </Dialog>
  );
}
