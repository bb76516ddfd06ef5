// The mark of Tavola.
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#2f6f5e" />
      <g fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round">
        <path d="M8 12h16M10.5 12v11M21.5 12v11M14 17h4" />
      </g>
    </svg>
  );
}
