// Calls to identity about names. They find what users and organisations were called at a time, and which records are of
// one person. They serve the engine's access log (decision L4, docs/adr/0075). Also what a unit is called now, for
// dispatch.
import Type from 'typebox';
import { Value } from 'typebox/value';
import { LinkedIds } from '#lib/auth/access-blob.ts';
import type { LinkedRecords } from '#lib/auth/principal.ts';
import type { ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { credentialHeaders } from '#lib/auth/service-credentials.ts';
import { expectJson, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import { admitted, malformed } from './identity-client.ts';

const OptionalText = Type.Union([Type.String(), Type.Null()]);

/** The wire form of the response about names. */
export const KnownNames = Type.Object({
  names: Type.Array(
    Type.Object({
      guid: Type.String({ description: 'As it was asked for' }),
      valid_from: Type.String(),
      name: OptionalText,
      role: Type.Union([Type.String(), Type.Null()], {
        description: 'Of a user: the professional role, or `patient`',
      }),
      proxy_name: Type.Optional(
        Type.String({
          description: 'Of a patient’s proxy without a name: what patients know them by, the e-mail address',
        }),
      ),
    }),
  ),
});

/** The wire form of the response about the person of a record. */
export const PersonOfRecord = Type.Object(
  {
    patient_guid: Type.String(),
    linked_records: LinkedIds,
    shown_to: Type.Optional(
      Type.Array(Type.Array(Type.String()), {
        description: 'Of each of these that is protected: the users and organisations to whom it is shown',
      }),
    ),
  },
  { title: 'PersonOfRecord' },
);

/** A name from a time on, in milliseconds. */
export interface KnownName {
  readonly guid: string;
  readonly validFrom: number;
  readonly name: string | null;
  readonly role: string | null;
  /** What patients know a proxy without a name by. */
  readonly proxyName: string | undefined;
}

export interface RecordPerson {
  readonly patientGuid: string;
  readonly linked: LinkedRecords;
  /** Of each record whose identity is protected: the guids of those to whom it is shown (docs/adr/0090). */
  readonly shownTo: readonly (readonly string[])[];
}

export interface IdentityNames {
  /** In the order of time for each guid. @throws ServiceError `upstream_unavailable` */
  names(guids: readonly string[]): Promise<readonly KnownName[]>;
  /** What a user or organisation is called now. @throws ServiceError `upstream_unavailable` */
  nameNow(guid: string): Promise<string | undefined>;
  /** Undefined where the record is no registered patient's. @throws ServiceError `upstream_unavailable` */
  personOf(recordId: string): Promise<RecordPerson | undefined>;
}

/** A thousand users with some names each. */
const MAX_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 1_000;

export function createIdentityNames(options: { fetch: ServiceFetch; credentials: ServiceCredentials }): IdentityNames {
  const { fetch } = options;
  const headers = credentialHeaders(options.credentials);

  async function readNames(guids: readonly string[]): Promise<KnownName[]> {
    const given = { method: 'POST', headers, json: { guids }, maxBytes: MAX_BYTES } as const;
    const body = await expectJson(admitted(await fetch('/api/auth/names', given)), 200);
    if (!Value.Check(KnownNames, body)) throw malformed('list of names');
    return body.names.map(({ valid_from: from, proxy_name: proxyName, ...name }) => ({
      ...name,
      validFrom: Date.parse(from),
      proxyName,
    }));
  }

  return {
    async names(guids) {
      const names: KnownName[] = [];
      for (let start = 0; start < guids.length; start += AT_ONCE)
        names.push(...(await readNames(guids.slice(start, start + AT_ONCE))));
      return names;
    },
    async nameNow(guid) {
      return (await readNames([guid])).at(-1)?.name ?? undefined;
    },
    async personOf(recordId) {
      const answer = admitted(await fetch(`/api/auth/records/${encodeURIComponent(recordId)}`, { headers }));
      if (answer.status === 404) return undefined;
      const body = await expectJson(answer, 200);
      if (!Value.Check(PersonOfRecord, body)) throw malformed('person of a record');
      return { patientGuid: body.patient_guid, linked: body.linked_records, shownTo: body.shown_to ?? [] };
    },
  };
}
