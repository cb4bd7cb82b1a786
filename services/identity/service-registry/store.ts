// Shared documents: SQL only.
import type { Queryable } from '#lib/db/database.ts';

/** Null when the document was never written. */
export async function readDocument(db: Queryable, name: string): Promise<string | null> {
  const { rows } = await db.query<{ content: string }>('SELECT content FROM shared_document WHERE name = $1', [name]);
  return rows[0]?.content ?? null;
}

/** The same, locked until the transaction ends; who writes it for the first time waits for others who do. */
export async function lockDocument(tx: Queryable, name: string, now: Date): Promise<string | null> {
  const made = await tx.query(
    "INSERT INTO shared_document (name, content, changed_at) VALUES ($1, '', $2) ON CONFLICT (name) DO NOTHING",
    [name, now],
  );
  if (made.rowCount === 1) return null;
  const { rows } = await tx.query<{ content: string }>(
    'SELECT content FROM shared_document WHERE name = $1 FOR UPDATE',
    [name],
  );
  return rows[0]?.content ?? null;
}

export async function writeDocument(
  db: Queryable,
  document: { name: string; content: string; changedAt: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO shared_document (name, content, changed_at) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET content = excluded.content, changed_at = excluded.changed_at`,
    [document.name, document.content, document.changedAt],
  );
}
