// The lock-file gate: package-lock.json must be one that `npm ci` accepts on every platform. npm omits platform
// packages that the registry did not have when it wrote the file. It then refuses the file in a fresh clone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

type Manifest = Pick<LockedPackage, 'dependencies' | 'devDependencies'>;
/** By their folder. */
type Workspaces = Readonly<Record<string, Manifest>>;

/** Everything for which `npm ci` would refuse the file, or what would bind it to one registry. */
export function lockFileIssues(manifest: Manifest, lock: LockFile, workspaces: Workspaces = {}): string[] {
  const issues: string[] = [];
  const manifests = Object.entries({ '': manifest, ...workspaces });
  for (const [place, declared] of manifests) issues.push(...manifestIssues(place, declared, lock));
  for (const [place, locked] of Object.entries(lock.packages)) issues.push(...packageIssues(place, locked, lock));
  return issues;
}

function manifestIssues(place: string, manifest: Manifest, lock: LockFile): string[] {
  const root = lock.packages[place] ?? {};
  const issues: string[] = [];
  for (const kind of ['dependencies', 'devDependencies'] as const) {
    if (JSON.stringify(sorted(manifest[kind])) !== JSON.stringify(sorted(root[kind]))) {
      issues.push(
        `the ${kind} of ${place === '' ? '' : `${place}/`}package.json are not those of the lock file: run npm install`,
      );
    }
  }
  return issues;
}

function packageIssues(place: string, locked: LockedPackage, lock: LockFile): string[] {
  if (locked.link === true) return [];
  const missing = Object.keys(locked.optionalDependencies ?? {}).filter((name) => !isLocked(name, place, lock));
  const issues = missing.map((name) => `${place} needs ${name}, which the lock file lacks: take a version that has it`);
  if (/node_modules\//.test(place) && locked.integrity === undefined) issues.push(`${place} has no integrity`);
  if (locked.resolved !== undefined) {
    issues.push(`${place} names where it was fetched from: the lock file would be bound to one registry`);
  }
  return issues;
}

/** Whether Node.js would find the package from the given place: beneath it or beneath any folder above. */
function isLocked(name: string, place: string, lock: LockFile): boolean {
  const steps = place === '' ? [] : place.split('/node_modules/');
  for (let count = steps.length; count >= 0; count--) {
    const folder = steps.slice(0, count).join('/node_modules/');
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true;
  }
  return false;
}

function sorted(record: Readonly<Record<string, string>> = {}): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

if (import.meta.main) {
  const read = (name: string) => JSON.parse(readFileSync(name, 'utf8'));
  const manifest = read('package.json');
  const folders: string[] = manifest.workspaces ?? [];
  const workspaces = Object.fromEntries(folders.map((folder) => [folder, read(join(folder, 'package.json'))]));
  const issues = lockFileIssues(manifest, read('package-lock.json'), workspaces);
  for (const issue of issues) console.error(issue);
  process.exitCode = issues.length > 0 ? 1 : 0;
}
