// Changes a record of the engine where it is still the version that was opened (docs/adr/0155). Of a newer one the
// response is 412: it is read, and what differs is shown. Nothing is overwritten unasked.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getJson, putJson } from '../../api/fhir.ts';
import { Problem } from '../../api/problem.ts';
import { isSameIn, ownChanges, type Part } from './parts.ts';

/** Somebody else has changed what was opened. */
export class OvertakenError<Item extends object> extends Error {
  /** What is stored now. */
  readonly now: Item;

  constructor(now: Item) {
    super('Somebody else has changed it');
    this.name = 'OvertakenError';
    this.now = now;
  }
}

export interface ChangeOptions<Item extends object> {
  /** Of the engine, such as `/goals/0190…`. */
  readonly path: string;
  /** The version that its `ETag` has. */
  readonly versionOf: (item: Item) => number;
  /** What may be changed. */
  readonly parts: readonly Pick<Part<Item>, 'field'>[];
  /** The record as it is now, where it has no address of its own to be read at. @throws Problem */
  readonly readNow?: () => Promise<Item>;
  /** What of the record is put back; all of it when left out. */
  readonly bodyOf?: (item: Item) => object;
  /** The first parts of the keys of the queries that show it. */
  readonly shownBy: readonly string[];
  readonly onChanged: () => void;
}

interface Change<Item> {
  /** What is in the form. */
  readonly changes: Partial<Item>;
  /** The record that the form was opened with. */
  readonly opened: Item;
  /** The version that is replaced, where it is another one. What only that one has changed stays. */
  readonly over?: Item;
}

export function useChange<Item extends object>(options: ChangeOptions<Item>) {
  const { path, versionOf, parts, readNow, bodyOf, shownBy, onChanged } = options;
  const queries = useQueryClient();
  const address = `/engine/api/v1${path}`;
  const readAgain = () => Promise.all(shownBy.map((name) => queries.invalidateQueries({ queryKey: [name] })));

  async function store(base: Item, own: Partial<Item>): Promise<void> {
    try {
      // What the form does not show stays as it is.
      await putJson(address, { ...(bodyOf?.(base) ?? base), ...own }, String(versionOf(base)));
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 412) throw error;
      const now = readNow === undefined ? ((await getJson(address)) as Item) : await readNow();
      // The response to the same may have been lost before.
      if (isSameIn(parts, now, { ...base, ...own })) return;
      if (!isSameIn(parts, now, base)) throw new OvertakenError(now);
      // Another version with the same in the form, such as an activity that has got a step.
      await store(now, own);
    }
  }

  return useMutation<void, Error, Change<Item>>({
    mutationFn: ({ changes, opened, over = opened }) => store(over, ownChanges(opened, changes)),
    // What was overtaken is shown as it is now.
    onError: (error) => {
      if (error instanceof OvertakenError) void readAgain();
    },
    onSuccess: async () => {
      onChanged();
      await readAgain();
    },
  });
}
