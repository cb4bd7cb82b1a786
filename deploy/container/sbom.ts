// `node deploy/container/sbom.ts <root> [<other root> <package>…]`: the bill of materials of the image as CycloneDX
// 1.5, on standard output. It has the npm packages of this folder as they are installed, this Node.js, and the Debian
// packages of the image whose file system is at <root>. Further packages are those whose libraries the image gets from
// the file system at the other root. `npm sbom` refuses a folder without the packages of developers.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { argv, stdout, version } from 'node:process';

type Licence = { readonly expression: string } | { readonly license: { readonly name: string } };

/** Of CycloneDX. */
interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly purl?: string;
  readonly cpe?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly Licence[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/** What npm writes of an installed package. */
interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The records of dpkg: one file, or one for each package where there is no dpkg. */
function dpkgRecords(root: string): string[] {
  const folder = path.join(root, 'var/lib/dpkg');
  const names = existsSync(path.join(folder, 'status.d')) ? readdirSync(path.join(folder, 'status.d')) : [];
  const parts = names.filter((name) => !name.endsWith('.md5sums')).map((name) => `status.d/${name}`);
  const files = existsSync(path.join(folder, 'status')) ? ['status', ...parts] : parts;
  return files.flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split(/\n\n+/));
}

function field(text: string, name: string): string | undefined {
  return new RegExp(`^${name}(?:: |=)"?(.+?)"?$`, 'm').exec(text)?.[1];
}

/** What dpkg counts as installed under a root, as components; of the named packages alone, where they are given. */
export function debianComponents(root: string, distribution: string, only?: readonly string[]): Component[] {
  return dpkgRecords(root).flatMap((record) => {
    const [name, release, status] = ['Package', 'Version', 'Status'].map((key) => field(record, key));
    // A package that was removed may be in the file still. A file of status.d has no status.
    const isInstalled = status === undefined || status.endsWith(' installed');
    if (name === undefined || release === undefined || !isInstalled) return [];
    if (only !== undefined && !only.includes(name)) return [];
    const qualifiers = `arch=${field(record, 'Architecture')}&distro=${distribution}`;
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(release)}?${qualifiers}`;
    return [{ 'bom-ref': purl, type: 'library', name, version: release, purl }];
  });
}

function systemComponent(root: string): Component {
  const text = readFileSync(path.join(root, 'etc/os-release'), 'utf8');
  const [name, release] = [field(text, 'ID'), field(text, 'VERSION_ID')];
  return { 'bom-ref': `${name}-${release}`, type: 'operating-system', name, version: release };
}

function nodeComponent(): Component {
  const release = version.slice(1);
  const purl = `pkg:generic/node@${release}`;
  const cpe = `cpe:2.3:a:nodejs:node.js:${release}:*:*:*:*:*:*:*`;
  return { 'bom-ref': purl, type: 'platform', name: 'node', version: release, cpe, purl };
}

function licences(text: unknown): Pick<Component, 'licenses'> {
  if (typeof text !== 'string') return {};
  const isExpression = /^[A-Za-z0-9.()+ -]+$/.test(text) && !/^(?:SEE|UNLICENSED)/.test(text);
  return { licenses: [isExpression ? { expression: text } : { license: { name: text } }] };
}

function npmComponent(place: string, { version: release, integrity, license }: Entry): Component {
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${release}`;
  const [algorithm, digest = ''] = (integrity ?? '').split('-');
  const hashes =
    algorithm === 'sha512' ? [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] : [];
  return { 'bom-ref': place, type: 'library', name, version: release, hashes, ...licences(license), purl };
}

/** The places of a package's dependencies, found as Node.js finds them: in its own folder, and then further up. */
function dependsOn(place: string, entry: Entry, packages: ReadonlyMap<string, unknown>): string[] {
  const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies });
  return names.flatMap((name) => {
    for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
      const candidate = path.posix.join(folder, 'node_modules', name);
      if (packages.has(candidate)) return [candidate];
      if (folder === '') return [];
    }
  });
}

/** What `npm ci` installed into a folder, less what was removed again; and what depends on what. */
export function npmPackages(folder: string): { components: Component[]; dependencies: Dependency[] } {
  const { packages: listed }: { packages: Record<string, Entry> } = JSON.parse(
    readFileSync(path.join(folder, 'node_modules/.package-lock.json'), 'utf8'),
  );
  const packages = new Map(
    Object.entries(listed).filter(
      ([place, { version: release, link }]) =>
        release !== undefined && !link && place.includes('node_modules/') && existsSync(path.join(folder, place)),
    ),
  );
  return {
    components: [...packages].map(([place, entry]) => npmComponent(place, entry)),
    dependencies: [...packages].map(([place, entry]) => ({ ref: place, dependsOn: dependsOn(place, entry, packages) })),
  };
}

interface Roots {
  /** The file system of the image. */
  readonly root: string;
  /** That of the packages whose libraries are copied into it. */
  readonly other: string | undefined;
  readonly copied: readonly string[];
}

/** Those of the image, and those that are copied and not there anyway. */
function systemPackages({ root, other, copied }: Roots, distribution: string): Component[] {
  const own = debianComponents(root, distribution);
  if (other === undefined) return own;
  const names = new Set(own.map(({ name }) => name));
  const more = debianComponents(other, systemComponent(other)['bom-ref'], copied);
  return [...own, ...more.filter(({ name }) => !names.has(name))];
}

function billOf(app: string, roots: Roots): object {
  const own = JSON.parse(readFileSync(path.join(app, 'package.json'), 'utf8'));
  const console = JSON.parse(readFileSync(path.join(app, 'console/package.json'), 'utf8'));
  const { components, dependencies } = npmPackages(app);
  const places = new Map(components.map((component) => [component['bom-ref'], component]));
  const names = { ...own, dependencies: { ...own.dependencies, ...console.dependencies } };
  const system = systemComponent(roots.root);
  const purl = `pkg:generic/${own.name}@${own.version}`;
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date().toISOString(),
      component: {
        'bom-ref': purl,
        type: 'application',
        name: own.name,
        version: own.version,
        ...licences(own.license),
        purl,
      },
    },
    components: [...components, nodeComponent(), system, ...systemPackages(roots, system['bom-ref'])],
    dependencies: [{ ref: purl, dependsOn: dependsOn('', names, places) }, ...dependencies],
  };
}

if (import.meta.main) {
  const [root, other, ...copied] = argv.slice(2);
  if (root === undefined) throw new Error('usage: sbom.ts <root of the image> [<other root> <package>…]');
  stdout.write(`${JSON.stringify(billOf(path.join(import.meta.dirname, '../..'), { root, other, copied }))}\n`);
}
