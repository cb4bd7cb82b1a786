#!/usr/bin/env node
// The command `kedja`: looks at the Node.js version before anything else and then runs one command of the table. It is
// written in JavaScript that Node.js 12 reads too, so that old versions answer a sentence and not a syntax error.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

const OLDEST_MAJOR = 24;

// Each command: the module, its exported function (args) => Promise<exit code>, and what it does.
const COMMANDS = {
  start: {
    module: './main.ts',
    run: 'runStart',
    does: 'run the services named in KEDJA_SERVICES, in production',
    takesNothing: true,
  },
  demo: {
    module: './main.ts',
    run: 'runDemo',
    does: 'run everything on this machine, with demo data',
    takesNothing: true,
  },
  doctor: {
    module: './cli/doctor/doctor.ts',
    run: 'runDoctor',
    does: 'check configuration, database, keys, disk, ports, public address and mail',
  },
  migrate: {
    module: './cli/migrate.ts',
    run: 'runMigrate',
    does: 'apply pending migrations and end, before nodes of a new release start',
  },
  database: {
    module: './cli/database.ts',
    run: 'runDatabase',
    does: 'run the embedded database alone, for repairs',
  },
  backup: {
    module: './cli/backup/backup.ts',
    run: 'runBackup',
    does: 'write a consistent backup of all services to a file, while they run; check one',
    isFlat: true,
  },
  restore: {
    module: './cli/backup/restore.ts',
    run: 'runRestore',
    does: 'load a backup into an empty database, or rehearse it',
    isFlat: true,
  },
  users: { module: './cli/users/users.ts', run: 'runUsers', does: 'import and export users as a CSV file' },
  fhir: { module: './cli/fhir.ts', run: 'runFhir', does: 'import and export FHIR resources as NDJSON files' },
  terminology: {
    module: './cli/terminology.ts',
    run: 'runTerminology',
    does: 'import code systems of any size from files, list and remove them',
    isFlat: true,
  },
  deliveries: {
    module: './cli/deliveries.ts',
    run: 'runDeliveries',
    does: 'look at webhooks that were sent, and send dead letters again',
  },
  reindex: { module: './cli/reindex.ts', run: 'runReindex', does: 'compute the FHIR search index again' },
  retention: { module: './cli/retention.ts', run: 'runRetention', does: 'show or remove what is kept no longer' },
  erase: {
    module: './cli/erase/erase.ts',
    run: 'runErase',
    does: "erase a patient's data by decision, with a certificate; verify one",
  },
  clients: {
    module: './cli/clients.ts',
    run: 'runClients',
    does: 'list, make, rotate and disable the clients on record',
  },
  tenant: {
    module: './cli/tenant/tenant.ts',
    run: 'runTenant',
    does: 'add, list and remove tenants, and say whose they are',
  },
  keys: {
    module: './cli/keys/keys.ts',
    run: 'runKeys',
    does: 'list and rotate the keys that sign tokens and that seal',
  },
};

function usage() {
  const lines = Object.keys(COMMANDS).map((name) => `  ${name.padEnd(16)}${COMMANDS[name].does}`);
  return ['usage: kedja <command> [options]', '', ...lines].join('\n');
}

/** Why this Node.js or this checkout cannot run Kedja; empty when it can. */
function obstacle(root) {
  const version = process.versions.node;
  if (Number(version.split('.')[0]) < OLDEST_MAJOR) {
    const found = `Kedja needs Node.js ${OLDEST_MAJOR} or later, and this is Node.js ${version}.`;
    return `${found} Run it by npm, which uses the version that Kedja brings along: npm ci && npm run demo (or npm start).`;
  }
  if (!existsSync(join(root, 'node_modules'))) return 'The packages are not installed yet: run npm ci first.';
  return '';
}

/** Answers a caller who gives arguments to a command that takes none; the exit code. */
function explain(name, args) {
  const line = `usage: kedja ${name}\n\n${COMMANDS[name].does}; configured by the environment and .env (docs/reference/configuration.md)`;
  if (args.includes('--help') || args.includes('-h')) {
    console.log(line);
    return 0;
  }
  console.error(`"${args.join(' ')}": this command takes no arguments.\n\n${line}`);
  return 1;
}

async function main([name, ...args]) {
  const issue = obstacle(fileURLToPath(new URL('.', import.meta.url)));
  if (issue !== '') {
    console.error(issue);
    return 1;
  }
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    console.log(usage());
    return name === undefined ? 1 : 0;
  }
  if (!Object.keys(COMMANDS).includes(name)) {
    console.error(`There is no command "${name}".\n\n${usage()}`);
    return 1;
  }
  const command = COMMANDS[name];
  // Who asks what a command does wants it explained, not done.
  if (command.takesNothing && args.length > 0) return explain(name, args);
  // Garbage is collected when the heap has grown by three quarters, and not only later. Under a load of reads and
  // searches 353 MB were seen, and 369 MB where it may double. (At four tenths the collector's own threads took a sixth
  // of all processor time.)
  setFlagsFromString('--heap-growing-percent=75');
  // A command whose memory is not to grow with what it reads. What it makes lives for a moment, and room for more of it
  // would only be filled.
  if (command.isFlat) {
    setFlagsFromString('--semi-space-growth-factor=1');
    setFlagsFromString('--heap-growing-percent=20');
  }
  const { keepCompiledModules } = await import('./runtime/compile-cache.mjs');
  keepCompiledModules();
  const { resolveOwnModules } = await import('./runtime/own-modules.ts');
  resolveOwnModules(new URL('.', import.meta.url).href);
  const module = await import(command.module);
  return module[command.run](args);
}

main(process.argv.slice(2)).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
