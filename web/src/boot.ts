// The theme that was chosen applies before anything is drawn. This script is a file of its own, because the pages allow no inline script.
const chosen = localStorage.getItem("theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
