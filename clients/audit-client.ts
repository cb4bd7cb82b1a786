// Sends audit events to the engine, where they are searched (decision G9).
import type { AuditSink } from '#lib/audit/audit-shipper.ts';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { expectJson, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';

/** A sink that resolves when the engine has stored the events; the engine ignores events that it has already. */
export function createAuditClient(options: { fetch: ServiceFetch; credentials: ServiceCredentials }): AuditSink {
  const headers = credentialHeaders(options.credentials);
  return async (events) => {
    const jsonText = `{"events":[${events.join(',')}]}`;
    await expectJson(await options.fetch('/api/v1/audit-events', { method: 'POST', headers, jsonText }), 204);
  };
}
