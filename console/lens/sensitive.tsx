// Sensitive values are shown after somebody asks for them, in one view and as long as it is open: neither the URL nor the browser's storage knows.
import { useState } from "preact/hooks";
import { Icon } from "web/ui/icons";

export interface Sensitive {
  isShown: boolean;
  setShown: (isShown: boolean) => void;
}

export function useSensitive(): Sensitive {
  const [isShown, setShown] = useState(false);
  return { isShown, setShown };
}

export const wordOf = ({ isShown }: Sensitive): "shown" | "masked" => (isShown ? "shown" : "masked");

/** The switch. It is there if something is hidden, or would be. */
export function SensitiveSwitch({ sensitive, names }: { sensitive: Sensitive; names: readonly string[] }) {
  if (names.length === 0 && !sensitive.isShown) return null;
  const what = names.length > 0 ? `Sensitive here: ${names.join(", ")}` : undefined;
  return (
    <button class="button plain small" type="button" aria-pressed={sensitive.isShown} title={what} onClick={() => sensitive.setShown(!sensitive.isShown)}>
      <Icon name={sensitive.isShown ? "eye" : "hidden"} />{sensitive.isShown ? "Hide sensitive values" : "Show sensitive values"}
    </button>
  );
}
