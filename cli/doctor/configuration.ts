// `kedja doctor` on the configuration: all errors that a start would report, and files with secrets that others can
// read. The other checks use what is valid of it.
import { stat } from 'node:fs/promises';
import { type Environment, withEnvFile } from '#lib/config/environment.ts';
import { type Config, readConfig, sections } from '../../config.ts';
import { isDemoFolder, withDemoAccounts } from '../../demo/environment.ts';
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

/** Reads the configuration as a start would; in the folder of a demo, as that does. */
export async function readConfiguration(given: Environment): Promise<ReadConfiguration> {
  const start = readConfig({ mode: 'production', environment: given, envFile: ENV_FILE });
  const read = start.ok ? { config: start.values, invalid: new Set<string>() } : readRest(given);
  const findings = start.ok
    ? [fine('configuration.valid', 'The configuration is valid')]
    : invalidFindings(given, start.issues, read.config?.shared.dataDir);
  return { findings: [...findings, ...(await openFiles(given))], ...read };
}

/** A demo brings what a production start misses, such as the administrator. */
function invalidFindings(given: Environment, issues: readonly string[], dataDir: string | undefined): Finding[] {
  const refused = (those: readonly string[]) => those.map((issue) => fail('configuration.invalid', issue, REFERENCE));
  if (dataDir === undefined || !isDemoFolder(dataDir)) return refused(issues);
  // Only its accounts: what is unsafe on a network is unsafe in a demo, too.
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => (value ?? '') !== ''));
  const demo = readConfig({ mode: 'production', environment: withDemoAccounts(set), envFile: ENV_FILE });
  const left = demo.ok ? [] : demo.issues;
  const brought = issues.filter((issue) => !left.includes(issue)).map((issue) => issue.split(' ', 1)[0]);
  if (brought.length === 0) return refused(left);
  const message = `${dataDir} has the data of a demo. kedja demo needs no ${brought.join(', ')}; kedja start does`;
  return [fine('configuration.demo', message), ...refused(left)];
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
