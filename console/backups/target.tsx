// A dialog that asks for the name of the table that a restore makes.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "web/ui/dialog";
import { Field } from "web/ui/form";

interface Props {
  source: string;
  restore: (target: string) => Promise<unknown>;
  children: ComponentChildren;
  onClose: () => void;
}

export function TargetDialog({ source, restore, children, onClose }: Props) {
  const [target, setTarget] = useState(`${source}-restored`);
  const [wrong, setWrong] = useState("");
  const [isBusy, setBusy] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    setWrong("");
    setBusy(true);
    restore(target).then(onClose, (why: Error) => (setWrong(why.message), setBusy(false)));
  };
  return (
    <Dialog title="Restore to a new table" onClose={onClose}>
      <form class="stack wide" onSubmit={submit}>
        {children}
        <Field label="Name of the new table" hint="It gets the items, keys and indexes. Time to live, tags, stream and design are not restored." wrong={wrong}>
          {(id) => <input {...id} class="mono" value={target} required autofocus autocomplete="off" spellcheck={false} onInput={(e) => setTarget(e.currentTarget.value)} />}
        </Field>
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>Cancel</button>
          <button class="button primary" type="submit" disabled={isBusy}>Restore</button>
        </div>
      </form>
    </Dialog>
  );
}
