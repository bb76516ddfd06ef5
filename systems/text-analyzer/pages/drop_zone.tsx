// Where files are dropped or chosen, with the limits of what is taken.
import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "web/route";
import { Icon } from "web/ui/icons";
import { sizeMax, sizeText, types } from "./rules";
import { add } from "./uploads";

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

/** Takes files that are dropped anywhere on the page; a browser would open them instead. Returns whether some hover over it. */
function useDrops(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => void (event.relatedTarget === null && setOver(false));
    const dropped = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      add(event.dataTransfer?.files ?? []);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", dropped);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", dropped);
    };
  }, []);
  return isOver;
}

/** A button that opens the browser's dialog for files; those that are chosen are uploaded, and shown on the first page. */
export function ChooseFiles(props: { name: string; label?: string; kind?: "primary" | "small"; several?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const chosen = (): void => {
    const files = [...(input.current?.files ?? [])];
    if (input.current) input.current.value = ""; // so that the same file can be chosen again
    if (files.length === 0) return;
    add(files);
    go("/");
  };
  return (
    <>
      <input ref={input} type="file" hidden multiple={props.several ?? false} onChange={chosen} />
      <button class={`button ${props.kind ?? ""}`} type="button" aria-label={props.label} onClick={() => input.current?.click()}>
        <Icon name="upload" />
        {props.name}
      </button>
    </>
  );
}

export function DropZone() {
  const isOver = useDrops();
  return (
    <section class={`drop ${isOver ? "over" : ""}`} aria-label="Upload texts">
      <Icon name="upload" />
      <p class="lead">{isOver ? "Let go to upload" : "Drop texts here"}</p>
      <ChooseFiles name="Choose files" kind="primary" several />
      <p class="quiet small">
        Up to {sizeText(sizeMax())} each, in UTF-8 or UTF-16. The text itself is removed as soon as its words are counted.
      </p>
      <details class="quiet small">
        <summary>Kinds of files</summary>
        <p>{types().map((type) => `.${type}`).join(", ")}, and names without an ending.</p>
      </details>
    </section>
  );
}
