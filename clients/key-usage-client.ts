// Reports to the engine, which owns API keys, how often each was used at another service (decision E8).
import type { KeyUseBatch } from '#lib/auth/key-usage.ts';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { expectJson, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';

/** A sink that resolves when the engine has counted the batch; it counts each batch once. */
export function createKeyUsageClient(options: {
  fetch: ServiceFetch;
  credentials: ServiceCredentials;
}): (batch: KeyUseBatch) => Promise<void> {
  const headers = credentialHeaders(options.credentials);
  return async ({ batchGuid, uses }) => {
    const json = {
      batch_guid: batchGuid,
      uses: uses.map(({ keyGuid, day, requests, lastUsedAt }) => ({
        key_guid: keyGuid,
        day,
        requests,
        last_used_at: new Date(lastUsedAt).toISOString(),
      })),
    };
    await expectJson(await options.fetch('/api/v1/api-keys/usage', { method: 'POST', headers, json }), 204);
  };
}
