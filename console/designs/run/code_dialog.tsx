// A pattern or an operation as code to copy.
import { useState } from "preact/hooks";
import { Dialog } from "web/ui/dialog";
import { Segments } from "web/ui/form";
import { session } from "../../session";
import { Snippet } from "../../snippet";
import { type Language, type Use, codeOf, languages } from "./codes";

export function CodeDialog({ use, onClose }: { use: Omit<Use, "endpoint" | "region">; onClose: () => void }) {
  const [language, setLanguage] = useState<Language>((localStorage.getItem("run language") as Language | null) ?? "curl");
  const { endpoint = "", region = "" } = session.value ?? {};
  const choose = (next: Language): void => (setLanguage(next), localStorage.setItem("run language", next));
  return (
    <Dialog title={`${use.part.name} as code`} onClose={onClose}>
      <Segments label="Language" options={languages} value={language} onChange={choose} />
      <Snippet text={codeOf(language, { ...use, endpoint, region })} label="Code" />
    </Dialog>
  );
}
