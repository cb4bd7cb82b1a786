// Requests whose bodies do not arrive (RFC 9110 §15.5.9: 408): who says nothing of themself has so long for all of it;
// who has been let in may take as long as an upload needs, if something of it comes. Node.js has one time for all
// requests, by which a long import would be cut off.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Slots } from '../../slots.ts';
import type { HttpApp } from '../http-app.ts';
import { answerUnreadable } from '../unreadable-request.ts';

export interface TimeLimits {
  /** For the headers of a request, in ms. */
  readonly headersMs: number;
  /** For the whole body of a caller without credentials, and for what is left of one that has been answered. */
  readonly openBodyMs: number;
  /** How long nothing may come of any other body. */
  readonly idleBodyMs: number;
  /** How often all that is checked. */
  readonly checkMs: number;
}

export const TIME_LIMITS: TimeLimits = { headersMs: 15_000, openBodyMs: 20_000, idleBodyMs: 30_000, checkMs: 2_000 };

/** In an idle time that much must come: a few bytes now and then keep nothing open. */
const LEAST_BYTES = 16 * 1024;

const NO_SLOT = -1;

interface Upload {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly startedAt: number;
  /** When so many bytes had come. */
  seenAt: number;
  seenBytes: number;
}

/** To be called once for an application. */
export function watchUploads(app: HttpApp, limits: TimeLimits): void {
  const uploads = new Slots<Upload>();
  app.decorateRequest('uploadSlot', NO_SLOT);
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    // Undefined for what comes by `inject`, whole.
    if (hasBody && raw.complete === false) {
      const now = performance.now();
      request.uploadSlot = uploads.add({ request, reply, startedAt: now, seenAt: now, seenBytes: 0 });
    }
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.raw.complete) forget(request);
    done();
  });

  /** The slot is another's from now on. */
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
  // What has come and is not read yet waits for us.
  if (bytesRead - upload.seenBytes >= LEAST_BYTES || request.raw.readableLength > 0) {
    upload.seenAt = now;
    upload.seenBytes = bytesRead;
  }
  return now - upload.seenAt > idleBodyMs;
}

function isOpen({ principal, hasCapability, routeOptions }: FastifyRequest): boolean {
  return principal === undefined && !hasCapability && routeOptions.config.forwardsBody !== true;
}

/** One who has been answered already is only cut off. */
function end({ request, reply }: Upload): void {
  const { socket } = request.raw;
  if (reply.raw.headersSent) socket.destroy();
  else
    answerUnreadable(Object.assign(new Error('The body did not arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}
