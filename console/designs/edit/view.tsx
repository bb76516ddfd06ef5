// The editor of a design that is served.
import { Problem } from "web/ui/table";
import type { ViewProps } from "../../routes";
import { useDesign } from "../api";
import { EditorPage } from "./editor_page";

export default function EditDesign({ params, query }: ViewProps) {
  const { design, error, again } = useDesign(params["design"] ?? "");
  if (!design) return error ? <Problem error={error} again={again} /> : <div class="loading" role="progressbar" aria-label="Loading" />;
  const line = Number(query.get("line") ?? 0);
  return <EditorPage key={design.name} name={design.name} served={design.text} file={design.file} cases={design.cases ?? ""} {...(line > 0 ? { line } : {})} again={again} />;
}
