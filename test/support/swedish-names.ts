// Names whose order differs between Swedish, other languages, and bytes; no two are the same in another case.

/** In Swedish order. */
export const SWEDISH_NAMES: readonly string[] = [
  'alm',
  'Berg',
  'ek',
  'Zorn',
  'Åberg',
  'åkerman',
  'Ängström',
  'öberg',
  'Östlund',
];

/** The same in no order. */
export const MIXED_NAMES: readonly string[] = [
  'Östlund',
  'Zorn',
  'Åberg',
  'ek',
  'Ängström',
  'alm',
  'öberg',
  'åkerman',
  'Berg',
];

/** All items of a list that is read in pages of two. */
export async function inPagesOfTwo<Item>(readPage: (query: string) => Promise<readonly Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; ; page += 1) {
    const items = await readPage(`per_page=2&page=${page}`);
    all.push(...items);
    if (items.length < 2) return all;
  }
}
