// HL7's validator in a Java process of its own. It takes its libraries from Maven Central and its packages out of
// node_modules, both in a folder outside of the repository. No terminology server is asked.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JudgeMessage } from './comparison.ts';

const PACKAGES = ['hl7.fhir.r5.core', 'hl7.terminology.r5', 'hl7.fhir.uv.extensions.r5'] as const;
/** The validator wants it beside R5; what it holds is for other versions of FHIR. */
const EMPTY_PACKAGE = { name: 'hl7.fhir.xver-extensions', version: '0.1.0' };
const OLDEST_JAVA = 17;
const POM = join(import.meta.dirname, 'judge/pom.xml');

export interface Hl7Validator {
  readonly folder: string;
  readonly versions: Readonly<Record<string, string>>;
}

/** Why the comparison cannot be made on this machine; undefined when it can. */
export function missingTool(): string | undefined {
  const java = run('java', ['-version']);
  const major = Number(/version "(\d+)/.exec(java ?? '')?.[1]);
  if (!(major >= OLDEST_JAVA)) return `Java ${OLDEST_JAVA} or later (a JDK) is needed: no such java is on the PATH`;
  if (run('javac', ['-version']) === undefined) return 'A JDK is needed: there is no javac on the PATH';
  return run('mvn', ['-version']) === undefined ? 'Maven is needed: there is no mvn on the PATH' : undefined;
}

function run(command: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync('sh', ['-c', '"$@" 2>&1', 'sh', command, ...args], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}

/**
 * Brings the libraries and packages into the folder, unless they are there: 140 MB from Maven Central, 190 MB from
 * node_modules.
 */
export function prepareHl7Validator(folder = join(tmpdir(), 'kedja-compare-validator')): Hl7Validator {
  mkdirSync(folder, { recursive: true });
  const pom = readFileSync(POM, 'utf8');
  const stamp = join(folder, 'pom.xml');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== pom) {
    rmSync(join(folder, 'lib'), { recursive: true, force: true });
    const output = `-DoutputDirectory=${join(folder, 'lib')}`;
    execFileSync('mvn', ['-q', '-B', '-f', POM, 'dependency:copy-dependencies', output], { stdio: 'inherit' });
    writeFileSync(stamp, pom);
  }
  return { folder, versions: copyPackages(join(folder, 'home/.fhir/packages')) };
}

/**
 * In the form of FHIR's package cache, under names of their own; what they depend on is among them in another version.
 */
function copyPackages(cache: string): Record<string, string> {
  const versions: Record<string, string> = {};
  mkdirSync(cache, { recursive: true });
  // A cache of another version than 4 is emptied by the validator.
  writeFileSync(join(cache, 'packages.ini'), '[cache]\nversion = 4\n\n[urls]\n\n[local]\n\n[packages]\n');
  const require = createRequire(import.meta.url);
  for (const name of PACKAGES) {
    const source = dirname(require.resolve(`${name}/package.json`));
    const description: { version: string } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
    versions[name] = description.version;
    const target = join(cache, `${name}#${description.version}/package`);
    if (existsSync(join(target, 'package.json'))) continue;
    rmSync(target, { recursive: true, force: true });
    cpSync(source, target, { recursive: true, filter: (path) => !path.endsWith('/package.json') });
    writeFileSync(join(target, 'package.json'), JSON.stringify({ ...description, dependencies: {} }));
  }
  const empty = join(cache, `${EMPTY_PACKAGE.name}#${EMPTY_PACKAGE.version}/package`);
  mkdirSync(empty, { recursive: true });
  const about = { type: 'IG', fhirVersions: ['5.0.0'], canonical: 'http://example.org', url: 'http://example.org' };
  writeFileSync(join(empty, 'package.json'), JSON.stringify({ ...EMPTY_PACKAGE, ...about, dependencies: {} }));
  return versions;
}

/**
 * What the validator says of each resource, given as JSON in one line each. `report` is called with how many are
 * checked.
 * @throws Error when the process ends before all are checked, with the end of what it printed
 */
export async function validateByHl7(
  { folder, versions }: Hl7Validator,
  texts: readonly string[],
  report: (judged: number) => void = () => {},
): Promise<JudgeMessage[][]> {
  const [core, terminology, extensions] = PACKAGES.map((name) => versions[name] ?? '');
  const args = [
    '-Xmx3g',
    `-Duser.home=${join(folder, 'home')}`,
    '-cp',
    join(folder, 'lib', '*'),
    join(import.meta.dirname, 'judge/Judge.java'),
    `${PACKAGES[0]}#${core}`,
    String(terminology),
    String(extensions),
  ];
  const java = spawn('java', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let printed = '';
  java.stderr.on('data', (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-4_000);
  });
  java.stdin.on('error', () => {});
  java.stdin.end(`${texts.join('\n')}\n`);
  const answers: JudgeMessage[][] = [];
  for await (const line of createInterface({ input: java.stdout })) {
    answers.push(JSON.parse(line));
    report(answers.length);
  }
  if (answers.length === texts.length) return answers;
  throw new Error(`The validator ended after ${answers.length} of ${texts.length} resources:\n${printed}`);
}
