// Receives the upload of an import (multipart, field `file`; decision G4: 20 MiB) into an unlinked temporary file
// before the first row is read. A file that is too large or incomplete changes nothing, and personal data is gone with
// the process.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { type Issue, ServiceError, validationError } from '#lib/errors.ts';

const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** The multipart overhead around the file. */
export const MAX_BODY_BYTES = MAX_FILE_BYTES + 64 * 1024;
/** The options of the multipart plugin. Identity itself reports a file that is too large. */
export const MULTIPART_OPTIONS = {
  throwFileSizeLimit: false,
  limits: { fileSize: MAX_FILE_BYTES, files: 10, fields: 10, fieldSize: 1024, parts: 20 },
};

/**
 * The uploaded file, open for reading; the caller closes it.
 * @throws ServiceError `unsupported_media_type`, `payload_too_large`, `validation_error` naming every missing or
 * unknown field, `invalid_request` for a body that is not multipart or is incomplete
 */
export async function receiveFile(request: FastifyRequest): Promise<FileHandle> {
  if (!request.isMultipart()) {
    throw new ServiceError('unsupported_media_type', 'This address reads multipart/form-data');
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const file = await openNameless();
  try {
    const issues = await receiveParts(request, file);
    if (issues.length > 0) throw validationError(issues);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function receiveParts(request: FastifyRequest, file: FileHandle): Promise<Issue[]> {
  const issues: Issue[] = [];
  let received = 0;
  for await (const part of partsOf(request)) {
    if (part.fieldname !== 'file')
      issues.push({ field: part.fieldname, message: `'${part.fieldname.slice(0, 100)}' is not a known field` });
    else if (part.type === 'field') issues.push({ field: 'file', message: "'file' must be a file" });
    else received += 1;
    if (part.type !== 'file') continue;
    if (part.fieldname === 'file' && received === 1) await receive(part, file);
    else part.file.resume();
  }
  const isNamed = issues.some((issue) => issue.field === 'file');
  if (received === 0 && !isNamed) issues.push({ field: 'file', message: "'file' is required" });
  if (received > 1) issues.push({ field: 'file', message: "'file' must be there once" });
  return issues;
}

async function receive(part: MultipartFile, file: FileHandle): Promise<void> {
  try {
    for await (const piece of part.file) await file.write(piece);
  } catch (error) {
    throw unreadable(error);
  }
  if (part.file.truncated) throw tooLarge();
}

async function* partsOf(request: FastifyRequest): AsyncGenerator<Multipart> {
  try {
    yield* request.parts();
  } catch (error) {
    throw error instanceof ServiceError ? error : unreadable(error);
  }
}

/** Readable by this process alone, and deleted when it is closed. */
async function openNameless(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `kedja-upload-${randomBytes(12).toString('hex')}`);
  const file = await open(name, 'wx+', 0o600);
  await unlink(name);
  return file;
}

function tooLarge(): ServiceError {
  return new ServiceError('payload_too_large', 'A file of users may have at most 20 MiB');
}

function unreadable(cause: unknown): ServiceError {
  return new ServiceError('invalid_request', 'The body cannot be read: it is no multipart form, or breaks off', {
    cause,
  });
}
