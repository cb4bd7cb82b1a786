// `kedja doctor`: checks a site whether Kedja runs or not, and says what to do. It changes nothing and shows no secret.
// Operators' page: docs/operations/doctor.md.
import { parseArgs } from 'node:util';
import { VERSION } from '../../runtime/version.ts';
import { printable } from '../printable.ts';
import { examine } from './examine.ts';
import { areaOf, lineOf } from './findings.ts';

const USAGE = `usage: kedja doctor [--json]

Checks the configuration, the database, keys, releases, disk, ports, the public address and the mail server, whether Kedja
runs or not. Run it in the folder and as the account of Kedja, or as root. It changes nothing and shows no secret. While the
embedded database does not run, it is started for the time of the check.
--json: an object with every finding: level, code, message, advice.
Exit code 0: no error was found, though perhaps warnings; 1: there is an error.`;

/** Returns the exit code. */
export async function runDoctor(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  const options = readOptions(args);
  if (options === undefined) {
    console.error(`"${printable(args.join(' '))}" is none of the uses below.\n\n${USAGE}`);
    return 1;
  }
  const findings = await examine(process.env);
  const errors = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  if (options.json) {
    const list = findings.map((finding) => ({ area: areaOf(finding), ...finding }));
    console.log(JSON.stringify({ version: VERSION, errors, warnings, findings: list }, undefined, 2));
  } else {
    for (const finding of findings) console.log(lineOf(finding));
    console.log(`\n${count(errors, 'error')}, ${count(warnings, 'warning')}.`);
  }
  return errors === 0 ? 0 : 1;
}

function readOptions(args: readonly string[]): { json: boolean } | undefined {
  try {
    const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
    return values;
  } catch {
    return undefined;
  }
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`;
}
