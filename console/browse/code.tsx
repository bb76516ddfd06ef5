// A request as code to copy, in the language that was chosen last.
import { signal } from "@preact/signals";
import { Segments } from "web/ui/form";
import { session } from "../session";
import { Snippet } from "../snippet";
import { type Language, type Request, codeOf, languages } from "./codes";

const known = (text: string | null): Language => languages.find(([one]) => one === text)?.[0] ?? "cli";
const language = signal<Language>(known(localStorage.getItem("language")));

export function Code({ request }: { request: Request }) {
  const { endpoint = "", region = "" } = session.value ?? {};
  const choose = (next: Language): void => ((language.value = next), localStorage.setItem("language", next));
  return (
    <>
      <Segments label="Language" options={languages} value={language.value} onChange={choose} />
      <Snippet text={codeOf(language.value, request, { endpoint, region })} label="Code" />
    </>
  );
}
