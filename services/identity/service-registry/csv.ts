// The service registry as a CSV document (RFC 4180; decision I14): what is written is read again as the same rows. A cell that
// a spreadsheet would run as a formula gets an apostrophe before it, which reading takes off.

export const COLUMNS = [
  'service_name',
  'service_url',
  'api_health_url',
  'capability_statement_url',
  'endpoints_url',
  'privilege_level',
  'notes',
] as const;

export type RegistryRow = Readonly<Record<(typeof COLUMNS)[number], string>>;

const FORMULA_START = /^['=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;
/** One cell, quoted or bare, and what ends it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;

export function writeCsv(rows: readonly RegistryRow[]): string {
  const lines = rows.map((row) => COLUMNS.map((column) => writeCell(row[column])).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

/** The rows of a document that `writeCsv` wrote. @throws Error for any other */
export function readCsv(document: string): RegistryRow[] {
  const [header, ...records] = readRecords(document);
  if (header?.join() !== COLUMNS.join()) throw new Error('The service registry has another header');
  return records.map(toRow);
}

function readRecords(document: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (let position = 0; position < document.length; ) {
    CELL.lastIndex = position;
    const match = CELL.exec(document);
    if (match === null) throw new Error(`The service registry is no CSV at character ${position}`);
    const [text, quoted, bare = '', end] = match;
    record.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    position += text.length;
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

function toRow(cells: readonly string[]): RegistryRow {
  const [name, url, health, capability, endpoints, privilege, notes] = cells.map((cell) => cell.replace(/^'/, ''));
  return {
    service_name: name ?? '',
    service_url: url ?? '',
    api_health_url: health ?? '',
    capability_statement_url: capability ?? '',
    endpoints_url: endpoints ?? '',
    privilege_level: privilege ?? '',
    notes: notes ?? '',
  };
}

function writeCell(value: string): string {
  const safe = FORMULA_START.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
