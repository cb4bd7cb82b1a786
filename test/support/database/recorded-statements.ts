// The statements that a call causes at a database, in order. What runs in the background meanwhile is not among them.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database, PreparedStatement, Queryable, Transaction } from '#lib/db/database.ts';
import type { TestDatabase } from './database.ts';

export interface RecordedDatabase {
  /** Records what goes through its pools. */
  readonly on: TestDatabase;
  /** Runs the call; returns its result, and the texts of its statements. */
  during<T>(call: () => Promise<T>): Promise<{ result: T; statements: readonly string[] }>;
}

export function recordStatements(on: TestDatabase): RecordedDatabase {
  const calls = new AsyncLocalStorage<string[]>();
  const note = (statement: string | PreparedStatement) =>
    calls.getStore()?.push(typeof statement === 'string' ? statement : statement.text);

  function recorded<Target extends Queryable>(target: Target, more: Partial<Target>): Target {
    const query: Queryable['query'] = (statement, values) => {
      note(statement);
      return target.query(statement, values);
    };
    return Object.assign(Object.create(target), target, { query, ...more });
  }

  function recordedPool(database: Database): Database {
    const transaction: Database['transaction'] = (work, options) =>
      database.transaction((tx) => {
        const send: Transaction['send'] = (statement, values) => {
          note(statement);
          tx.send(statement, values);
        };
        return work(recorded(tx, { send }));
      }, options);
    return recorded(database, { transaction });
  }

  return {
    on: { ...on, database: (schema, options) => recordedPool(on.database(schema, options)) },
    async during(call) {
      const statements: string[] = [];
      // A request to an app is sent when it is first awaited.
      const result = await calls.run(statements, async () => await call());
      return { result, statements };
    },
  };
}
