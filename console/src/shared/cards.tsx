// A list of cards.
import type { ReactNode } from 'react';
import { Empty } from '../shell/page.tsx';

interface CardsProps<Item> {
  readonly items: readonly Item[];
  /** Said where there are none. */
  readonly none: ReactNode;
  /** One item as a list item with its key. */
  readonly children: (item: Item) => ReactNode;
}

export function Cards<Item>({ items, none, children }: CardsProps<Item>) {
  if (items.length === 0) return <Empty>{none}</Empty>;
  return <ul className="cards">{items.map((item) => children(item))}</ul>;
}
