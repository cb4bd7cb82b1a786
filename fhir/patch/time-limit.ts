// Runs a synchronous computation with a time limit, and aborts it when the limit is reached. A short FHIRPath
// expression can take very many steps (nodejs.org/api/vm.html#scriptrunincontextcontextifiedobject-options).
import { createContext, Script } from 'node:vm';

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
    if (isTimeout(error)) throw new Error('it takes too long');
    throw error;
  } finally {
    context['work'] = undefined;
  }
  if (result === undefined) throw new TypeError('The work gave nothing');
  return result.value;
}

/** The error belongs to the script's own realm, so `instanceof Error` is false for it. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
