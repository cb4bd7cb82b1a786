// Records every webhook that reached the providers' systems. Each signature is verified twice: with the published
// library, and by own code that follows the specification of Standard Webhooks.
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Hooks } from '#test/support/hooks.ts';

export interface RecordedWebhook {
  readonly providerGuid: string;
  /** The `webhook-id`. */
  readonly id: string;
  /** Of the attempt, in seconds. */
  readonly timestamp: number;
  readonly bodyHash: string;
  /** What each of the two verifiers says. */
  readonly isValid: readonly [byLibrary: boolean, bySpecification: boolean];
  readonly type: string;
  readonly requestGuid: string;
  /** Ids of the patients in the bundle. */
  readonly patients: readonly string[];
}

/** Responds to a webhook; `before` says how often this id had arrived already. */
export type Responder = (entry: RecordedWebhook, response: ServerResponse, before: number) => void;

export interface WebhookRecorder {
  readonly port: number;
  readonly entries: readonly RecordedWebhook[];
  /** The signing secrets by provider. */
  readonly secrets: Map<string, string>;
  /** 204 when left out. */
  answer(responder: Responder | undefined): void;
}

/** A server on 127.0.0.1; providers are named by the path `/<provider_guid>`. */
export async function startWebhookRecorder(hooks: Hooks): Promise<WebhookRecorder> {
  const entries: RecordedWebhook[] = [];
  const secrets = new Map<string, string>();
  const seen = new Map<string, number>();
  let responder: Responder | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    // What is broken off has not arrived.
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const providerGuid = (request.url ?? '').slice(1);
      const entry = read(providerGuid, request.headers, Buffer.concat(chunks), secrets.get(providerGuid));
      const before = seen.get(entry.id) ?? 0;
      seen.set(entry.id, before + 1);
      entries.push(entry);
      if (responder === undefined) response.writeHead(204).end();
      else responder(entry, response, before);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hooks.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    entries,
    secrets,
    answer: (given) => {
      responder = given;
    },
  };
}

function read(providerGuid: string, headers: IncomingHttpHeaders, body: Buffer, secret = ''): RecordedWebhook {
  const payload = JSON.parse(body.toString('utf8')) as {
    type: string;
    data: { request_guid?: string; bundle?: { entry: { resource: { resourceType: string; id: string } }[] } };
  };
  const resources = payload.data.bundle?.entry.map(({ resource }) => resource) ?? [];
  return {
    providerGuid,
    id: String(headers['webhook-id']),
    timestamp: Number(headers['webhook-timestamp']),
    bodyHash: createHash('sha256').update(body).digest('hex'),
    isValid: [byLibrary(headers, body, secret), bySpecification(headers, body, secret)],
    type: payload.type,
    requestGuid: payload.data.request_guid ?? '',
    patients: resources.flatMap(({ resourceType, id }) => (resourceType === 'Patient' ? [id] : [])),
  };
}

function byLibrary(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  try {
    new Webhook(secret).verify(body.toString('utf8'), headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/**
 * "v1," and the base64 of HMAC-SHA-256 over `id.timestamp.body`, keyed with the bytes behind `whsec_`; no older than
 * five minutes.
 */
function bySpecification(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body]);
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  const age = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']));
  return key.length >= 24 && age < 300 && String(headers['webhook-signature']).split(' ').includes(expected);
}
