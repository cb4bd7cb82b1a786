// A list whose entries are of two kinds, under a heading each: those that matter now, and the others, if any. Some
// lists have a third kind, which will matter.
import type { ReactNode } from 'react';
import { Empty } from './page.tsx';

interface TwoListsProps<Entry> {
  readonly entries: readonly Entry[];
  readonly isFirst: (entry: Entry) => boolean;
  /** `empty` says what it means that there are none. */
  readonly first: { readonly title: string; readonly empty: string };
  /** What matters later, where there is such a thing. */
  readonly later?: { readonly title: string; readonly isLater: (entry: Entry) => boolean };
  readonly othersTitle: string;
  readonly children: (entries: readonly Entry[]) => ReactNode;
}

export function TwoLists<Entry>({ entries, isFirst, first, later, othersTitle, children }: TwoListsProps<Entry>) {
  const now = entries.filter(isFirst);
  const rest = entries.filter((entry) => !isFirst(entry));
  const coming = later === undefined ? [] : rest.filter(later.isLater);
  const others = rest.filter((entry) => !coming.includes(entry));
  return (
    <>
      <h2>{first.title}</h2>
      {now.length === 0 ? <Empty>{first.empty}</Empty> : children(now)}
      {later !== undefined && coming.length > 0 && (
        <>
          <h2>{later.title}</h2>
          {children(coming)}
        </>
      )}
      {others.length > 0 && (
        <>
          <h2>{othersTitle}</h2>
          {children(others)}
        </>
      )}
    </>
  );
}
