// Compares the terminology of two nodes on one database. The node that was written to has a change at once, the other
// soon.
import assert from 'node:assert/strict';
import { eventually } from '../http.ts';
import type { TestEngine } from './engine.ts';

export interface Part {
  readonly name: string;
  readonly valueBoolean?: boolean;
  readonly valueString?: string;
  readonly valueCode?: string;
}

/** A parameter of the node's response, the codes of an expansion, or the status of a refusal. */
async function ask({ call }: TestEngine, address: string, name: string): Promise<unknown> {
  const { status, body } = await call('planner', 'GET', address);
  if (status !== 200) return status;
  if (body.resourceType === 'ValueSet')
    return body.expansion.contains?.map(({ code }: { code: string }) => code).join(' ');
  const part = body.parameter.find((each: Part) => each.name === name);
  return part?.valueBoolean ?? part?.valueString ?? part?.valueCode;
}

/** Asserts that `one`, which was written to, has the change with its response, and waits until `two` has it. */
export function askingBoth(one: TestEngine, two: TestEngine) {
  return async (address: string, name: string, expected: unknown): Promise<void> => {
    assert.equal(await ask(one, address, name), expected, `${address} on the node that was written to`);
    await soonOn(two, address, { name, expected });
  };
}

/** Waits until a node gives that response. */
export async function soonOn(
  node: TestEngine,
  address: string,
  { name, expected }: { readonly name: string; readonly expected: unknown },
): Promise<void> {
  await eventually(`${address} was ${String(expected)} on the node`, async () =>
    (await ask(node, address, name)) === expected ? true : undefined,
  );
}
