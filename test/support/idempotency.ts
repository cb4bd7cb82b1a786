// Lists the addresses of a service whose documentation has Idempotency-Key.
import type { HttpApp } from '#lib/http/http-app.ts';

interface Operation {
  readonly responses: object;
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[];
}

/** FHIR routes refer to the header as a component. */
function isIdempotencyKey({ name, $ref }: NonNullable<Operation['parameters']>[number]): boolean {
  return name === 'Idempotency-Key' || $ref === '#/components/parameters/IdempotencyKey';
}

/** The POSTs that make something (they answer 201, or are a FHIR type), split by whether they document the header. */
export async function creatingAddresses(app: HttpApp): Promise<{ shown: string[]; missing: string[] }> {
  const document: { paths: Record<string, { post?: Operation }> } = (await app.inject('/openapi.json')).json();
  const shown: string[] = [];
  const missing: string[] = [];
  for (const [path, { post: operation }] of Object.entries(document.paths)) {
    const isMaking = operation !== undefined && ('201' in operation.responses || /\/[A-Z]\w+$/.test(path));
    if (!isMaking) continue;
    const isShown = operation.parameters?.some(isIdempotencyKey) === true;
    (isShown ? shown : missing).push(path);
  }
  return { shown, missing };
}
