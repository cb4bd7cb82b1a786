// `kedja doctor` on the configuration: all errors that a start would report, and files with secrets that others can
// read. The other checks use what is valid of it.
import { stat } from 'node:fs/promises';
import { type Environment, withEnvFile } from '#lib/config/environment.ts';
import { type Config, readConfig, sections } from '../../config.ts';
import { type Finding, fail, fine, warn } from './findings.ts';

const ENV_FILE = '.env';
const REFERENCE = 'See docs/reference/configuration.md';
/** Permissions of accounts that are neither the owner nor of the group. */
const OF_OTHERS = 0o007;

export interface ReadConfiguration {
  readonly findings: readonly Finding[];
  /** The configuration without its invalid variables; undefined when nothing can be read. */
  readonly config: Config | undefined;
  /** Variables whose values are invalid: what depends on them cannot be checked. */
  readonly invalid: ReadonlySet<string>;
}

/** Reads the configuration as a start would. */
export async function readConfiguration(given: Environment): Promise<ReadConfiguration> {
  const source = { mode: 'production', environment: given, envFile: ENV_FILE } as const;
  const start = readConfig(source);
  const findings = start.ok
    ? [fine('configuration.valid', 'The configuration is valid')]
    : start.issues.map((issue) => fail('configuration.invalid', issue, REFERENCE));
  findings.push(...(await openFiles(given)));
  if (start.ok) return { findings, config: start.values, invalid: new Set() };
  return { findings, ...readRest(given) };
}

/** A command needs less than a start. Invalid variables are left out one after the other, as texts name them. */
function readRest(given: Environment): Pick<ReadConfiguration, 'config' | 'invalid'> {
  const invalid = new Set<string>();
  let environment: Environment;
  try {
    environment = withEnvFile(given, ENV_FILE);
  } catch {
    return { config: undefined, invalid };
  }
  for (;;) {
    const left = Object.fromEntries(Object.entries(environment).filter(([name]) => !invalid.has(baseOf(name))));
    const result = readConfig({ mode: 'production', environment: left, purpose: 'command' });
    if (result.ok) return { config: result.values, invalid };
    const named = result.issues.map((issue) => baseOf(issue.split(' ', 1)[0] ?? ''));
    if (named.every((name) => invalid.has(name))) return { config: undefined, invalid };
    for (const name of named) invalid.add(name);
  }
}

/** A secret has one name, whether it is given as a text or as a file. */
function baseOf(name: string): string {
  return name.endsWith('_FILE') && secretNames().has(name.slice(0, -'_FILE'.length))
    ? name.slice(0, -'_FILE'.length)
    : name;
}

function secretNames(): ReadonlySet<string> {
  const variables = Object.values(sections).flatMap((section) => Object.values(section.variables));
  return new Set(variables.filter(({ secret }) => secret).map(({ env }) => env));
}

/** Files with secrets which accounts other than the owner may read or change. */
async function openFiles(given: Environment): Promise<Finding[]> {
  const secrets = secretNames();
  const files: string[] = [];
  try {
    const inFile = withEnvFile({}, ENV_FILE);
    if (Object.keys(inFile).some((name) => secrets.has(name) && inFile[name] !== '')) files.push(ENV_FILE);
    const all = withEnvFile(given, ENV_FILE);
    for (const name of secrets) files.push(all[`${name}_FILE`] ?? '');
  } catch {
    // The configuration itself reports a file that cannot be read.
  }
  const findings: Finding[] = [];
  for (const file of new Set(files.filter((name) => name !== ''))) {
    const found = await stat(file).catch(() => undefined);
    if (found === undefined || (found.mode & OF_OTHERS) === 0) continue;
    const message = `${file} holds a secret and is open to other accounts`;
    findings.push(warn('configuration.open-file', message, `Run chmod o-rwx ${file}`));
  }
  return findings;
}
