// A mock of dispatch for the engine. It records its requests and sends the responses that the test sets.
import { createDispatchClient, type DispatchClient, type ReportableRequest } from '#clients/dispatch-client.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { ServiceFetch, ServiceResponse } from '#lib/http/upstream/service-fetch.ts';
import { newWebhookSecret } from '#lib/webhook/signature.ts';
import { ORGANISATION, PATIENT } from './engine.ts';

export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly json: unknown;
  readonly hasCredentials: boolean;
}

export interface PlayedDispatch {
  readonly client: DispatchClient;
  readonly asked: RecordedCall[];
  /** Webhook secrets by provider. */
  readonly secrets: Map<string, string>;
  /** The next response of `respond` and `status`; `down` is unreachable. */
  answer: 'ok' | 'down' | { readonly status: number; readonly error: string };
  /** Runs during a call, before its response. */
  meanwhile: (() => Promise<unknown>) | undefined;
}

export function playDispatch(): PlayedDispatch {
  const asked: RecordedCall[] = [];
  const secrets = new Map<string, string>();
  const reply = (status: number, body: unknown): ServiceResponse => ({
    status,
    headers: {},
    text: JSON.stringify(body),
  });

  const fetch: ServiceFetch = async (path, request = {}) => {
    if (played.answer === 'down') throw new ServiceError('upstream_unavailable', 'Dispatch is down in this test');
    const { method = 'GET', json, headers = {} } = request;
    asked.push({ method, path, json, hasCredentials: headers['x-sso-client-id'] === 'engine' });
    const provider = /^\/api\/v1\/providers\/([^/]+)\/endpoint(\/rotate-secret)?$/.exec(path);
    if (provider?.[1] !== undefined) return endpoint(provider[1], provider[2] !== undefined);
    // It has no record of any patient, and has pushed nothing.
    if (path === '/api/v1/patient-reports/place')
      return reply(200, { records: [], missing: (json as { based_on: string[] }).based_on });
    if (path === '/api/v1/requests/reportable') return reply(200, { requests: [] });
    await played.meanwhile?.();
    if (played.answer === 'ok') return reply(200, {});
    return reply(played.answer.status, { error: played.answer.error, message: 'no' });
  };

  function endpoint(guid: string, isRotation: boolean): ServiceResponse {
    if (secrets.has(guid) && !isRotation) return reply(200, { url: 'x', enabled: true });
    const secret = newWebhookSecret();
    secrets.set(guid, secret);
    return reply(isRotation ? 200 : 201, { secret });
  }

  const credentials = { clientId: 'engine', clientSecret: 'a-secret-of-some-length' };
  const played: PlayedDispatch = {
    client: createDispatchClient({ fetch, credentials }),
    asked,
    secrets,
    answer: 'ok',
    meanwhile: undefined,
  };
  return played;
}

/** A request about `PATIENT` that the provider has accepted, as dispatch resolves it. */
export function reportableRequest(
  provider: string,
  request: string,
  changes: Partial<ReportableRequest> = {},
): ReportableRequest {
  return {
    service_request_id: request,
    provider_guid: provider,
    request_guid: newGuid(),
    patient_guid: PATIENT,
    organisation_guid: ORGANISATION,
    provider_name: 'Home care North',
    provider_organisation_guid: null,
    status: 'accepted',
    may_report: true,
    ...changes,
  };
}
