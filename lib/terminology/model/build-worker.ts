// The thread in which a large code system is read into columns (./build.ts): reading takes seconds, and all that time others are answered.
import { parentPort } from 'node:worker_threads';
import type { Json } from '../json.ts';
import { buffersOf } from './columns.ts';
import { readColumns } from './read-code-system.ts';

parentPort?.once('message', (text: string) => {
  const { concept, ...head } = JSON.parse(text) as Json;
  const columns = readColumns({ ...head, concept }, true);
  parentPort?.postMessage({ head, columns }, columns === undefined ? [] : buffersOf(columns));
});
