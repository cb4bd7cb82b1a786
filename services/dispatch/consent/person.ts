// Which patient records are one person (decision D7, docs/reference/dispatch-delivery.md): those that `Patient.link`
// says have been merged, by `replaced-by` or `replaces`. A link is the word of whoever keeps the record that it stands
// in.

export interface PatientRecord {
  readonly id: string;
  /** To whom the record belongs. */
  readonly organisation: string | null;
  readonly links: readonly PatientLink[];
}

export interface PatientLink {
  readonly type: 'replaced-by' | 'replaces';
  /** The id of the other record; undefined for one that is not kept here. */
  readonly other: string | undefined;
}

/** All records that are the same person as one record. */
export interface Person {
  /** Itself, and those that it is said to be from within it, at any distance: consents about them are its own. */
  readonly own: ReadonlySet<string>;
  /**
   * Those that only say it themselves, and what they lead to: whoever keeps one may object for the person, and permit
   * nothing.
   */
  readonly others: ReadonlySet<string>;
  /** False when a record that takes the place of one of them is not here to be read. */
  readonly isWhole: boolean;
}

/** A person of more records than this counts as one that is not known whole. */
const MOST_RECORDS = 64;

export function personOf(id: string, records: ReadonlyMap<string, PatientRecord>): Person {
  const outward = (from: string) => (records.get(from)?.links ?? []).flatMap(({ other }) => other ?? []);
  const inward = (to: string) =>
    [...records.values()].filter((record) => speaksFor(record, to, records)).map(({ id: from }) => from);
  const own = reachable([id], outward);
  const all = reachable([...own], (from) => [...outward(from), ...inward(from)]);
  const person = { own, others: all.difference(own) };
  const isWhole = isFollowed(person) && [...all].every((each) => isSurvivorKnown(records.get(each), records));
  return { ...person, isWhole };
}

/** Whether there are few enough records for all of them to be read. */
export function isFollowed({ own, others }: Pick<Person, 'own' | 'others'>): boolean {
  return own.size + others.size <= MOST_RECORDS;
}

/** Another organisation's record says nothing about one that it does not keep. */
function speaksFor(
  { organisation, links }: PatientRecord,
  about: string,
  records: ReadonlyMap<string, PatientRecord>,
): boolean {
  return links.some(({ other }) => other === about) && organisation === records.get(about)?.organisation;
}

function isSurvivorKnown(record: PatientRecord | undefined, records: ReadonlyMap<string, PatientRecord>): boolean {
  const survivors = (record?.links ?? []).filter(({ type }) => type === 'replaced-by');
  return survivors.every(({ other }) => other !== undefined && records.has(other));
}

function reachable(from: readonly string[], next: (id: string) => readonly string[]): Set<string> {
  const found = new Set(from);
  for (const id of found) {
    if (found.size > MOST_RECORDS) break;
    for (const other of next(id)) found.add(other);
  }
  return found;
}
