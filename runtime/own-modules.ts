// Resolves imports between Kedja's own modules by their text. Node asks the file system at each of 4,600 imports, which
// takes a tenth of a start's processor time. What the packages import, Node resolves.
import { type ResolveHookSync, registerHooks } from 'node:module';

/** The folders of `imports` in package.json: `#lib/errors.ts` is `lib/errors.ts`. */
const FOLDERS = ['lib', 'fhir', 'clients', 'services'];

/** Call it before the modules are imported. `root` is the URL of the program's folder, with a slash at its end. */
export function resolveOwnModules(root: string): void {
  registerHooks({ resolve: createResolve(root) });
}

/** A resolve hook. Nothing of an own module but its address is known before it is loaded, and it is loaded once. */
export function createResolve(root: string): ResolveHookSync {
  const packages = `${root}node_modules/`;
  return (specifier, context, nextResolve) => {
    const { parentURL = '' } = context;
    const isOwn = parentURL.startsWith(root) && !parentURL.startsWith(packages) && !parentURL.includes('?');
    const url = isOwn && specifier.endsWith('.ts') ? addressOf(specifier, { parentURL, root }) : undefined;
    return url === undefined
      ? nextResolve(specifier, context)
      : { url, format: 'module-typescript', shortCircuit: true };
  };
}

function addressOf(specifier: string, { parentURL, root }: { parentURL: string; root: string }): string | undefined {
  if (specifier.startsWith('#')) {
    const folder = specifier.slice(1, specifier.indexOf('/'));
    return FOLDERS.includes(folder) ? root + specifier.slice(1) : undefined;
  }
  if (!(specifier.startsWith('./') || specifier.startsWith('../'))) return undefined;
  return new URL(specifier, parentURL).href;
}
