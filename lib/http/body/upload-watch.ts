// Timeouts for request bodies (408, RFC 9110 §15.5.9). A caller without credentials has a fixed time for the whole
// body. An authenticated caller may upload for as long as data keeps arriving. The one timeout of Node.js for all
// requests would cut a long import off.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Slots } from '../../slots.ts';
import type { HttpApp } from '../http-app.ts';
import { respondToUnreadable } from '../unreadable-request.ts';

export interface TimeLimits {
  /** For the headers of a request, in ms. */
  readonly headersMs: number;
  /**
   * For the whole body of a caller without credentials, and for the rest of a body that has already been responded to.
   */
  readonly openBodyMs: number;
  /** The longest pause in any other body. */
  readonly idleBodyMs: number;
  /** How often the timeouts are checked. */
  readonly checkMs: number;
}

export const TIME_LIMITS: TimeLimits = { headersMs: 15_000, openBodyMs: 20_000, idleBodyMs: 30_000, checkMs: 2_000 };

/** The least that must arrive within `idleBodyMs`: a few bytes now and then keep no connection open. */
const MIN_BYTES = 16 * 1024;

const NO_SLOT = -1;

interface Upload {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly startedAt: number;
  /** When at least `MIN_BYTES` had last arrived, and how many bytes had arrived by then. */
  seenAt: number;
  receivedBytes: number;
}

/** Call it once for an application. */
export function watchUploads(app: HttpApp, limits: TimeLimits): void {
  const uploads = new Slots<Upload>();
  app.decorateRequest('uploadSlot', NO_SLOT);
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    // Undefined for `inject`, whose body is complete at once.
    if (hasBody && raw.complete === false) {
      const now = performance.now();
      request.uploadSlot = uploads.add({ request, reply, startedAt: now, seenAt: now, receivedBytes: 0 });
    }
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.raw.complete) forget(request);
    done();
  });

  /** The slot may belong to another request afterwards. */
  function forget(request: FastifyRequest): void {
    uploads.remove(request.uploadSlot);
    request.uploadSlot = NO_SLOT;
  }

  function check(): void {
    const now = performance.now();
    for (const [, upload] of uploads.entries()) {
      const { raw } = upload.request;
      const isHere = raw.complete || raw.destroyed;
      if (!isHere && !isOverdue(upload, limits, now)) continue;
      forget(upload.request);
      if (!isHere) end(upload);
    }
  }

  const timer = setInterval(check, limits.checkMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

function isOverdue(upload: Upload, { openBodyMs, idleBodyMs }: TimeLimits, now: number): boolean {
  const { request, reply, startedAt } = upload;
  if (isOpen(request) || reply.raw.writableEnded) return now - startedAt > openBodyMs;
  const { bytesRead } = request.raw.socket;
  // Data that has arrived and is not read yet is waiting for the service.
  if (bytesRead - upload.receivedBytes >= MIN_BYTES || request.raw.readableLength > 0) {
    upload.seenAt = now;
    upload.receivedBytes = bytesRead;
  }
  return now - upload.seenAt > idleBodyMs;
}

function isOpen({ principal, hasCapability, routeOptions }: FastifyRequest): boolean {
  return principal === undefined && !hasCapability && routeOptions.config.forwardsBody !== true;
}

/** A client that has its response already is only disconnected. */
function end({ request, reply }: Upload): void {
  const { socket } = request.raw;
  if (reply.raw.headersSent) socket.destroy();
  else
    respondToUnreadable(
      Object.assign(new Error('The body did not arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      socket,
    );
}
