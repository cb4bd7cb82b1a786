// For whom somebody acts: a proxy's requests to dispatch and engine name the patient (docs/reference/proxies.md). Kept
// for the tab, so that a reload changes nothing and another tab is one's own.

import { serverPlace } from '../place.ts';

export interface ActingFor {
  readonly patientGuid: string;
  readonly name: string;
}

const KEY = 'kedja-acting-for';
const HEADER = 'Kedja-Patient';

export function actingFor(): ActingFor | undefined {
  if (serverPlace() !== undefined) return undefined;
  const [patientGuid, name] = (sessionStorage.getItem(KEY) ?? '').split('\n');
  return patientGuid === undefined || name === undefined ? undefined : { patientGuid, name };
}

/** Begins, or ends without one, and starts the console again, so that nothing of the other person stays on a screen. */
export function actFor(person: ActingFor | undefined): void {
  if (person === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, `${person.patientGuid}\n${person.name}`);
  window.location.assign('/my');
}

/** Names the patient in a request. Identity knows no acting for others. */
export function nameActing(request: Request): void {
  const acting = actingFor();
  const isOfIdentity = new URL(request.url).pathname.startsWith('/identity/');
  if (acting !== undefined && !isOfIdentity) request.headers.set(HEADER, acting.patientGuid);
}
