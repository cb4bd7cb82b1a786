// Alike entries of the access log as one: what the same person did, in the same words, on one day. A screen that reads
// something again every few seconds makes as many entries.

/** What two entries are compared by, beside the day. */
export interface LogEntry {
  readonly at: string;
  readonly who: {
    readonly name: string | null;
    readonly role: string;
    /** For whom a proxy did it. */
    readonly for?: string | undefined;
    readonly unit: string | null;
  };
  readonly what: string;
  readonly outcome: string;
}

export interface LogGroup<Entry> {
  /** The newest of them. */
  readonly newest: Entry;
  /** When each happened, the newest first. */
  readonly times: readonly string[];
}

/**
 * In the order of the newest of each.
 * @param entries the newest first
 * @param dayOf the day of a moment, for the reader
 */
export function groupsOf<Entry extends LogEntry>(
  entries: readonly Entry[],
  dayOf: (moment: string) => string,
): LogGroup<Entry>[] {
  const groups = new Map<string, { newest: Entry; times: string[] }>();
  for (const entry of entries) {
    const { name, role, unit, for: patient } = entry.who;
    const key = JSON.stringify([dayOf(entry.at), name, role, unit, patient, entry.what, entry.outcome]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { newest: entry, times: [entry.at] });
    else group.times.push(entry.at);
  }
  return [...groups.values()];
}
