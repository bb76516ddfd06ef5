// Line icons of 24 by 24, drawn with the colour of the text.
const paths: Record<string, string> = {
  home: "M4 11l8-7 8 7M6 9.5V20h12V9.5",
  box: "M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8",
  sale: "M4 7h16v12H4zM4 11h16M8 15h3",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  move: "M4 8h13l-3-3M20 16H7l3 3",
  bell: "M6 16V11a6 6 0 0112 0v5l1.5 2h-15zM10 20a2 2 0 004 0",
  shop: "M4 10V20h16V10M3 10l2-6h14l2 6a3 3 0 01-6 0 3 3 0 01-6 0 3 3 0 01-6 0",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  plus: "M12 5v14M5 12h14",
  search: "M10.5 4a6.5 6.5 0 110 13 6.5 6.5 0 010-13zM20 20l-4.6-4.6",
  close: "M6 6l12 12M18 6L6 18",
  sun: "M12 8a4 4 0 110 8 4 4 0 010-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8 8 0 119.5 4a6.5 6.5 0 0010.5 10.5z",
  auto: "M12 3a9 9 0 110 18 9 9 0 010-18zM12 3v18",
  out: "M14 4h5v16h-5M4 12h11M11 8l4 4-4 4",
  star: "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1.1 5.9-5.3-2.9-5.3 2.9 1.1-5.9-4.3-4.1 5.9-.8z",
  talk: "M4 5h16v11H10l-4 4v-4H4z",
  people: "M9 5a3 3 0 110 6 3 3 0 010-6zM3 19c0-3 2.7-5 6-5s6 2 6 5M16 6a2.5 2.5 0 010 5M17 14c2.4.5 4 2.2 4 5",
  shield: "M12 3l7 3v6c0 4-3 7-7 9-4-2-7-5-7-9V6zM9 12l2 2 4-4",
  globe: "M12 3a9 9 0 110 18 9 9 0 010-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  table: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 10v9",
  help: "M12 3a9 9 0 110 18 9 9 0 010-18zM9.5 9.5a2.5 2.5 0 115 0c0 1.8-2.5 2-2.5 4M12 17h.01",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M18 10h.01M8 14h8",
  filter: "M4 5h16l-6.5 8v5l-3 2v-7z",
  menu: "M4 7h16M4 12h16M4 17h16",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  clock: "M12 3a9 9 0 110 18 9 9 0 010-18zM12 7v5l3.5 2",
  shape: "M5 4h6v6H5zM13 14h6v6h-6zM8 10v7h5",
  code: "M8.5 7L4 12l4.5 5M15.5 7l4.5 5-4.5 5",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5M14 11v5",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  columns: "M4 5h16v14H4zM9.5 5v14M14.5 5v14",
  stop: "M7 7h10v10H7z",
  upload: "M12 16V4.5M7 9.5l5-5 5 5M4.5 15v4.5h15V15",
  pulse: "M3 12h4l3-8 4 16 3-8h4",
  chart: "M4 4v16h16M8 16l4-5 3 3 5-7",
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
  eye: "M3 12c2-4 5.2-6 9-6s7 2 9 6c-2 4-5.2 6-9 6s-7-2-9-6zM12 9.5a2.5 2.5 0 110 5 2.5 2.5 0 010-5",
  hidden: "M4 4l16 16M9.5 6.3A9 9 0 0112 6c3.8 0 7 2 9 6a13 13 0 01-2.7 3.5M6.3 8A13 13 0 003 12c2 4 5.2 6 9 6 1.4 0 2.7-.3 3.9-.8",
  tree: "M5 4v14h6M5 11h6M13 9h7v4h-7zM13 16h7v4h-7z",
  link: "M10 14a4 4 0 005.7 0l3-3a4 4 0 00-5.7-5.7l-1 1M14 10a4 4 0 00-5.7 0l-3 3a4 4 0 005.7 5.7l1-1",
  warn: "M12 4l9 16H3zM12 10v4M12 17h.01",
  refresh: "M19 12a7 7 0 11-2-5M19 4v4h-4",
  database: "M12 4c4 0 7 1.1 7 2.5S16 9 12 9 5 7.9 5 6.5 8 4 12 4zM5 6.5v11C5 18.9 8 20 12 20s7-1.1 7-2.5v-11M5 12c0 1.4 3 2.5 7 2.5s7-1.1 7-2.5",
};

export function Icon({ name }: { name: string }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={paths[name] ?? paths["box"]} />
    </svg>
  );
}
