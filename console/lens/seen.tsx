// Shows an answer of a lens: that it is on its way, the answer itself, or why there is none.
import type { ComponentChildren } from "preact";
import { useLoad } from "web/load";
import { Problem } from "web/ui/table";
import { type Answers, look } from "./look";

interface SeenProps<Name extends keyof Answers> {
  design: string;
  lens: Name;
  question: object;
  sensitive: "masked" | "shown";
  children: (answer: Answers[Name], again: () => void) => ComponentChildren;
}

export function SeenThrough<Name extends keyof Answers>({ design, lens, question, sensitive, children }: SeenProps<Name>) {
  const { state, again } = useLoad(() => look(design, lens, question, sensitive), [design, lens, JSON.stringify(question), sensitive]);
  const { value, error, isLoading } = state.value;
  return (
    <div class="seen" aria-busy={isLoading}>
      {error && <Problem error={error} again={again} />}
      {!value && isLoading && <div class="loading" role="progressbar" aria-label="Loading" />}
      {value && !error && children(value, again)}
    </div>
  );
}
