// Lists in pages. Which page is shown is in the address.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Pager } from '../app/pager.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { Cards } from './cards.tsx';
import { pageIn, useAddress } from './use-address.ts';

interface ListPagerProps {
  readonly perPage: number;
  readonly total: number;
}

/** Leads to other pages by `page` of the address. */
export function ListPager({ perPage, total }: ListPagerProps) {
  const [chosen, change] = useAddress();
  return (
    <Pager
      page={pageIn(chosen)}
      perPage={perPage}
      total={total}
      onPage={(next) => change({ page: next === undefined ? undefined : String(next) })}
    />
  );
}

interface PagedCardsProps<Item> {
  readonly query: UseQueryResult<{ readonly data: readonly Item[]; readonly total: number }>;
  readonly perPage: number;
  /** Said where nothing was found. */
  readonly none: string;
  /** One item as a list item with its key. */
  readonly children: (item: Item) => ReactNode;
}

export function PagedCards<Item>({ query, perPage, none, children }: PagedCardsProps<Item>) {
  return (
    <Loaded query={query}>
      {({ data, total }) => (
        <>
          <Cards items={data} none={none}>
            {children}
          </Cards>
          <ListPager perPage={perPage} total={total} />
        </>
      )}
    </Loaded>
  );
}
