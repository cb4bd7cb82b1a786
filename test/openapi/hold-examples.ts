// Holds the OpenAPI document of a service to calls of the running service. With KEDJA_WRITE_EXAMPLES=1 it writes the
// files that it otherwise compares with.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { env } from 'node:process';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { DescribedService } from '../../console/build/api-types.ts';
import { holdConsoleTypes } from './console-types.ts';
import { checkExamples } from './example-checks.ts';
import type { Recorder } from './recorder.ts';
import { holdResponseHeaders } from './response-headers.ts';
import type { OpenApiDocument } from './shapes.ts';

const SERVICES = path.join(import.meta.dirname, '../../services');

export interface Held {
  readonly app: HttpApp;
  readonly recorder: Recorder;
  /** The committed examples, as the service reads them. */
  readonly committed: () => Recorder['examples'];
  /** The credentials of somebody who may read nearly everything. */
  readonly reader: Readonly<Record<string, string>>;
}

/**
 * Makes the tests that hold for every service: of its examples, of the types that the console has of it, and of the
 * headers of its answers. Returns its document.
 */
export async function holdExamples(service: DescribedService, held: Held): Promise<OpenApiDocument> {
  const { app, recorder, committed, reader } = held;
  if (env['KEDJA_WRITE_EXAMPLES'] === '1') {
    const file = path.join(SERVICES, service, 'generated/openapi-examples.json');
    await writeFile(file, `${JSON.stringify(recorder.examples, null, 1)}\n`);
  }
  const document: OpenApiDocument = (await app.inject('/openapi.json')).json();
  await holdConsoleTypes(service, document);
  checkExamples(recorder, document, committed());
  holdResponseHeaders(app, document, reader);
  return document;
}

/** The operations that `isWanted` by their path (`GET /api/v1/concepts/{id}`), and have no example that succeeds. */
export function withoutExample(
  { paths }: OpenApiDocument,
  { examples }: Recorder,
  isWanted: (path: string) => boolean,
): string[] {
  return Object.entries(paths)
    .flatMap(([name, methods]) =>
      isWanted(name) ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${name}`) : [],
    )
    .filter((operation) => !examples[operation]?.some(({ status }) => status < 300));
}
