// The theme of the pages: as the browser prefers, light or dark. The choice is kept in the browser; boot.ts applies it before the first paint.
import { signal } from "@preact/signals";
import { Icon } from "./icons";

const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];
export const theme = signal<Theme>((document.documentElement.dataset["theme"] as "light" | "dark" | undefined) ?? "auto");

export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  if (theme.value === "auto") {
    delete document.documentElement.dataset["theme"];
    localStorage.removeItem("theme");
  } else {
    document.documentElement.dataset["theme"] = theme.value;
    localStorage.setItem("theme", theme.value);
  }
}

const nextTheme = (): void => setTheme(themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "auto");

export function ThemeButton() {
  const icon = { auto: "auto", light: "sun", dark: "moon" }[theme.value];
  return (
    <button class="button plain small" type="button" onClick={nextTheme} title={`Theme: ${theme.value}`} aria-label={`Theme: ${theme.value}. Change`}>
      <Icon name={icon} />
    </button>
  );
}
