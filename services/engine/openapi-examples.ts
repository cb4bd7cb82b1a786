// Reads the examples of the engine's /openapi.json. The tests in test/openapi/ generate the file from calls to a
// running engine, and fail when a response differs from it.
import path from 'node:path';
import { type OperationExamples, readExamples } from '#lib/http/openapi/openapi-examples.ts';

export function engineExamples(): OperationExamples {
  return readExamples(path.join(import.meta.dirname, 'generated/openapi-examples.json'));
}
