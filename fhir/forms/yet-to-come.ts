// Whether a moment is yet to come, where it is asked about what has been. The services and the console ask alike. Pure.

export interface Now {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The IANA name of the zone whose day today is; that of the runtime when left out. */
  readonly timeZone?: string | undefined;
}

/** @param value FHIR dateTime: a moment with its offset, or a day, month or year */
export function isYetToCome(value: string, { now, timeZone }: Now): boolean {
  if (value.includes('T')) return Date.parse(value) > now;
  // Swedish writes a day as FHIR does.
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now);
  return value > today.slice(0, value.length);
}
