// A list whose entries are of two kinds, under a heading each: those that matter now, and the others, if any.
import type { ReactNode } from 'react';
import { Empty } from './page.tsx';

interface TwoListsProps<Entry> {
  readonly entries: readonly Entry[];
  readonly isFirst: (entry: Entry) => boolean;
  /** `empty` says what it means that there are none. */
  readonly first: { readonly title: string; readonly empty: string };
  readonly othersTitle: string;
  readonly children: (entries: readonly Entry[]) => ReactNode;
}

export function TwoLists<Entry>({ entries, isFirst, first, othersTitle, children }: TwoListsProps<Entry>) {
  const now = entries.filter(isFirst);
  const others = entries.filter((entry) => !isFirst(entry));
  return (
    <>
      <h2>{first.title}</h2>
      {now.length === 0 ? <Empty>{first.empty}</Empty> : children(now)}
      {others.length > 0 && (
        <>
          <h2>{othersTitle}</h2>
          {children(others)}
        </>
      )}
    </>
  );
}
