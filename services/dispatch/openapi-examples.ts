// The examples in dispatch's /openapi.json. test/openapi/ generates the file by calls to a running dispatch, and fails
// when a response differs.
import path from 'node:path';
import { type OperationExamples, readExamples } from '#lib/http/openapi/openapi-examples.ts';

export function dispatchExamples(): OperationExamples {
  return readExamples(path.join(import.meta.dirname, 'generated/openapi-examples.json'));
}
