// The examples in identity's /openapi.json. test/openapi/ generates the file from calls of a running identity, and
// fails when a call returns something else.
import path from 'node:path';
import { type OperationExamples, readExamples } from '#lib/http/openapi/openapi-examples.ts';

export function identityExamples(): OperationExamples {
  return readExamples(path.join(import.meta.dirname, 'generated/openapi-examples.json'));
}
