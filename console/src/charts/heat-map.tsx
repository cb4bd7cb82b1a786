// A grid of numbers: the larger, the darker; each field has its number, so that not the shade alone says it.
import { numberText } from '../i18n/format.ts';

interface HeatMapProps {
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly key: string;
    readonly label: string;
    /** Undefined where there is none. */
    readonly values: readonly (number | undefined)[];
  }[];
}

/** Hidden from who cannot see it, as sentence and table say the same. */
export function HeatMap({ columns, rows }: HeatMapProps) {
  const most = Math.max(1, ...rows.flatMap(({ values }) => values.filter((each) => each !== undefined)));
  return (
    <div className="heat-map" aria-hidden="true">
      {columns.map((column) => (
        <span key={column} className="quiet">
          {column}
        </span>
      ))}
      {rows.map(({ key, label, values }) => (
        <Row key={key} label={label} values={values} columns={columns} most={most} />
      ))}
    </div>
  );
}

interface RowProps {
  readonly label: string;
  readonly values: readonly (number | undefined)[];
  readonly columns: readonly string[];
  readonly most: number;
}

function Row({ label, values, columns, most }: RowProps) {
  return (
    <>
      <span className="heat-label">{label}</span>
      {columns.map((column, index) => {
        const value = values[index];
        return (
          <span key={column} className="heat" data-level={value === undefined ? undefined : levelOf(value / most)}>
            {value === undefined ? '' : numberText(value)}
          </span>
        );
      })}
    </>
  );
}

/** From 1 to 4. */
function levelOf(part: number): number {
  return Math.max(1, Math.ceil(part * 4));
}
