// A call to identity: whose proxy a user is or was, so that an access check can say it (docs/adr/0091).
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { PROXY_STATES, type ProxyRelation, type ReadProxies } from '#fhir/rest/access-check/proxy-relation.ts';
import { LinkedIds } from '#lib/auth/access-blob.ts';
import { PROXY_RIGHTS, type RecordService } from '#lib/auth/principal.ts';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { expectJson, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import { admitted, malformed } from './identity-client.ts';

/** The wire form of the response about whose proxy a user is or was. */
export const ProxyRelations = Type.Object({
  proxies: Type.Array(
    Type.Object({
      patient_guid: Type.String(),
      linked_records: Type.Optional(LinkedIds),
      kind: Type.Enum(['proxy', 'guardian']),
      may: Type.Enum([...PROXY_RIGHTS]),
      status: Type.Enum([...PROXY_STATES], { description: '`over`: its end has come by itself' }),
      ends_at: Type.String({ description: 'When the right ends by itself' }),
      ended_at: Type.Union([Type.String(), Type.Null()]),
      ended_by: Type.Union([Type.Enum(['patient', 'delegate', 'administrator']), Type.Null()]),
    }),
  ),
});

export interface IdentityProxiesOptions {
  readonly fetch: ServiceFetch;
  readonly credentials: ServiceCredentials;
  /** The service that asks: the records are those that it holds. */
  readonly service: RecordService;
}

export function createIdentityProxies({ fetch, credentials, service }: IdentityProxiesOptions): ReadProxies {
  const headers = credentialHeaders(credentials);
  return async (userGuid) => {
    const answer = await fetch(`/api/auth/users/${encodeURIComponent(userGuid)}/proxies`, { headers });
    const body = await expectJson(admitted(answer), 200);
    if (!Value.Check(ProxyRelations, body)) throw malformed('list of proxies');
    return body.proxies.map((proxy) => toRelation(proxy, service));
  };
}

function toRelation(proxy: Static<typeof ProxyRelations>['proxies'][number], service: RecordService): ProxyRelation {
  const { patient_guid: patientGuid, linked_records: linked, kind, may, status } = proxy;
  return {
    patientGuid,
    records: [patientGuid, ...(linked?.[service] ?? [])],
    kind,
    may,
    status,
    endsAt: proxy.ends_at,
    endedAt: proxy.ended_at ?? undefined,
    endedBy: proxy.ended_by ?? undefined,
  };
}
