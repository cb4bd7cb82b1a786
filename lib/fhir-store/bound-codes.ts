// The codes of the value sets that users' profiles ask for, as validation has them at hand: a write waits for no look-up.
import type { Queryable } from '#lib/db/database.ts';
import { nameKey } from '#lib/fhir/search/keys.ts';
import type { ValueSetLookup } from '#lib/fhir/validation/context.ts';
import type { CodeSelection } from '#lib/terminology/code-selection.ts';
import { TerminologyFault } from '#lib/terminology/fault.ts';
import type { Terminology } from '#lib/terminology/terminology.ts';
import { ALL_ACCESS } from './access.ts';
import { storedTerminology } from './resolve.ts';

/** By canonical: the codes, or why they are not known. */
type BoundCodes = ReadonlyMap<string, CodeSelection | string>;

export interface BoundValueSets extends ValueSetLookup {
  /** Says which value sets to know from the next refresh on. */
  readonly want: (canonicals: readonly string[]) => void;
  /** Looks the codes up when others are wanted, or what they follow from has been written; two must not run at once. */
  readonly refresh: () => Promise<void>;
}

/** What the codes of a value set follow from. */
const TYPES = [nameKey('ValueSet'), nameKey('CodeSystem')];

export function createBoundValueSets(database: Queryable, terminology: Terminology): BoundValueSets {
  let wanted: readonly string[] = [];
  let known: BoundCodes = new Map();
  /** Of the terminology when the codes were looked up; undefined when others are wanted since. */
  let state: string | undefined = '';
  return {
    find: (canonical) => known.get(canonical),
    want: (canonicals) => {
      wanted = canonicals;
      state = undefined;
    },
    refresh: async () => {
      const latest = wanted.length === 0 ? '' : await readState(database);
      if (latest === state) return;
      known = await lookUpCodes(database, terminology, wanted);
      state = latest;
    },
  };
}

/** Another one after every create, update and delete of a value set or code system. */
async function readState(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ state: string }>({
    name: 'fhir_terminology_state',
    text: `SELECT count(*) || ' ' || coalesce(sum(version), 0) AS state FROM fhir_resource WHERE type IN (${TYPES.join(', ')})`,
  });
  return rows[0]?.state ?? '';
}

/** Looks up every value set, one after the other: whoever asks has one connection. */
async function lookUpCodes(
  db: Queryable,
  terminology: Terminology,
  canonicals: readonly string[],
): Promise<BoundCodes> {
  const stored = storedTerminology({ db, access: ALL_ACCESS });
  const found = new Map<string, CodeSelection | string>();
  for (const canonical of canonicals) {
    try {
      found.set(canonical, await terminology.valueSet(canonical, stored));
    } catch (error) {
      if (!(error instanceof TerminologyFault)) throw error;
      found.set(canonical, error.message);
    }
  }
  return found;
}
