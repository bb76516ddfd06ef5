#include "work/status_look.h"

namespace crawler {

const std::string_view kStatusStyle = R"(:root {
  color-scheme: light dark;
  --paper: #f6f5f2; --surface: #ffffff; --line: #e2dfd8; --ink: #1d211f; --ink-2: #545a56; --warn: #7a4d00; --warn-soft: #fbeed2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #141716; --surface: #1c201e; --line: #313835; --ink: #eceeec; --ink-2: #a9b1ad; --warn: #f0c271; --warn-soft: #3a2f17;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif;
}
header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.5rem 1.5rem; }
h1 { margin: 0; font-size: 1.5rem; }
h2 { margin: 0 0 0.5rem; font-size: 1rem; }
label { color: var(--ink-2); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem; margin: 1.25rem 0; }
dl div, section { padding: 1rem; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
dt, p, th { color: var(--ink-2); font-size: 0.8125rem; font-weight: 600; }
dd { margin: 0; font-size: 1.5rem; font-weight: 650; font-variant-numeric: tabular-nums; }
section { margin: 0.75rem 0; overflow-x: auto; }
p { margin: 0; font-weight: 400; }
#problem:not(:empty) { margin-top: 1rem; padding: 0.75rem 1rem; border-radius: 10px; background: var(--warn-soft); color: var(--warn); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.375rem 0.75rem 0.375rem 0; border-top: 1px solid var(--line); text-align: left; overflow-wrap: break-word; }
thead th { border-top: 0; }
.number { padding-right: 0; padding-left: 0.75rem; text-align: right; font-variant-numeric: tabular-nums; }
:focus-visible { outline: 2px solid currentcolor; outline-offset: 2px; }
)";

const std::string_view kStatusScript = R"("use strict";
const box = document.getElementById("update");
box.closest("label").hidden = false;
async function readAgain() {
  if (!box.checked || document.hidden) return;
  const problem = document.getElementById("problem");
  try {
    const answer = await fetch("/");
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("status");
    document.getElementById("status").replaceWith(next);
    problem.textContent = "";
  } catch {
    problem.textContent = "The crawler does not answer; this is its last state.";
  }
}
setInterval(readAgain, 5000);
)";

}  // namespace crawler
