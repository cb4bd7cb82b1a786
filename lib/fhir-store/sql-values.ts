// Collects the values of a statement that is put together from parts; the parts hold only $n placeholders.

export type SqlType = 'int' | 'bigint' | 'uuid' | 'text' | 'timestamptz' | 'float8' | 'int[]' | 'uuid[]' | 'text[]';

export class SqlValues {
  readonly list: unknown[] = [];

  /** Answers the placeholder, with its type. */
  bind(value: unknown, type: SqlType): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }
}
