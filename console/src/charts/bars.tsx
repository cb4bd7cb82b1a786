// Counts as horizontal bars, each with its name and its number. What is no step, such as an exit, is hatched.
interface Bar {
  readonly key: string;
  readonly label: string;
  readonly value: number;
  /** What is beside the number. */
  readonly note?: string | undefined;
  readonly isAside?: boolean;
}

/** Hidden from who cannot see it, as sentence and table say the same. */
export function Bars({ bars }: { readonly bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <div className="bars" aria-hidden="true">
      {bars.map(({ key, label, value, note, isAside = false }) => (
        <div key={key} className="bar-row">
          <span>{label}</span>
          <svg className={isAside ? 'bar-line aside' : 'bar-line'} viewBox="0 0 100 10" preserveAspectRatio="none">
            <title>{label}</title>
            <rect className="bar-ground" width="100" height="10" />
            <rect className="bar-value" width={(value / most) * 100} height="10" />
            {isAside && <Hatching until={(value / most) * 100} />}
          </svg>
          <span>
            <strong>{value}</strong>
            {note !== undefined && <span className="quiet"> {note}</span>}
          </span>
        </div>
      ))}
    </div>
  );
}

function Hatching({ until }: { readonly until: number }) {
  return Array.from({ length: Math.ceil(until / 2) }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a stroke has no other name than its place
    <line key={index} className="hatch" x1={index * 2} x2={index * 2} y1="0" y2="10" />
  ));
}
