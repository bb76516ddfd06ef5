// A native dialog: the browser keeps the focus in it, closes it on Escape, and gives the focus back to where it was.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "./icons";

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close(); // an open dialog that is removed leaves the focus nowhere
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => dialog.current && onClose()}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button class="button plain small" type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

export function Confirm(props: { title: string; text: string; yes: string; onYes: () => void; onClose: () => void }) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p>{props.text}</p>
      <div class="form-end">
        <button class="button" type="button" onClick={props.onClose}>
          Cancel
        </button>
        <button class="button primary" type="button" onClick={() => (props.onYes(), props.onClose())}>
          {props.yes}
        </button>
      </div>
    </Dialog>
  );
}
