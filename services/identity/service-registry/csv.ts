// Reads and writes the service registry as a CSV document (decision I14); reading what was written gives the same rows.
import { createCsvReader } from '#lib/csv/csv-reader.ts';
import { restoreCell, writeRecord } from '#lib/csv/csv-writer.ts';

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

export function writeCsv(rows: readonly RegistryRow[]): string {
  const records = [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column]))];
  return records.map(writeRecord).join('');
}

/** The rows of a document that `writeCsv` wrote. @throws Error for any other document */
export function readCsv(document: string): RegistryRow[] {
  const reader = createCsvReader();
  const [header, ...records] = [...reader.push(document), ...reader.end()];
  const broken = records.find((record) => record.issue !== undefined);
  if (broken !== undefined) throw new Error(`The service registry is no CSV at line ${broken.line}`);
  if (header?.cells.join() !== COLUMNS.join()) throw new Error('The service registry has another header');
  return records.map((record) => toRow(record.cells.map(restoreCell)));
}

function toRow(cells: readonly string[]): RegistryRow {
  const [name, url, health, capability, endpoints, privilege, notes] = cells;
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
