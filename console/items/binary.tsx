// Binary: hexadecimal or base64 text, a file to take it from or to save it as, a picture if it is one.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { typedBinary } from "../db/typed";
import { base64Of, bytesOf, hexOf } from "../db/value";
import { bytes as sizeText } from "../format";
import { rewritten } from "./draft";

const editedMost = 16_384; // letters of text that a field shows; more is shown by its beginning
const signs: readonly (readonly [string, string, string])[] = [
  ["89504e470d0a1a0a", "image/png", "png"], ["ffd8ff", "image/jpeg", "jpg"], ["47494638", "image/gif", "gif"], ["52494646", "image/webp", "webp"], ["424d", "image/bmp", "bmp"],
  ["25504446", "application/pdf", "pdf"], ["1f8b", "application/gzip", "gz"], ["504b0304", "application/zip", "zip"],
];

interface Kind {
  type: string;
  ending: string;
}

export function kindOf(bytes: Uint8Array): Kind {
  const start = hexOf(bytes.subarray(0, 8));
  const [, type, ending] = signs.find(([sign]) => start.startsWith(sign)) ?? ["", "application/octet-stream", "bin"];
  return { type: type!, ending: ending! };
}

/** Saves bytes as a file of the person's. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// The page's policy allows no address but its own, so a picture is drawn instead of linked.
function Picture({ bytes, type }: { bytes: Uint8Array; type: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [text, setText] = useState("");
  useEffect(() => {
    let isShown = true;
    createImageBitmap(new Blob([bytes as BlobPart], { type })).then(
      (picture) => {
        if (!isShown || !canvas.current) return;
        const scale = Math.min(1, 320 / picture.width, 240 / picture.height);
        canvas.current.width = Math.max(1, picture.width * scale);
        canvas.current.height = Math.max(1, picture.height * scale);
        canvas.current.getContext("2d")?.drawImage(picture, 0, 0, canvas.current.width, canvas.current.height);
        setText(`${type.slice(6)}, ${picture.width} × ${picture.height}`);
      },
      () => setText("The picture cannot be drawn"),
    );
    return () => void (isShown = false);
  }, [bytes]);
  return <figure class="picture"><canvas ref={canvas} role="img" aria-label={`Picture: ${text}`} width={1} height={1} /><figcaption class="quiet small">{text}</figcaption></figure>;
}

function decoded(text: string): Uint8Array | undefined {
  try {
    return bytesOf(typedBinary(text.trim()));
  } catch {
    return undefined;
  }
}

interface Props {
  text: string;
  onChange: (text: string) => void;
  readOnly: boolean;
  "aria-label": string;
  "aria-invalid": "true" | undefined;
  "aria-describedby": string | undefined;
}

export function BinaryField({ text, onChange, readOnly, ...about }: Props) {
  const file = useRef<HTMLInputElement>(null);
  const bytes = useMemo(() => decoded(text), [text]);
  const form = text.startsWith("0x") ? "hex" : "base64";
  const kind = bytes && kindOf(bytes);
  const take = async (chosen: File | undefined): Promise<void> => {
    if (chosen) onChange(base64Of(new Uint8Array(await chosen.arrayBuffer())));
  };
  return (
    <div class="binary" role="group" aria-label={`${about["aria-label"]}: binary`}>
      {text.length > editedMost ? (
        <p class="binary-start mono small">{text.slice(0, 400)}…</p>
      ) : (
        <textarea {...about} class="mono" rows={1} readOnly={readOnly} spellcheck={false} placeholder="base64, or 0x…" value={text} onInput={(e) => onChange(e.currentTarget.value)} />
      )}
      <div class="row">
        <Segments label="Binary as" options={[["base64", "base64"], ["hex", "hex"]]} value={form} onChange={(next) => onChange(rewritten(text, next))} />
        {!readOnly && <button class="button small" type="button" onClick={() => file.current?.click()}>From a file</button>}
        {bytes && bytes.length > 0 && <button class="button small" type="button" onClick={() => saveFile(`${about["aria-label"]}.${kind!.ending}`, new Blob([bytes as BlobPart], { type: kind!.type }))}><Icon name="archive" />Download</button>}
        <span class="quiet small">{bytes ? sizeText(bytes.length) : ""}</span>
        <input ref={file} type="file" hidden aria-label={`${about["aria-label"]}: file`} onChange={(e) => void take(e.currentTarget.files?.[0])} />
      </div>
      {bytes && kind?.type.startsWith("image/") && <Picture bytes={bytes} type={kind.type} />}
    </div>
  );
}
