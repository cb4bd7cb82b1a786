// A line of values over time, with a band for what is normal and dashed lines for the goal. Values outside are filled,
// so that not colour alone says it. The sentence and the table beside it say the same.
import { useWidth } from '../charts/use-width.ts';
import { dayText, numberText } from '../i18n/format.ts';
import { isWithin, type Series } from './values.ts';

const USUAL_WIDTH = 420;
const HEIGHT = 200;
const LEFT = 56;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 28;
const PADDING = 0.1;

export function ValueChart({ series, label }: { readonly series: Series; readonly label: string }) {
  const [ref, width] = useWidth(USUAL_WIDTH);
  const { readings, normal, goal } = series;
  const times = readings.map(({ at }) => Date.parse(at));
  const bounds = [normal?.low, normal?.high, goal?.low, goal?.high].filter((each) => each !== undefined);
  const values = [...readings.map(({ value }) => value), ...bounds];
  const [low, high] = widened(Math.min(...values), Math.max(...values));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const x = (time: number) => LEFT + ((time - first) / Math.max(1, last - first)) * (width - LEFT - RIGHT);
  const y = (value: number) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const points = readings.map(({ at, value }) => `${x(Date.parse(at))},${y(value)}`).join(' ');
  const bottom = HEIGHT - BOTTOM;
  return (
    <svg ref={ref} className="chart" viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
      {normal !== undefined && (
        <rect
          className="band"
          x={LEFT}
          width={width - LEFT - RIGHT}
          y={y(normal.high ?? high)}
          height={Math.max(1, y(normal.low ?? low) - y(normal.high ?? high))}
        />
      )}
      {[goal?.low, goal?.high]
        .filter((each) => each !== undefined)
        .map((value) => (
          <line key={value} className="band-edge" x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
        ))}
      <line className="axis" x1={LEFT} x2={width - RIGHT} y1={bottom} y2={bottom} />
      <text x={LEFT - 6} y={y(high) + 10} textAnchor="end">
        {numberText(rounded(high))}
      </text>
      <text x={LEFT - 6} y={bottom} textAnchor="end">
        {numberText(rounded(low))}
      </text>
      <text x={LEFT} y={HEIGHT - 8}>
        {dayText(new Date(first).toISOString())}
      </text>
      <text x={width - RIGHT} y={HEIGHT - 8} textAnchor="end">
        {dayText(new Date(last).toISOString())}
      </text>
      <polyline className="line" points={points} />
      {readings.map((reading) => (
        <circle
          key={reading.id}
          className={normal !== undefined && isWithin(reading, normal) === false ? 'dot out' : 'dot'}
          cx={x(Date.parse(reading.at))}
          cy={y(reading.value)}
          r="4"
        />
      ))}
    </svg>
  );
}

function widened(low: number, high: number): readonly [low: number, high: number] {
  const margin = (high - low || Math.abs(high) || 1) * PADDING;
  return [low - margin, high + margin];
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
