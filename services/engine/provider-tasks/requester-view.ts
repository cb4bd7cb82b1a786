// Who asks for a task, as it is stored and shown (decision L8).
import { type Requester, requesterOf } from '#fhir/reports/requester.ts';
import type { TaskRequester } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

export function requesterView({ person, unit, contacts }: Requester): TaskRequester {
  return {
    person: person ?? null,
    unit: unit ?? null,
    contacts: contacts.map(({ system, value }) => ({ ...(system === undefined ? {} : { system }), value })),
  };
}

export function requesterIn(serviceRequest: Json): TaskRequester {
  return requesterView(requesterOf(serviceRequest));
}
