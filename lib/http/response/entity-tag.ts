// The opaque part of an ETag that follows from the content (RFC 9110 §8.8.3).
import { sha256 } from '../../crypto/secret.ts';

/** 132 bits of the content's SHA-256, as 22 characters without quotes. */
export function contentTag(content: string | Uint8Array): string {
  return sha256(content).toString('base64url').slice(0, 22);
}
