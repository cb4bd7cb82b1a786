// Progress of a long command: a bar on a terminal, a line from time to time in a log.

/** The output stream: `process.stderr`. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  /** `rows` since the beginning. `share` is from 0 to 1, left out when the total is unknown. */
  show(rows: number, share?: number): void;
  /** Removes the bar, so that something else can be printed. */
  clear(): void;
}

const WIDTH = 30;
const REDRAW_MS = 100;
const LINE_MS = 10_000;
const ERASE = '\r\u001B[K';

export function createProgress(screen: Screen, now: () => number = () => performance.now()): Progress {
  const startedAt = now();
  const interval = screen.isTTY === true ? REDRAW_MS : LINE_MS;
  let shownAt = startedAt;
  let isDrawn = false;
  return {
    show(rows, share) {
      const at = now();
      if (at - shownAt < interval) return;
      shownAt = at;
      const rate = Math.round((rows / (at - startedAt)) * 1000).toLocaleString('en');
      const text = `${rows.toLocaleString('en')} rows, ${rate} rows/s`;
      const percent = share === undefined ? '' : `${Math.floor(share * 100)} %`.padStart(5);
      if (screen.isTTY !== true) {
        screen.write(`${percent === '' ? '' : `${percent.trim()}, `}${text}\n`);
        return;
      }
      screen.write(`${ERASE}${share === undefined ? '' : `${bar(share)}${percent}  `}${text}`);
      isDrawn = true;
    },
    clear() {
      if (isDrawn) screen.write(ERASE);
      isDrawn = false;
    },
  };
}

function bar(share: number): string {
  const done = Math.round(Math.min(1, share) * WIDTH);
  return `[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}]`;
}
