// How far a long command has come: a bar that is drawn over on a terminal, a line now and then in a log.

/** What it is shown on: `process.stderr`. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  /** `rows`: how many since the beginning. `share` from 0 to 1, left out when the whole is not known. */
  show(rows: number, share?: number): void;
  /** Takes the bar away, so that something else can be printed. */
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
