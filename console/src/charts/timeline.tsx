// Rows on one axis of time: spans, and marks whose shape says what they are. Today is a line across all.
import './charts.css';
import { dayText } from '../i18n/format.ts';
import { useWidth } from './use-width.ts';

export interface Mark {
  readonly key: string;
  /** In milliseconds. */
  readonly at: number;
  readonly shape: 'dot' | 'cross' | 'flag' | 'tick' | 'diamond';
}

export interface TimelineRow {
  readonly key: string;
  readonly label: string;
  readonly spans?: readonly { readonly key: string; readonly from: number; readonly to: number }[];
  readonly marks: readonly Mark[];
}

interface TimelineProps {
  readonly label: string;
  readonly rows: readonly TimelineRow[];
  readonly now: number;
  /** How a moment of the axis is written; as a day when left out. */
  readonly momentText?: (at: number) => string;
}

const USUAL_WIDTH = 640;
const LEFT = 12;
const RIGHT = 12;
const ROW = 44;
const TOP = 26;
const BOTTOM = 28;

export function Timeline({ label, rows, now, momentText = toDay }: TimelineProps) {
  const [ref, width] = useWidth(USUAL_WIDTH);
  const times = rows.flatMap(({ spans = [], marks }) => [
    ...spans.flatMap(({ from, to }) => [from, to]),
    ...marks.map(({ at }) => at),
  ]);
  if (times.length === 0) return null;
  const [first, last] = [Math.min(...times, now), Math.max(...times, now)];
  const x = (at: number) => LEFT + ((at - first) / Math.max(1, last - first)) * (width - LEFT - RIGHT);
  const height = TOP + rows.length * ROW + BOTTOM;
  const bottom = height - BOTTOM;
  return (
    <svg ref={ref} className="chart timeline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <line className="axis" x1={LEFT} x2={width - RIGHT} y1={bottom} y2={bottom} />
      <line className="band-edge" x1={x(now)} x2={x(now)} y1={TOP - 8} y2={bottom} />
      {rows.map((row, index) => {
        const y = TOP + index * ROW + 26;
        return (
          <g key={row.key}>
            <text x={LEFT} y={y - 14}>
              {row.label}
            </text>
            {(row.spans ?? []).map(({ key, from, to }) => (
              <rect
                key={key}
                className="span"
                x={x(from)}
                width={Math.max(2, x(to) - x(from))}
                y={y - 5}
                height="10"
                rx="3"
              />
            ))}
            {row.marks.map(({ key, at, shape }) => (
              <Shape key={key} shape={shape} x={x(at)} y={y} />
            ))}
          </g>
        );
      })}
      <text x={LEFT} y={height - 8}>
        {momentText(first)}
      </text>
      <text x={width - RIGHT} y={height - 8} textAnchor="end">
        {momentText(last)}
      </text>
    </svg>
  );
}

function toDay(at: number): string {
  return dayText(new Date(at).toISOString());
}

function Shape({ shape, x, y }: { readonly shape: Mark['shape']; readonly x: number; readonly y: number }) {
  switch (shape) {
    case 'dot':
      return <circle className="dot" cx={x} cy={y} r="5" />;
    case 'cross':
      return <path className="cross" d={`M${x - 5} ${y - 5}l10 10m0-10l-10 10`} />;
    case 'flag':
      return <path className="flag" d={`M${x} ${y + 8}v-20h10l-4 4 4 4h-10`} />;
    case 'tick':
      return <path className="tick" d={`M${x} ${y - 8}v16`} />;
    case 'diamond':
      return <path className="flag" d={`M${x} ${y - 7}l7 7-7 7-7-7z`} />;
  }
}
