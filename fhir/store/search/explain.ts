// Explains a search (`_explain`): its statements, their values, and PostgreSQL's plan of each.
import type { Database, Queryable } from '#lib/db/database.ts';
import { hasErrorCode } from '#lib/error-code.ts';
import { ServiceError } from '#lib/errors.ts';
import type { SearchResult } from './search.ts';

/** An explained search is ended after this time. */
const MAX_SECONDS = 30;
/** PostgreSQL's code for a statement that was ended by its time limit. */
const TIMED_OUT = '57014';

export interface ExplainedStatement {
  readonly sql: string;
  /** Of $1, $2 … */
  readonly values: readonly unknown[];
  /** What EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) says. */
  readonly plan: unknown;
}

export interface ExplainedSearch {
  readonly result: SearchResult;
  readonly statements: readonly ExplainedStatement[];
}

/**
 * Runs a search in a read-only transaction and returns its statements with their plans.
 * @throws ServiceError as a search does; `unprocessable` when it takes too long
 */
export async function explainSearch(
  database: Database,
  search: (db: Queryable) => Promise<SearchResult>,
): Promise<ExplainedSearch> {
  try {
    return await database.transaction(
      async (tx) => {
        await tx.query(`SET LOCAL statement_timeout = '${MAX_SECONDS}s'`, []);
        const statements: ExplainedStatement[] = [];
        const result = await search(watched(tx, statements));
        return { result, statements };
      },
      { readOnly: true, isolation: 'repeatable read' },
    );
  } catch (error) {
    if (!hasErrorCode(error, TIMED_OUT)) throw error;
    throw new ServiceError('unprocessable', `The search took longer than ${MAX_SECONDS} seconds and was ended`);
  }
}

/** Runs each statement twice: once to see how, once for what it finds. */
function watched(db: Queryable, statements: ExplainedStatement[]): Queryable {
  return {
    query: async (statement, values = []) => {
      const sql = typeof statement === 'string' ? statement : statement.text;
      const { rows } = await db.query<{ 'QUERY PLAN': unknown }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
        values,
      );
      statements.push({ sql, values, plan: rows[0]?.['QUERY PLAN'] });
      return db.query(sql, values);
    },
  };
}
