// Divides an SQL text into its statements. Citus changes a distributed schema by single statements only
// (docs/operations/citus.md). Lexical rules: postgresql.org/docs/18/sql-syntax-lexical.html.

export interface SqlStatement {
  readonly text: string;
  /** Where it begins in the whole text, in characters. */
  readonly start: number;
}

/**
 * What may have a semicolon that ends no statement: comments, quoted names and texts, and bodies between dollar signs.
 * Block comments may be nested, once.
 */
const OPAQUE = [
  /--[^\n]*/,
  /\/\*(?:[^*/]|\*(?!\/)|\/(?!\*)|\/\*(?:[^*]|\*(?!\/))*\*\/)*\*\//,
  /"(?:[^"]|"")*"/,
  /\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'/,
  /'(?:[^']|'')*'/,
  /(?<![\w$])\$(?:[A-Za-z_]\w*)?\$/,
];
const TOKEN = new RegExp(`(${OPAQUE.map(({ source }) => source).join('|')})|;`, 'g');

/**
 * The statements without the semicolons that end them. What holds comments alone is left out. Routines with a body of
 * the SQL standard (BEGIN ATOMIC) are not known.
 */
export function statementsOf(sql: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  const token = new RegExp(TOKEN);
  let [start, hasText] = [0, false];
  let seen = 0;
  const end = (at: number) => {
    if (hasText || sql.slice(seen, at).trim() !== '') statements.push({ text: sql.slice(start, at), start });
    [start, hasText] = [at + 1, false];
  };
  for (let found = token.exec(sql); found !== null; found = token.exec(sql)) {
    const [opaque] = found;
    if (opaque === ';') end(found.index);
    else {
      hasText ||= sql.slice(seen, found.index).trim() !== '' || !/^(?:--|\/\*)/.test(opaque);
      if (opaque.startsWith('$')) {
        const close = sql.indexOf(opaque, token.lastIndex);
        token.lastIndex = close === -1 ? sql.length : close + opaque.length;
      }
    }
    seen = token.lastIndex;
  }
  end(sql.length);
  return statements;
}
