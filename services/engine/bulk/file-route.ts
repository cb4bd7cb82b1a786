// Sends a file of a bulk job from the database as a stream. It sends the whole file, or a range for a client whose
// download was interrupted (RFC 9110 §14). A client that accepts gzip gets the stored parts without unpacking them.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { acceptsGzip, chooseEncoding, LEAST_COMPRESSED } from '#lib/http/response/compression.ts';
import { varyBy } from '#lib/http/response/vary.ts';
import { type BulkFile, packedLength, readBytes, readPacked } from './files.ts';
import type { JobView } from './service.ts';

/** NDJSON: one resource on each line (hl7.org/fhir/R5/nd-json.html). */
export const FILE_TYPE = 'application/fhir+ndjson';

export interface FileDependencies {
  readonly database: Database;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** @throws ServiceError `not_found` */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { view, name }: { readonly view: JobView; readonly name: string },
  { database }: FileDependencies,
): Promise<FastifyReply> {
  const file = view.job.state === 'done' ? findFile(view.files, name) : undefined;
  if (file === undefined) throw notFound(`The file ${name}`);
  const { bytes } = file;
  const place = { job: view.job.job_guid, file: file.file };
  reply.type(FILE_TYPE).header('accept-ranges', 'bytes');
  const range = readRange(request.headers['range'], bytes);
  const packed = range === undefined && takesGzip(request, bytes) ? await packedLength(database, place) : undefined;
  if (packed !== undefined) {
    varyBy(reply, 'Accept-Encoding').header('content-encoding', 'gzip').header('content-length', String(packed));
    // A range would be of the compressed bytes, which cannot be requested again.
    reply.header('accept-ranges', 'none');
    return reply.send(Readable.from(readPacked(database, { ...place, bytes })));
  }
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${bytes}`).send();
  const { start, end } = range ?? { start: 0, end: bytes };
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${bytes}`);
  reply.header('content-length', String(end - start));
  return reply.send(Readable.from(readBytes(database, { ...place, start, end })));
}

/** Whether the client prefers a packed file, and takes gzip. */
function takesGzip({ method, headers }: FastifyRequest, bytes: number): boolean {
  const accepted = headers['accept-encoding'];
  return (
    method !== 'HEAD' && bytes >= LEAST_COMPRESSED && chooseEncoding(accepted) !== undefined && acceptsGzip(accepted)
  );
}

function findFile(files: readonly BulkFile[], name: string): BulkFile | undefined {
  const number = /^(\d{1,9})\.ndjson$/.exec(name)?.[1];
  return files.find((file) => file.kind !== 'input' && String(file.file) === number);
}

/** Reads one range of bytes; undefined when there is none, and for a header that the server may ignore. */
function readRange(header: string | undefined, bytes: number): Range | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  return start < end ? { start, end } : 'unsatisfiable';
}
