// What a privacy officer types to name a patient.

export type SoughtPatient =
  | { readonly kind: 'number'; readonly number: string }
  | { readonly kind: 'id'; readonly id: string };

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A personal or coordination number, or the guid of a patient; undefined for anything else. */
export function soughtPatient(typed: string): SoughtPatient | undefined {
  const text = typed.trim();
  if (GUID.test(text)) return { kind: 'id', id: text.toLowerCase() };
  const number = text.replaceAll(/\s/g, '');
  return /^(?:\d{2})?\d{6}[-+]?\d{4}$/.test(number) ? { kind: 'number', number } : undefined;
}
