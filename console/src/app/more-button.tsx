// Loads the next page of a list and adds it at the end. The button may be gone then, or may not have the focus any
// more: the first of the new entries gets it, so that who reads by keyboard or screen reader goes on there.
import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';

interface MoreButtonProps {
  readonly label: string;
  /** What loads the pages. */
  readonly query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  /** Whose children are the entries. */
  readonly list: RefObject<HTMLElement | null>;
}

export function MoreButton({ label, query, list }: MoreButtonProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  /** How many entries there were when the button was pressed. */
  const before = useRef<number>(undefined);
  useEffect(() => {
    const first = before.current;
    if (isFetchingNextPage || first === undefined) return;
    before.current = undefined;
    const entry = list.current?.children[first];
    if (!(entry instanceof HTMLElement) || document.activeElement !== document.body) return;
    entry.tabIndex = -1;
    entry.focus();
  }, [isFetchingNextPage, list]);
  const more = () => {
    before.current = list.current?.children.length ?? 0;
    void fetchNextPage();
  };
  if (!hasNextPage) return null;
  return (
    <Button variant="default" loading={isFetchingNextPage} onClick={more}>
      {label}
    </Button>
  );
}
