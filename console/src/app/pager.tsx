// Leads to the page before and the page after.
import { Button } from '@mantine/core';

interface PagerProps {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly words: { readonly previous: string; readonly next: string };
  /** Undefined for the first page, which an address need not name. */
  readonly onPage: (page: number | undefined) => void;
}

export function Pager({ page, perPage, total, words, onPage }: PagerProps) {
  return (
    <p className="actions">
      {page > 1 && (
        <Button variant="default" onClick={() => onPage(page === 2 ? undefined : page - 1)}>
          {words.previous}
        </Button>
      )}
      {page * perPage < total && (
        <Button variant="default" onClick={() => onPage(page + 1)}>
          {words.next}
        </Button>
      )}
    </p>
  );
}
