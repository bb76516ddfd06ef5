// The errors and lints of a design: what was found, why it matters, what to do, and the line that it is about.
import { Badge } from "web/ui/table";
import type { Finding } from "./api";

export function Findings({ findings, urlOf, onGo }: { findings: Finding[]; urlOf?: (line: number) => string; onGo?: (finding: Finding) => void }) {
  return (
    <ul class="findings">
      {findings.map((one) => (
        <li key={`${one.line} ${one.column} ${one.code}`}>
          <p>
            <Badge kind={one.severity === "error" ? "bad" : "warn"}>{one.severity === "error" ? "error" : one.code}</Badge> <strong>{one.message}</strong>{" "}
            {urlOf ? <a class="small" href={urlOf(one.line)}>line {one.line}</a> : <button class="link small" type="button" onClick={() => onGo?.(one)}>line {one.line}</button>}
          </p>
          {one.why && <p class="quiet small">{one.why}</p>}
          {one.advice && <p class="small">{one.advice}</p>}
        </li>
      ))}
    </ul>
  );
}
