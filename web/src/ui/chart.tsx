// A chart of uPlot. Its numbers become doubles here, for pixels alone; a table with the exact values is beside it for screen readers.
import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import type { Exact } from "../format";

export function BarChart(props: { label: string; names: string[]; values: Exact[]; format: (value: Exact) => string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const font = `12px ${style.fontFamily}`;
    const axis = { stroke: colour("--ink-2"), font, grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const chart = new UPlot(
      {
        width: element.clientWidth, height: 240, padding: [8, 8, 0, 0], legend: { show: false }, cursor: { show: false },
        scales: { x: { time: false, range: [-0.6, props.names.length - 0.4] }, y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
        axes: [
          { ...axis, size: 30, grid: { show: false }, splits: () => props.names.map((_name, index) => index), values: (_plot, ticks) => ticks.map((tick) => props.names[tick] ?? "") },
          { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => props.format(tick)) },
        ],
        series: [{}, { fill: colour("--chart"), stroke: colour("--chart"), width: 0, points: { show: false }, paths: UPlot.paths.bars!({ size: [0.62, 48], radius: 0.12 }) }],
      },
      [props.names.map((_name, index) => index), props.values.map((value) => Number(value.toString()))],
      element,
    );
    const watch = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: 240 }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [props.names.join(), props.values.join(), document.documentElement.dataset["theme"]]);
  return (
    <>
      <div class="chart" ref={box} aria-hidden="true" />
      <table class="visually-hidden">
        <caption>{props.label}</caption>
        <tbody>
          {props.names.map((name, index) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{props.format(props.values[index] ?? "0")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
