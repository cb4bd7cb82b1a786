// Positions in PostgreSQL's log (pg_lsn), and their sealed form for clients.
import { createCipheriv, createDecipheriv } from 'node:crypto';

/** The number of bytes of log before it. */
export type Position = bigint;

/** As PostgreSQL writes it: `16/B374D848`. */
export function readPosition(text: string): Position {
  const [high = '', low = ''] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

export function writePosition(position: Position): string {
  return `${(position >> 32n).toString(16)}/${(position & 0xffffffffn).toString(16)}`;
}

export function latestOf(one: Position, other: Position): Position {
  return one > other ? one : other;
}

export interface PositionSeal {
  /** 22 characters of base64url. */
  seal(position: Position): string;
  /** Undefined for anything that was not sealed with this key. */
  open(text: string): Position | undefined;
}

const CIPHER = 'aes-256-ecb';
const SEALED = /^[\w-]{22}$/;

/**
 * Seals a position as one block: eight bytes of it and eight zeros, by which another text is recognised. Clients
 * neither see how much the system writes, nor choose a position of their own.
 */
export function createPositionSeal(key: Uint8Array): PositionSeal {
  return {
    seal(position) {
      const block = Buffer.alloc(16);
      block.writeBigUInt64BE(position);
      const cipher = createCipheriv(CIPHER, key, null).setAutoPadding(false);
      return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
    },
    open(text) {
      if (!SEALED.test(text)) return undefined;
      const decipher = createDecipheriv(CIPHER, key, null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]);
      return block.readBigUInt64BE(8) === 0n ? block.readBigUInt64BE() : undefined;
    },
  };
}
