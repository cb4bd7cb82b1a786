// The database interface of services: a pool bound to one schema, transactions, and notifications. SQL has $1 … $n
// placeholders and unqualified table names (the connection's search_path is the service's own schema).

/** A statement with a name is prepared once per connection; use it on hot paths. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

export interface QueryResult<R> {
  readonly rows: R[];
  readonly rowCount: number;
}

/** Runs SQL: the pool itself, or one transaction. */
export interface Queryable {
  /**
   * Runs one statement. Outside a transaction it is its own transaction, and is retried like one.
   * @throws ServiceError `unavailable` when the database cannot be reached or went away; `pg`'s DatabaseError
   * otherwise.
   */
  query<R extends object = Record<string, unknown>>(
    statement: string | PreparedStatement,
    values?: readonly unknown[],
  ): Promise<QueryResult<R>>;
}

/** A table and its columns in the order of the rows' values; names of ours, never a caller's. */
export interface CopyTarget {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface Transaction extends Queryable {
  /**
   * Runs a statement whose result nobody waits for: what follows, at the latest COMMIT, is sent along with it, which
   * saves a round trip. The transaction fails with its error.
   */
  send(statement: string | PreparedStatement, values?: readonly unknown[]): void;
  /**
   * Adds many rows by COPY, each given as its line (`copyLine` of ./copy.ts). Only in a transaction of which the
   * options say that it `copies`. @throws as `query` does
   */
  copy(target: CopyTarget, lines: readonly string[]): Promise<void>;
  /** Runs after a successful commit (to wake a worker, to drop a cache entry); never when the transaction fails. */
  afterCommit(effect: () => void): void;
}

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  /**
   * Takes a connection that can COPY. Connections of requests are in pipeline mode, in which the driver cannot COPY.
   */
  readonly copies?: boolean;
  /**
   * Sends the statements that `work` issues before its first await together with BEGIN, which saves a round trip. If
   * BEGIN alone fails, they have run outside a transaction, so they must be harmless alone.
   */
  readonly sendsAtOnce?: boolean;
}

export interface Database extends Queryable {
  /** The PostgreSQL schema that unqualified names mean. */
  readonly schema: string;
  /**
   * Runs `work` in one transaction: commit when it resolves, roll back when it rejects. Serialization failures and
   * deadlocks are retried (so `work` may run more than once and must have no effect outside the transaction).
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * LISTENs on a channel over one connection of its own that reconnects; a notification is a hint, never a guarantee.
   */
  listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
