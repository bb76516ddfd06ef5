// Lines over time, drawn by uPlot, with a table of what they say for screen readers and whoever wants numbers.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import UPlot from "uplot";
import { theme } from "web/ui/theme";
import { clockTime } from "../format";
import type { Line, Series } from "./samples";

const colours = ["--chart-1", "--chart-2", "--chart-3", "--chart-4", "--chart-5", "--chart-6", "--chart-7"];
const pixels = 180;

interface ChartProps {
  title: string;
  note?: string;
  series: Series;
  format: (value: number) => string;
}

export function Chart({ title, note, series, format }: ChartProps) {
  const id = useId();
  const { lines } = series;
  return (
    <section class="panel metric" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {note && <span class="quiet small">{note}</span>}
      </div>
      <Plot series={series} format={format} />
      <table class="legend">
        <caption class="visually-hidden">{title}: now, least, most and on average</caption>
        <thead>
          <tr><th scope="col"><span class="visually-hidden">what</span></th><th scope="col" class="number">now</th><th scope="col" class="number">least</th><th scope="col" class="number">most</th><th scope="col" class="number">average</th></tr>
        </thead>
        <tbody>{lines.map((line, at) => <Summary key={line.name} line={line} colour={at} format={format} />)}</tbody>
      </table>
    </section>
  );
}

function Summary({ line, colour, format }: { line: Line; colour: number; format: (value: number) => string }) {
  const known = line.values.filter((value): value is number => value !== null);
  const last = line.values.at(-1) ?? null;
  const show = (value: number | null): string => (value === null || !Number.isFinite(value) ? "–" : format(value));
  return (
    <tr>
      <th scope="row"><i class={`swatch colour-${(colour % colours.length) + 1}`} aria-hidden="true" />{line.name}</th>
      <td class="number">{show(last)}</td>
      <td class="number">{show(Math.min(...known))}</td>
      <td class="number">{show(Math.max(...known))}</td>
      <td class="number">{show(known.reduce((all, one) => all + one, 0) / known.length)}</td>
    </tr>
  );
}

/** Changes with the theme: a chart is painted, and does not follow by itself. */
function useTheme(): string {
  const [isDark, setDark] = useState(() => dark.matches);
  useEffect(() => {
    const look = (): void => setDark(dark.matches);
    dark.addEventListener("change", look);
    return () => dark.removeEventListener("change", look);
  }, []);
  return `${theme.value} ${isDark}`;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

type Data = UPlot.AlignedData;

function Plot({ series, format }: { series: Series; format: (value: number) => string }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>();
  const latest = useRef(format);
  latest.current = format;
  const data: Data = [series.times, ...series.lines.map((line) => line.values)];
  const names = series.lines.map((line) => line.name).join("\n");
  const look = useTheme();
  useEffect(() => {
    const element = box.current!;
    const style = getComputedStyle(element);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--ink-2"), font: `11px ${style.fontFamily}`, grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const made = new UPlot(
      {
        width: element.clientWidth, height: pixels, padding: [8, 12, 0, 0], legend: { show: false }, cursor: { show: false },
        scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
        axes: [
          { ...axis, size: 24, grid: { show: false }, space: 70, values: (_plot, ticks) => ticks.map((tick) => clockTime(tick * 1000).slice(0, 8)) },
          { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => latest.current(tick)) },
        ],
        series: [{}, ...series.lines.map((line, at) => ({ label: line.name, stroke: colour(colours[at % colours.length]!), width: 2, points: { show: false } }))],
      },
      data,
      element,
    );
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: pixels }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [names, look]);
  useEffect(() => plot.current?.setData(data), [series.times.at(-1), names]);
  return <div class="plot" ref={box} aria-hidden="true" />;
}
