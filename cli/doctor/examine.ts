// All checks of `kedja doctor` on one site, and the secrets of its configuration removed from what they say.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '#lib/config/environment.ts';
import type { Config } from '../../config.ts';
import { configuredAddress, type OpenedDatabase } from '../../runtime/database.ts';
import { openKeyFolder } from '../../runtime/keys/keys.ts';
import { explainError } from '../../runtime/process.ts';
import { workerCount } from '../../runtime/workers.ts';
import { MIGRATIONS, type Service } from '../services.ts';
import { openEmbedded } from '../site.ts';
import { readConfiguration } from './configuration.ts';
import { checkDatabase, type DatabaseReport } from './database.ts';
import { checkErasures } from './erasures.ts';
import { createRedactor, type Finding, fail, warn } from './findings.ts';
import { checkKeys } from './keys.ts';
import { checkDataFolder, versionFinding } from './machine.ts';
import { checkNodes } from './nodes.ts';
import { checkMail, checkPublicAddress } from './outside.ts';
import { checkReplicas } from './replicas.ts';
import { checkTenants } from './tenants.ts';

/** Of the pool of a service, and its connection that listens. */
const CONNECTIONS = 11;

/** Every finding about the site of this environment and of `.env`. It changes nothing there. */
export async function examine(environment: Environment): Promise<Finding[]> {
  const { findings, config, invalid } = await readConfiguration(environment);
  const all = [versionFinding(), ...findings, ...(config === undefined ? [] : await examineSite(config, invalid))];
  const redact = createRedactor(config);
  return all.map(({ message, advice, ...rest }) => ({
    ...rest,
    message: redact(message),
    ...(advice === undefined ? {} : { advice: redact(advice) }),
  }));
}

async function examineSite(config: Config, invalid: ReadonlySet<string>): Promise<Finding[]> {
  const isValid = (...names: string[]) => names.every((name) => !invalid.has(name));
  const findings: Finding[] = [];
  const add = async (area: string, check: () => Promise<readonly Finding[]>) => {
    findings.push(...(await check().catch((error) => [unexpected(area, error)])));
  };
  const { dataDir, publicUrl } = config.shared;
  await add('disk', () => checkDataFolder(dataDir));
  if (isValid('KEDJA_DATABASE_URL', 'KEDJA_DATABASE_DIRECT_URL', 'KEDJA_DATABASE_POOLING', 'KEDJA_SERVICES')) {
    await add('database', () => examineData(config));
  }
  const { databaseReadUrls: urls } = config.shared;
  if (urls !== undefined && isValid('KEDJA_DATABASE_URL', 'KEDJA_DATABASE_READ_URL', 'KEDJA_DATABASE_READ_MAX_LAG')) {
    await add('replicas', () =>
      examineReplicas(
        config,
        urls.map((url) => url.reveal()),
      ),
    );
  }
  let isGatewayUp = false;
  await add('ports', async () => {
    const report = await checkNodes(config);
    ({ isGatewayUp } = report);
    return report.findings;
  });
  if (publicUrl !== undefined) await add('address', () => checkPublicAddress(publicUrl, isGatewayUp));
  if (isValid('KEDJA_SMTP_URL')) await add('mail', async () => [await checkMail(config.mail.smtp, config.mail.from)]);
  return findings;
}

function unexpected(area: string, error: unknown): Finding {
  return fail(`${area}.not-checked`, `This could not be checked: ${explainError(error)}`, 'Correct what it names');
}

async function examineReplicas(config: Config, urls: readonly string[]): Promise<readonly Finding[]> {
  const primary = configuredAddress(config);
  return primary === undefined ? [] : checkReplicas({ primary, urls, maxLagMs: config.shared.databaseReadMaxLag });
}

/** The database and the keys that belong to it. */
async function examineData(config: Config): Promise<Finding[]> {
  const { dataDir } = config.shared;
  const opened = await openIfThere(config);
  if ('code' in opened) return [opened, ...(await checkKeys({ dataDir, address: undefined, current: [] }))];
  try {
    const services = (Object.keys(MIGRATIONS) as Service[]).filter((name) => config.shared.services.includes(name));
    const connections = services.length * workerCount(config.shared.workers) * CONNECTIONS;
    const report: DatabaseReport = await checkDatabase({ address: opened.address, services, connections });
    const keys = await checkKeys({ dataDir, address: opened.address, current: report.current });
    const erasures = await checkErasures(dataDir, opened.address, report.current).catch((error) => [
      unexpected('erasures', error),
    ]);
    return [...report.findings, ...keys, ...erasures, ...(await examineTenants(config, opened))];
  } finally {
    await opened.stop();
  }
}

async function examineTenants({ shared }: Config, { address }: OpenedDatabase): Promise<readonly Finding[]> {
  const { tenantsFile: file, dataDir, publicUrl } = shared;
  if (file === undefined) return [];
  const tenants = checkTenants({ file, keys: openKeyFolder(dataDir), address, publicUrl });
  return tenants.catch((error) => [unexpected('tenants', error)]);
}

async function openIfThere(config: Config): Promise<OpenedDatabase | Finding> {
  const address = configuredAddress(config);
  if (address !== undefined) return { address, stop: async () => undefined };
  const { dataDir } = config.shared;
  if (!existsSync(path.join(dataDir, 'database'))) {
    const message = `There is no database in ${path.resolve(dataDir)} yet: the first start makes it`;
    return warn('database.none', message, 'If there should be one, correct KEDJA_DATA_DIR or KEDJA_DATABASE_URL');
  }
  try {
    return await openEmbedded(dataDir, (message) => console.error(message));
  } catch (error) {
    const advice = `Look at ${path.join(dataDir, 'database', 'postgres.log')}; see docs/operations/database.md`;
    return fail('database.embedded', explainError(error), advice);
  }
}
