// Which test files share a process: neighbours, in batches of about the same length. The longest processes begin first.
import { statSync } from 'node:fs';
import path from 'node:path';
import { ALONE } from './alone.ts';
import { addressOfBatch } from './batch-address.ts';

const FILES_PER_BATCH = 10;
const PLACES = Object.keys(ALONE);

/** The entries of the processes that run these files, relative to the root; those begin first that take longest. */
export function planProcesses(root: string, files: readonly string[]): string[] {
  const { alone = [], together = [] } = Object.groupBy(files.toSorted(), (file) =>
    placeOf(file) === -1 ? 'together' : 'alone',
  );
  alone.sort((a, b) => placeOf(a) - placeOf(b));
  const batches = [...Map.groupBy(together, areaOf).values()].flatMap(batchesOf);
  const bytes = new Map(batches.map((batch) => [batch, sizeOf(root, batch)]));
  batches.sort((a, b) => (bytes.get(b) ?? 0) - (bytes.get(a) ?? 0));
  return [...alone, ...batches.map(addressOfBatch)];
}

/** The place of a file that runs alone among the others; -1 for one of a batch. */
function placeOf(file: string): number {
  return PLACES.findIndex((place) => file.startsWith(place));
}

/** Files load much the same modules within `services/engine/` or `fhir/store/`. */
function areaOf(file: string): string {
  return path.dirname(file).split('/').slice(0, 2).join('/');
}

function batchesOf(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / FILES_PER_BATCH);
  const place = (batch: number) => Math.round((batch * files.length) / count);
  return Array.from({ length: count }, (_, batch) => files.slice(place(batch), place(batch + 1)));
}

function sizeOf(root: string, files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(path.join(root, file)).size, 0);
}
