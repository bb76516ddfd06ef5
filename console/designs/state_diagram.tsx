// A lifecycle as a picture: its states in a row, transitions to a later state as arcs above them, those back as arcs below. A screen reader gets the transitions as a list.
interface Arrow {
  from: string;
  to: string;
  names: string[];
}

export interface Diagram {
  states: string[];
  initial: string;
  arrows: Arrow[];
}

/** Reads the stateDiagram-v2 that `tavola design docs` writes. */
export function diagramOf(source: string): Diagram {
  const diagram: Diagram = { states: [], initial: "", arrows: [] };
  const note = (state: string): void => void (state === "[*]" || diagram.states.includes(state) || diagram.states.push(state));
  for (const line of source.split("\n")) {
    const found = /^\s*(\S+) --> (\S+?)(?:: (.*))?$/.exec(line);
    if (!found) continue;
    const [, from = "", to = "", name = ""] = found;
    note(from);
    note(to);
    if (from === "[*]") diagram.initial = to;
    if (from === "[*]" || to === "[*]") continue;
    const same = diagram.arrows.find((arrow) => arrow.from === from && arrow.to === to);
    same ? same.names.push(name) : diagram.arrows.push({ from, to, names: [name] });
  }
  return diagram;
}

const letter = 7.2; // pixels of a letter of the labels, about
const boxHeight = 34;
const levelHeight = 40;
const lineHeight = 14;

interface Box {
  x: number;
  width: number;
}

/** Places the states with room for the labels between neighbours. */
function placed({ states, arrows }: Diagram): Box[] {
  const boxes: Box[] = [];
  let x = 4;
  for (const [at, state] of states.entries()) {
    const width = state.length * letter + 28;
    boxes.push({ x, width });
    const between = arrows.filter((arrow) => [arrow.from, arrow.to].includes(state) && [arrow.from, arrow.to].includes(states[at + 1] ?? "")).flatMap((arrow) => arrow.names);
    x += width + Math.max(48, ...between.map((name) => name.length * letter + 8 - width / 2));
  }
  return boxes;
}

function Arc({ arrow, boxes, states, middle }: { arrow: Arrow; boxes: Box[]; states: string[]; middle: number }) {
  const [a, b] = [states.indexOf(arrow.from), states.indexOf(arrow.to)];
  const isForward = b > a;
  const side = isForward ? -1 : 1;
  const span = Math.max(Math.abs(b - a), 1);
  const shift = a === b ? 14 : Math.min(14, 6 + span * 4) * (isForward ? 1 : -1);
  const [start, end] = [boxes[a]!.x + boxes[a]!.width / 2 + shift, boxes[b]!.x + boxes[b]!.width / 2 - shift];
  const edge = middle + (side * boxHeight) / 2;
  const top = edge + side * levelHeight * span;
  const labelY = edge + side * levelHeight * span * 0.75 + (isForward ? -5 - (arrow.names.length - 1) * lineHeight : 15);
  return (
    <g>
      <path d={`M${start} ${edge} C${start} ${top} ${end} ${top} ${end} ${edge + side * 4}`} marker-end="url(#arrow)" />
      {arrow.names.map((name, at) => <text key={name} x={(start + end) / 2} y={labelY + at * lineHeight} class="label">{name}</text>)}
    </g>
  );
}

export function StateDiagram({ source }: { source: string }) {
  const diagram = diagramOf(source);
  const { states, arrows, initial } = diagram;
  const boxes = placed(diagram);
  const reach = (isForward: boolean): number => Math.max(0, ...arrows.map((arrow) => {
    const span = states.indexOf(arrow.to) - states.indexOf(arrow.from);
    return span > 0 === isForward ? Math.max(Math.abs(span), 1) * levelHeight * 0.75 + arrow.names.length * lineHeight + 6 : 0;
  }));
  const [above, below] = [reach(true), reach(false)];
  const middle = above + boxHeight / 2 + 6;
  const width = (boxes.at(-1)?.x ?? 0) + (boxes.at(-1)?.width ?? 0) + 8;
  const spoken = `States: ${states.join(", ")}; the first is ${initial}. ${arrows.map((arrow) => `${arrow.names.join(" or ")} leads from ${arrow.from} to ${arrow.to}`).join("; ")}.`;
  return (
    <div class="diagram">
      <svg width={width} height={middle + boxHeight / 2 + below + 8} role="img" aria-label={spoken}>
        <defs><marker id="arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" /></marker></defs>
        {arrows.map((arrow) => <Arc key={`${arrow.from} ${arrow.to}`} arrow={arrow} boxes={boxes} states={states} middle={middle} />)}
        {states.map((state, at) => (
          <g key={state} class={state === initial ? "state is-first" : "state"}>
            <rect x={boxes[at]!.x} y={middle - boxHeight / 2} width={boxes[at]!.width} height={boxHeight} rx={boxHeight / 2} />
            <text x={boxes[at]!.x + boxes[at]!.width / 2} y={middle + 4.5}>{state}</text>
          </g>
        ))}
      </svg>
    </div>
  );
}
