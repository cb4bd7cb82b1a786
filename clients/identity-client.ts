// The other services' calls to identity: its public keys, its revocation feed, the access blob of a token, and
// registered ids (decision G8).
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { PatientReport, PatientReportSink } from '#fhir/store/patient-reports.ts';
import { AccessBlob, principalOfBlob } from '#lib/auth/access-blob.ts';
import type { AccessBlobSource } from '#lib/auth/authenticator.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { REGISTERED_TYPES, type RegisteredIdSource } from '#lib/auth/registered-ids.ts';
import type { RevocationEvent, RevocationSource } from '#lib/auth/revocation-list.ts';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { KeySource } from '#lib/auth/token-verifier.ts';
import { ServiceError } from '#lib/errors.ts';
import { expectJson, type ServiceFetch, type ServiceResponse } from '#lib/http/upstream/service-fetch.ts';

/** The wire form of one page of identity's revocation feed. */
export const RevocationFeed = Type.Object(
  {
    events: Type.Array(
      Type.Union([
        Type.Object({ kind: Type.Literal('token_revoked'), token_id: Type.String(), expires_at: Type.Integer() }),
        Type.Object({ kind: Type.Literal('user_changed'), user_guid: Type.String() }),
        Type.Object({ kind: Type.Literal('keys_changed') }),
      ]),
    ),
    sequence: Type.Integer(),
    has_more: Type.Boolean(),
  },
  { title: 'RevocationFeed' },
);

/** The position in the revocation feed that the caller has read. The response must be at least as new (decision G8). */
export const SEQUENCE_HEADER = 'x-revocation-sequence';

/** The wire form of the response about registered ids. */
export const RegisteredIds = Type.Object({
  ids: Type.Array(
    Type.Object({
      guid: Type.String(),
      type: Type.Enum([...REGISTERED_TYPES]),
      organisation_guids: Type.Array(Type.String()),
    }),
  ),
});

/** The wire form of reports of Patients that a service has stored (docs/adr/0068). */
export const PatientReports = Type.Object(
  {
    records: Type.Array(
      Type.Object(
        {
          record_id: Type.String({ pattern: '^[A-Za-z0-9.-]{1,64}$', description: 'FHIR id of a Patient' }),
          organisation_guid: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
          change: Type.Integer({ minimum: 1, description: 'Rises with each write of the record' }),
          numbers: Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 }),
          protected_for: Type.Optional(
            Type.Array(Type.String({ format: 'uuid' }), {
              maxItems: 100,
              description: 'Of a protected identity: the users and organisations to whom its labels show it',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 200 },
    ),
  },
  { additionalProperties: false },
);

/** The wire form of one page of the feed of whose records are one person's (docs/adr/0073). */
export const PatientLinks = Type.Object(
  {
    patients: Type.Array(
      Type.Object({
        patient_guid: Type.String(),
        records: Type.Array(Type.String(), { description: 'FHIR ids of Patients at the calling service' }),
      }),
    ),
    sequence: Type.Integer(),
    has_more: Type.Boolean(),
  },
  { title: 'PatientLinkFeed' },
);

/** A page of the feed: each registered patient with all their further records at this service. */
export interface PatientLinkPage {
  readonly patients: readonly { readonly patientGuid: string; readonly records: readonly string[] }[];
  /** Where the next page begins. */
  readonly sequence: number;
  readonly hasMore: boolean;
}

/** The limit of a response about a thousand guids, some in many organisations. */
const MAX_IDS_BYTES = 4 * 1024 * 1024;

const KeySet = Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() }, { additionalProperties: true })) });

/** A user as identity has them now. */
export interface UserContact {
  readonly principal: Principal;
  readonly email: string;
  /** Of a professional. */
  readonly name: string | undefined;
}

export interface IdentityClient {
  readonly keys: KeySource;
  readonly revocations: RevocationSource;
  readonly blobs: AccessBlobSource;
  /** The user's current permissions; undefined for an unknown user. @throws ServiceError `upstream_unavailable` */
  readAccess(userGuid: string): Promise<Principal | undefined>;
  /** The same with the user's e-mail address and name. @throws ServiceError `upstream_unavailable` */
  readContact(userGuid: string): Promise<UserContact | undefined>;
  /** Which of these guids are registered. @throws ServiceError `upstream_unavailable` */
  readonly registeredIds: RegisteredIdSource;
  /** Reports Patients that this service has stored. @throws ServiceError `upstream_unavailable` */
  readonly reportPatients: PatientReportSink;
  /** The patients whose links have changed after that; 0 for all. @throws ServiceError `upstream_unavailable` */
  readPatientLinks(after: number): Promise<PatientLinkPage>;
}

