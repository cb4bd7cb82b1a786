// Dispatch's call to the engine that stores the results which a provider reported (decision L9, docs/adr/0078).
import Type from 'typebox';
import { Value } from 'typebox/value';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { ServiceError } from '#lib/errors.ts';
import type { ServiceFetch } from '#lib/http/upstream/service-fetch.ts';

export interface ResultClient {
  /**
   * Stores the report, given as JSON text; again changes nothing. Returns the code of a final refusal, or undefined.
   * @throws ServiceError `upstream_unavailable` when a retry may help
   */
  store(body: string): Promise<string | undefined>;
}

/** Statuses that are final for the report; all others may be temporary. */
const FINAL_STATUSES = [400, 404, 409, 413, 422];
const PlainError = Type.Object({ error: Type.String() });

export function createResultClient(options: { fetch: ServiceFetch; credentials: ServiceCredentials }): ResultClient {
  const headers = credentialHeaders(options.credentials);
  return {
    async store(body) {
      const json: unknown = JSON.parse(body);
      const { status, text } = await options.fetch('/api/v1/results', { method: 'POST', headers, json });
      if (status >= 200 && status < 300) return undefined;
      if (!FINAL_STATUSES.includes(status))
        throw new ServiceError('upstream_unavailable', `The engine answered ${status}`);
      return codeOf(text) ?? String(status);
    },
  };
}

function codeOf(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return Value.Check(PlainError, body) ? body.error : undefined;
  } catch {
    return undefined;
  }
}
