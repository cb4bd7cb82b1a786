// Ends a computation that takes too long, in the middle of it: a short FHIRPath can ask for more steps than anyone can
// wait for (nodejs.org/api/vm.html#scriptrunincontextcontextifiedobject-options).
import { createContext, Script } from 'node:vm';

const script = new Script('work()');
const context = createContext({ work: undefined as unknown });

/** What `work` gives. @throws Error when it takes longer; it may then have done a part of what it does */
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

/** Such an error is of the script's own realm, and so no `Error` of ours. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
