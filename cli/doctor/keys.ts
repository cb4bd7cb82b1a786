// `kedja doctor` on the key folder: whether its files are whole and closed to others, and whether they open what the
// database holds (docs/adr/0048, docs/operations/keys.md).
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { KEY_BYTES } from '#lib/secrets/key-set.ts';
import { type SealedSample, sampleSealed } from '#lib/secrets/sample-sealed.ts';
import { readKeyFiles } from '../../runtime/keys/key-files.ts';
import { openKeyFolder } from '../../runtime/keys/keys.ts';
import { explainError } from '../../runtime/process.ts';
import { SEALING_KEYS } from '../keys/sealing-keys.ts';
import type { Service } from '../services.ts';
import { type Finding, fail, fine, warn } from './findings.ts';

const STATEMENT_MS = 5_000;
const PAGE = 'see docs/operations/keys.md';
const BRING_BACK =
  'Bring it back from the backup of the key folder; without a copy see docs/operations/runbooks/key-lost.md';
/** What others than the owner may not do with a key: anything for other accounts, changes for the group. */
const TOO_OPEN = 0o027;

export interface KeySite {
  readonly dataDir: string;
  /** Without it nothing is opened. */
  readonly address: DatabaseAddress | undefined;
  /** The services whose rows can be read. */
  readonly current: readonly Service[];
}

/** Checks the files, and opens a few values of each column. It creates nothing. */
export async function checkKeys({ dataDir, address, current }: KeySite): Promise<Finding[]> {
  const folder = path.join(dataDir, 'keys');
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => error);
  if (entries instanceof Error) return [folderFinding(folder, entries, current)];
  const files = await fileFindings(folder, entries.filter((name) => name.endsWith('.key')).sort());
  const findings = files.length > 0 ? files : [fine('keys.files', `The key files in ${folder} are whole and closed`)];
  if (address === undefined) return findings;
  for (const service of current) findings.push(...(await serviceFindings(dataDir, address, service)));
  return findings;
}

function folderFinding(folder: string, error: NodeJS.ErrnoException, current: readonly Service[]): Finding {
  if (error.code !== 'ENOENT') {
    const message = `The key folder ${folder} cannot be read: ${error.code}`;
    return fail('keys.unreadable', message, 'Run this as the account of Kedja, or as root');
  }
  if (current.length === 0) return fine('keys.new', `There are no keys in ${folder} yet: the first start makes them`);
  return fail('keys.missing', `There is no key folder ${folder}, and the database holds data`, BRING_BACK);
}

async function fileFindings(folder: string, names: readonly string[]): Promise<Finding[]> {
  const { uid } = await stat(folder);
  const findings: Finding[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    const found = await stat(file);
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error);
    if (text instanceof Error) {
      findings.push(
        fail('keys.unreadable', `${file} cannot be read: ${text.code}`, 'Run this as the account of Kedja'),
      );
    } else if (Buffer.from(text.split('\n', 1)[0] ?? '', 'base64').length !== KEY_BYTES) {
      findings.push(fail('keys.damaged', `${file} holds no key of ${KEY_BYTES} bytes`, BRING_BACK));
    }
    if ((found.mode & TOO_OPEN) !== 0) {
      findings.push(warn('keys.open', `${file} is open to other accounts`, `Run chmod 600 ${file}`));
    }
    if (found.uid !== uid) {
      const message = `${file} belongs to user ${found.uid}, and its folder to user ${uid}`;
      findings.push(warn('keys.owner', message, `Run chown ${uid} ${file}, if Kedja runs as that user`));
    }
  }
  return findings;
}

async function serviceFindings(dataDir: string, address: DatabaseAddress, service: Service): Promise<Finding[]> {
  const database = createDatabase({ ...address, schema: service, statementTimeoutMs: STATEMENT_MS });
  const findings: Finding[] = [];
  try {
    for (const [name, { service: of, valuesOf }] of Object.entries(SEALING_KEYS)) {
      if (of !== service) continue;
      const folder = openKeyFolder(dataDir);
      const { generations } = await readKeyFiles(folder.folder, name);
      if (generations.length === 0) {
        findings.push(
          fail('keys.missing', `There is no key ${name}, which ${service} sealed its values with`, BRING_BACK),
        );
        continue;
      }
      const samples = await sampleSealed(database, valuesOf(await folder.existingKeySet(name)));
      findings.push(...sampleFindings(name, samples));
    }
  } catch (error) {
    const message = `Whether the keys open the values of ${service} is not known: ${explainError(error)}`;
    findings.push(fail('keys.not-tried', message, `Correct the file that it names; ${PAGE}`));
  } finally {
    await database.close();
  }
  return findings;
}

function sampleFindings(name: string, samples: readonly SealedSample[]): Finding[] {
  const findings = samples.flatMap(({ place, opened, missing, unreadable }) => {
    const of = `of ${opened + missing + unreadable} values in ${place}`;
    if (missing > 0) {
      const message = `${missing} ${of} were sealed with a generation of ${name} that is not in the folder`;
      return [fail('keys.generation-missing', message, BRING_BACK)];
    }
    if (unreadable === 0) return [];
    const message = `${unreadable} ${of} cannot be opened with the key ${name}`;
    return [fail('keys.wrong', message, `Use the key folder of this database; ${PAGE}`)];
  });
  const opened = samples.reduce((sum, sample) => sum + sample.opened, 0);
  if (findings.length > 0) return findings;
  const state = opened === 0 ? 'has sealed nothing yet' : `opened the ${opened} values that were tried`;
  return [fine('keys.opens', `The key ${name} ${state}`)];
}
