// Streaming gzip decompression (RFC 1952) with a limit on the ratio, against decompression bombs.
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../errors.ts';

/**
 * The highest allowed ratio. Resources in JSON compress to a tenth or a thirtieth of their size, a repeated line to a
 * thousandth.
 */
const MAX_RATIO = 100;
/** Bytes that are unpacked whatever the ratio. */
const FREE_BYTES = 16 * 1024 * 1024;

export interface UnpackOptions {
  /** Of the pieces, in bytes. */
  readonly chunkSize?: number;
}

/**
 * The unpacked bytes. Nothing is read before the first piece is requested. A source that is not read to its end stays
 * open, because the caller may have to respond on it. @throws ServiceError `payload_too_large` for what unpacks to more
 * than a hundred times its size; Error for what is no gzip, or breaks off
 */
export async function* unpacked(source: Readable, { chunkSize }: UnpackOptions = {}): AsyncGenerator<Buffer> {
  const gunzip = createGunzip(chunkSize === undefined ? {} : { chunkSize });
  const fail = (error: Error) => gunzip.destroy(error);
  const breakOff = () => {
    if (!source.readableEnded) fail(new Error('The packed bytes break off'));
  };
  source.once('error', fail).once('close', breakOff);
  source.pipe(gunzip);
  let unpackedBytes = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      unpackedBytes += piece.length;
      requireLikely(unpackedBytes, gunzip.bytesWritten);
      yield piece;
    }
  } finally {
    source.unpipe(gunzip).off('error', fail).off('close', breakOff);
    gunzip.destroy();
  }
}

function requireLikely(unpackedBytes: number, packedBytes: number): void {
  if (unpackedBytes <= FREE_BYTES || unpackedBytes <= packedBytes * MAX_RATIO) return;
  const message = `What is packed unpacks to more than ${MAX_RATIO} times its size: send it as it is, or in several parts`;
  throw new ServiceError('payload_too_large', message);
}
