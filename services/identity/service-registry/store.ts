// Shared documents: SQL only.
import type { Queryable } from '#lib/db/database.ts';

/** Null when the document was never written. */
export async function readDocument(db: Queryable, name: string): Promise<string | null> {
  const { rows } = await db.query<{ content: string }>('SELECT content FROM shared_document WHERE name = $1', [name]);
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
