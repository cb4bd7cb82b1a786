// What is inside a backup file (docs/adr/0117): records of a kind, a length and a body. First comes the manifest, then
// each table with its rows as COPY gives them and its count and digest. Then come the positions of sequences, then
// keys. A backup of a tenant says before all this whose it is (docs/adr/0148).
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ByteQueue } from './byte-queue.ts';

const Name = Type.String({ minLength: 1, maxLength: 63 });

/** A file of the key folder: `retired/` may be before its name. */
const KeyPath = Type.String({ pattern: '^(retired/)?[A-Za-z0-9_.-]+\\.key$' });

/** Of which table it is a part, and of which rows, as PostgreSQL writes it. */
const Partition = Type.Object({
  of: Name,
  bounds: Type.String({ pattern: "^FOR VALUES FROM \\('[0-9a-f-]+'\\) TO \\('[0-9a-f-]+'\\)$" }),
});

const Table = Type.Object({
  schema: Name,
  name: Name,
  columns: Type.Array(Name),
  partition: Type.Optional(Partition),
});
export type Table = Static<typeof Table>;

const AppliedMigration = Type.Object({
  source: Type.String(),
  version: Type.Integer(),
  file: Type.String(),
  checksum: Type.String(),
});
export type AppliedMigration = Static<typeof AppliedMigration>;

/**
 * Whose backup it is. Its records name the schemas by their services, so they can be restored under other names. `keys`
 * are the tenant's key files with the SHA-256 of each, as hex.
 */
const TenantFacts = Type.Object({
  name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}$' }),
  schema: Type.String({ pattern: '^[a-z][a-z0-9_]{0,29}$' }),
  hosts: Type.Array(Type.String({ maxLength: 253 }), { maxItems: 20 }),
  keys: Type.Array(Type.Object({ path: KeyPath, digest: Type.String({ pattern: '^[0-9a-f]{64}$' }) })),
});
export type TenantFacts = Static<typeof TenantFacts>;

const Manifest = Type.Object({
  server_version: Type.String(),
  schemas: Type.Array(Type.Object({ name: Name, migrations: Type.Array(AppliedMigration) })),
  tables: Type.Array(Table),
});
export type Manifest = Static<typeof Manifest>;

const TableStart = Type.Object({ schema: Name, name: Name });
/** Count and digest of a table's rows, as hex. */
const TableEnd = Type.Object({ rows: Type.Integer(), digest: Type.String() });
export type TableSum = Static<typeof TableEnd>;

const Sequence = Type.Object({ schema: Name, name: Name, last_value: Type.String(), is_called: Type.Boolean() });
export type Sequence = Static<typeof Sequence>;

const KeyContent = Type.Object({ path: KeyPath, content: Type.String() });
export type KeyContent = Static<typeof KeyContent>;

const End = Type.Object({ tables: Type.Integer(), rows: Type.Integer(), keys: Type.Integer() });

const KINDS = {
  N: TenantFacts,
  M: Manifest,
  T: TableStart,
  E: TableEnd,
  S: Type.Array(Sequence),
  K: KeyContent,
  Z: End,
} as const;
type Kinds = typeof KINDS;

/** `rows` has bytes of COPY in text format, cut anywhere. */
export type BackupRecord =
  | { readonly kind: 'tenant'; readonly tenant: TenantFacts }
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | { readonly kind: 'table'; readonly table: Static<typeof TableStart> }
  | { readonly kind: 'rows'; readonly bytes: Buffer }
  | { readonly kind: 'table-end'; readonly sum: TableSum }
  | { readonly kind: 'sequences'; readonly sequences: readonly Sequence[] }
  | { readonly kind: 'key'; readonly key: KeyContent }
  | { readonly kind: 'end'; readonly totals: Static<typeof End> };

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** The bytes of a record. */
export function encode(record: BackupRecord): Buffer {
  switch (record.kind) {
    case 'tenant':
      return json('N', record.tenant);
    case 'manifest':
      return json('M', record.manifest);
    case 'table':
      return json('T', record.table);
    case 'rows':
      return body('D', record.bytes);
    case 'table-end':
      return json('E', record.sum);
    case 'sequences':
      return json('S', record.sequences);
    case 'key':
      return json('K', record.key);
    case 'end':
      return json('Z', record.totals);
    default:
      return record satisfies never;
  }
}

/** The records of a stream of bytes. @throws Error in words for what is no record */
export async function* decode(plain: AsyncIterable<Buffer>): AsyncGenerator<BackupRecord> {
  const waiting = new ByteQueue();
  let next: { kind: string; length: number } | undefined;
  for await (const bytes of plain) {
    waiting.add(bytes);
    for (;;) {
      if (next === undefined && waiting.length >= 5) {
        const head = waiting.take(5);
        next = { kind: head.toString('latin1', 0, 1), length: head.readUInt32BE(1) };
        if (next.length > MAX_BODY_BYTES) throw new Error('The backup cannot be read: a part of it is too long');
      }
      if (next === undefined || waiting.length < next.length) break;
      yield decodeOne(next.kind, waiting.take(next.length));
      next = undefined;
    }
  }
  if (next !== undefined || waiting.length > 0) throw new Error('The backup cannot be read: it ends within a record');
}

function decodeOne(kind: string, bytes: Buffer): BackupRecord {
  switch (kind) {
    case 'N':
      return { kind: 'tenant', tenant: read('N', bytes) };
    case 'M':
      return { kind: 'manifest', manifest: read('M', bytes) };
    case 'T':
      return { kind: 'table', table: read('T', bytes) };
    case 'D':
      return { kind: 'rows', bytes };
    case 'E':
      return { kind: 'table-end', sum: read('E', bytes) };
    case 'S':
      return { kind: 'sequences', sequences: read('S', bytes) };
    case 'K':
      return { kind: 'key', key: read('K', bytes) };
    case 'Z':
      return { kind: 'end', totals: read('Z', bytes) };
    default:
      throw new Error('The backup has a part that this release does not know: use the release that made it, or later');
  }
}

function read<K extends keyof Kinds>(kind: K, bytes: Buffer): Static<Kinds[K]> {
  const schema: TSchema & Kinds[K] = KINDS[kind];
  try {
    return Value.Parse(schema, JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new Error('The backup cannot be read: a record does not have the form of this release', { cause: error });
  }
}

function json(kind: keyof Kinds, value: unknown): Buffer {
  return body(kind, Buffer.from(JSON.stringify(value)));
}

function body(kind: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
