// The worker thread that reads a large code system into columns (./build.ts). Reading takes seconds, in which the main
// thread serves other requests.
import { parentPort } from 'node:worker_threads';
import type { Json } from '../json.ts';
import type { BuildMessage } from './build.ts';
import { CodeSystemModel, type Columns } from './code-system-model.ts';
import { buffersOf } from './columns/columns.ts';
import { changedConcepts } from './flat-concepts.ts';
import { readColumns } from './read-code-system.ts';

/** The received part of the code system to be changed. */
let begun: { readonly head: Json; readonly columns: Columns | undefined } | undefined;
const changes = new Map<string, Json | undefined>();

parentPort?.on('message', (message: BuildMessage) => {
  switch (message.kind) {
    case 'text': {
      const { concept, ...head } = JSON.parse(message.text) as Json;
      postResult(head, readColumns({ ...head, concept }, true));
      return;
    }
    case 'begin':
      begun = message;
      return;
    case 'changes':
      for (const [code, concept] of message.changes) changes.set(code, concept);
      return;
    case 'end': {
      const { head = {}, columns } = begun ?? {};
      const concept = changedConcepts(columns === undefined ? undefined : new CodeSystemModel(columns), changes);
      postResult(head, readColumns({ ...head, concept }, true));
      return;
    }
    default:
      message satisfies never;
  }
});

function postResult(head: Json, columns: Columns | undefined): void {
  parentPort?.postMessage({ head, columns }, columns === undefined ? [] : buffersOf(columns));
}
