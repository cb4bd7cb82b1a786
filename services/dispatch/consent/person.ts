// Which patient records are one person (decision D7, docs/reference/dispatch-delivery.md): those merged by
// `Patient.link` of type `replaced-by` or `replaces`. A link is the statement of the organisation that owns its record.

export interface PatientRecord {
  readonly id: string;
  /** The organisation that owns the record. */
  readonly organisation: string | null;
  readonly links: readonly PatientLink[];
}

export interface PatientLink {
  readonly type: 'replaced-by' | 'replaces';
  /** The id of the other record; undefined for a record of another server. */
  readonly other: string | undefined;
}

/** All records that are the same person as one record. */
export interface Person {
  /** The record, and those that its links lead to, at any distance. Consents about them are the person's own. */
  readonly own: ReadonlySet<string>;
  /** Records that only link to these, and what they lead to. Their owners may object for the person, but not permit. */
  readonly others: ReadonlySet<string>;
  /** False when a record that replaces one of them cannot be read. */
  readonly isWhole: boolean;
}

/** With more records than this a person counts as incomplete. */
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

/** Whether there are few enough records to read all of them. */
export function isFollowed({ own, others }: Pick<Person, 'own' | 'others'>): boolean {
  return own.size + others.size <= MOST_RECORDS;
}

/** A record counts only for records of its own organisation. */
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
