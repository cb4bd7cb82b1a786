// Changes a record of the library. The engine has no ETag for these, so the record is read again first: what somebody
// else has changed since it was opened is told, and not overwritten unasked.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getJson, putJson } from '../../../api/fhir.ts';

/** Somebody else has changed what was opened. */
export class OvertakenError extends Error {
  /** What it is called now. */
  readonly title: string;
  /** What it is now, as `fingerprintOf` has it. */
  readonly now: string;

  constructor(title: string, now: string) {
    super('Somebody else has changed it');
    this.name = 'OvertakenError';
    this.title = title;
    this.now = now;
  }
}

/** The parts of a record that a form may change, as one text. */
export function fingerprintOf<Item extends object>(item: Item, fields: readonly (keyof Item)[]): string {
  return JSON.stringify(fields.map((field) => item[field] ?? null));
}

interface ChangeOptions<Item extends object> {
  /** Of the engine, such as `/goals/0190…`. */
  readonly path: string;
  /** What may be changed. */
  readonly fields: readonly (keyof Item)[];
  readonly titleOf: (item: Item) => string;
  /** The record as it is now, where it has no address of its own to be read at. @throws Problem */
  readonly readNow?: () => Promise<Item>;
  /** What of the record is put back; all of it when left out. */
  readonly bodyOf?: (item: Item) => object;
  readonly onChanged: () => void;
}

interface Change<Item> {
  readonly changes: Partial<Item>;
  /** What was opened, as `fingerprintOf` has it. */
  readonly opened: string;
}

export function useChange<Item extends object>({
  path,
  fields,
  titleOf,
  readNow,
  bodyOf,
  onChanged,
}: ChangeOptions<Item>) {
  const queries = useQueryClient();
  const address = `/engine/api/v1${path}`;
  return useMutation({
    mutationFn: async ({ changes, opened }: Change<Item>) => {
      const record = readNow === undefined ? ((await getJson(address)) as Item) : await readNow();
      const now = fingerprintOf(record, fields);
      if (now !== opened) throw new OvertakenError(titleOf(record), now);
      // What the form does not show stays as it is.
      await putJson(address, { ...(bodyOf?.(record) ?? record), ...changes });
    },
    // What was overtaken is shown as it is now.
    onError: (error) => {
      if (error instanceof OvertakenError) void queries.invalidateQueries({ queryKey: ['library'] });
    },
    onSuccess: async () => {
      onChanged();
      await queries.invalidateQueries({ queryKey: ['library'] });
    },
  });
}
