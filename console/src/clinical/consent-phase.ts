// When a consent is in force. Its days are those of Sweden, where the services count them. Pure.
export type ConsentPhase = 'now' | 'later' | 'over';

interface Term {
  readonly isActive: boolean;
  /** Days or moments, as FHIR has them; the last day counts. */
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
}

export function phaseOf({ isActive, from, to }: Term, now: Date): ConsentPhase {
  if (!isActive) return 'over';
  if (to != null && isBefore(to, now)) return 'over';
  return from != null && isAfter(from, now) ? 'later' : 'now';
}

/** `2026-11-29`, as in Sweden. */
export function swedishDay(now: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Stockholm' }).format(now);
}

/** Of a month or a year alone its last day counts. */
function isBefore(text: string, now: Date): boolean {
  return text.includes('T') ? Date.parse(text) < now.getTime() : text < swedishDay(now).slice(0, text.length);
}

function isAfter(text: string, now: Date): boolean {
  return text.includes('T') ? Date.parse(text) > now.getTime() : text > swedishDay(now).slice(0, text.length);
}
