// Runs a synchronous computation with a time limit, and aborts it when the limit is reached. A short FHIRPath
// expression can take very many steps (nodejs.org/api/vm.html#scriptrunincontextcontextifiedobject-options).
import { createContext, Script } from 'node:vm';
import { hasErrorCode } from '#lib/error-code.ts';

const script = new Script('work()');
const context = createContext({ work: undefined as unknown });

/** The result of `work`. @throws Error when it takes longer; a part of its effects may then have happened */
export function withinTime<T>(milliseconds: number, work: () => T): T {
  let result: { readonly value: T } | undefined;
  context['work'] = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.ceil(milliseconds)) });
  } catch (error) {
    // It is of the script's own realm, and no `Error` of this one.
    if (hasErrorCode(error, 'ERR_SCRIPT_EXECUTION_TIMEOUT')) throw new Error('it takes too long');
    throw error;
  } finally {
    context['work'] = undefined;
  }
  if (result === undefined) throw new TypeError('The work gave nothing');
  return result.value;
}
