// What a patient is called, by the record.
import type { Patient } from 'fhir/r5';

/** `Astrid Berg`; the official or usual name, else the first. Empty without one. */
export function nameOf({ name = [] }: Pick<Patient, 'name'>): string {
  const chosen = name.find(({ use }) => use === 'official' || use === 'usual') ?? name[0];
  if (chosen === undefined) return '';
  return chosen.text ?? [...(chosen.given ?? []), chosen.family ?? ''].filter((part) => part !== '').join(' ');
}
