// The keys that work in the view that is shown.
import { signal } from "@preact/signals";
import { Dialog } from "web/ui/dialog";
import { bindings, hints, written } from "./keys";

export const isHelpOpen = signal(false);

export function KeyboardHelp() {
  const seen = new Map(bindings.value.map((one) => [one.keys, one.name]));
  return (
    <Dialog title="Keys" onClose={() => (isHelpOpen.value = false)}>
      <dl class="keys">
        {[...seen].map(([keys, name]) => (
          <div key={keys}>
            <dt>{written(keys).map((key, at) => <>{at > 0 && " then "}<kbd>{key}</kbd></>)}</dt>
            <dd>{name}</dd>
          </div>
        ))}
        {hints.value.map(({ keys, name }) => <div key={name}><dt>{keys.map((key, at) => <>{at > 0 && " "}<kbd>{key}</kbd></>)}</dt><dd>{name}</dd></div>)}
        <div><dt><kbd>Tab</kbd></dt><dd>Go to the next field or button; with Shift back</dd></div>
        <div><dt><kbd>Esc</kbd></dt><dd>Close what is open</dd></div>
      </dl>
    </Dialog>
  );
}
