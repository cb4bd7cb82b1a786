// A table that scrolls sideways where the screen is narrow.
import type { ReactNode } from 'react';

interface ScrollTableProps {
  /** What it shows, for who does not see it. */
  readonly label: string;
  readonly caption?: string;
  readonly className?: string;
  /** What the columns hold. */
  readonly head: readonly string[];
  /** The rows. */
  readonly children: ReactNode;
}

export function ScrollTable({ label, caption, className, head, children }: ScrollTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="scroll" tabIndex={0} aria-label={label}>
      <table className={className}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