export function createIdentityClient(options: {
  fetch: ServiceFetch;
  credentials: ServiceCredentials;
}): IdentityClient {
  const { fetch } = options;
  const headers = credentialHeaders(options.credentials);

  async function readBlob(userGuid: string): Promise<AccessBlob | undefined> {
    const answer = await fetch(`/api/auth/users/${encodeURIComponent(userGuid)}/access`, { headers });
    if (answer.status === 404) return undefined;
    const body = await expectJson(admitted(answer), 200);
    if (!Value.Check(AccessBlob, body)) throw malformed('access blob');
    return body;
  }

  return {
    keys: {
      async load() {
        const body = await expectJson(await fetch('/.well-known/jwks.json'), 200);
        if (!Value.Check(KeySet, body)) throw malformed('key set');
        return body;
      },
    },
    revocations: {
      async readAfter(sequence) {
        const body = await expectJson(
          admitted(await fetch(`/api/auth/revocations?after=${sequence}`, { headers })),
          200,
        );
        if (!Value.Check(RevocationFeed, body)) throw malformed('revocation feed');
        const events = body.events.map(toEvent);
        return { events, sequence: body.sequence, hasMore: body.has_more };
      },
    },
    blobs: {
      async read(token, _claims, sequence) {
        const answer = await fetch('/api/auth/me/service', {
          headers: { ...headers, authorization: `Bearer ${token}`, [SEQUENCE_HEADER]: String(sequence) },
        });
        if (answer.status === 401) return undefined;
        const body = await expectJson(admitted(answer), 200);
        if (!Value.Check(AccessBlob, body)) throw malformed('access blob');
        return body;
      },
    },
    async readAccess(userGuid) {
      const blob = await readBlob(userGuid);
      return blob && principalOfBlob(blob);
    },
    async readContact(userGuid) {
      const blob = await readBlob(userGuid);
      if (blob === undefined) return undefined;
      const name = blob.user_type === 'professional' ? blob.name : undefined;
      return { principal: principalOfBlob(blob), email: blob.email, name };
    },
    async registeredIds(guids) {
      const given = { method: 'POST', headers, json: { guids }, maxBytes: MAX_IDS_BYTES } as const;
      const body = await expectJson(admitted(await fetch('/api/auth/registered-ids', given)), 200);
      if (!Value.Check(RegisteredIds, body)) throw malformed('list of ids');
      return body.ids.map(({ guid, type, organisation_guids: organisationGuids }) => ({
        guid,
        type,
        organisationGuids,
      }));
    },
    async reportPatients(reports) {
      const json = { records: reports.map(toRecord) };
      await expectJson(admitted(await fetch('/api/auth/patient-records', { method: 'POST', headers, json })), 204);
    },
    async readPatientLinks(after) {
      const given = { headers, maxBytes: MAX_IDS_BYTES };
      const body = await expectJson(admitted(await fetch(`/api/auth/patient-links?after=${after}`, given)), 200);
      if (!Value.Check(PatientLinks, body)) throw malformed('page of patient links');
      const patients = body.patients.map(({ patient_guid: patientGuid, records }) => ({ patientGuid, records }));
      return { patients, sequence: body.sequence, hasMore: body.has_more };
    },
  };
}

function toRecord({ id, organisation, change, numbers, protectedFor }: PatientReport) {
  const labels = protectedFor === undefined ? {} : { protected_for: [...protectedFor] };
  return { record_id: id, organisation_guid: organisation, change, numbers, ...labels };
}

function toEvent(event: Static<typeof RevocationFeed>['events'][number]): RevocationEvent {
  switch (event.kind) {
    case 'token_revoked':
      return { kind: event.kind, tokenId: event.token_id, expiresAt: event.expires_at };
    case 'user_changed':
      return { kind: event.kind, userGuid: event.user_guid };
    case 'keys_changed':
      return { kind: event.kind };
    default:
      return event satisfies never;
  }
}

/**
 * A refusal of the service's own credentials, or of its rate, says nothing about its callers. For them the service is
 * unavailable.
 */
export function admitted(answer: ServiceResponse): ServiceResponse {
  if (answer.status !== 403 && answer.status !== 429) return answer;
  const message = 'Identity refuses the credentials of this service (KEDJA_SERVICE_CLIENTS must be the same for both)';
  throw new ServiceError('upstream_unavailable', message);
}

export function malformed(what: string): ServiceError {
  return new ServiceError('upstream_error', `Identity answered a ${what} that cannot be read`);
}
