// What deploy/ names exists: variables, ports, probe paths, programs. Files are parsed here, and checked by the tools
// of their kind where those are installed.
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { glob, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { sections } from '../../config.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const DEPLOY = path.join(ROOT, 'deploy');
const CHART = path.join(DEPLOY, 'helm/kedja');
/** Of the compose file and the proxy themselves. */
const OWN_VARIABLES = new Set(['KEDJA_DOMAIN', 'KEDJA_GATEWAY']);
const PORTS = {
  identity: sections.identity.variables.port.defaults.production,
  dispatch: sections.dispatch.variables.port.defaults.production,
  engine: sections.engine.variables.port.defaults.production,
  console: sections.console.variables.port.defaults.production,
};

const files: string[] = [];
for await (const file of glob('**/*', { cwd: DEPLOY })) if (/\.|file$/.test(path.basename(file))) files.push(file);
const read = (file: string) => readFileSync(path.join(DEPLOY, file), 'utf8');
const isTemplate = (file: string) => file.includes('/templates/');

/** The variables of the configuration, with those that name the file of a secret. */
function knownVariables(): Set<string> {
  const all = Object.values(sections).flatMap((section) => Object.values(section.variables));
  return new Set(all.flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env])));
}

/** Why the program cannot be run here; false when it can. */
function missing(program: string, ...args: string[]): string | false {
  return spawnSync(program, args).error === undefined ? false : `${program} is not installed`;
}

for (const file of files.filter((name) => /\.ya?ml$/.test(name) && !isTemplate(name))) {
  test(`${file} is YAML`, () => {
    for (const document of parseAllDocuments(read(file))) {
      assert.deepEqual([...document.errors, ...document.warnings].map(String), []);
    }
  });
}

test('every variable that is named is one of the configuration', () => {
  const known = knownVariables();
  let seen = 0;
  for (const file of files) {
    for (const [name] of read(file).matchAll(/KEDJA_[A-Z][A-Z_]*[A-Z]/g)) {
      seen += 1;
      assert.ok(known.has(name) || OWN_VARIABLES.has(name), `${file}: ${name}`);
    }
  }
  assert.ok(seen > 30);
});

test('every way to deploy gives what a production start requires', () => {
  const all = Object.values(sections).flatMap((section) => Object.values(section.variables));
  const required = all.filter(({ required: isRequired }) => isRequired).map(({ env }) => env);
  assert.ok(required.length > 2);
  const ways = {
    systemd: read('systemd/kedja.env') + read('systemd/kedja.service'),
    'systemd, apart': read('systemd/kedja.env') + read('systemd/kedja@.service'),
    compose: read('container/compose.yaml'),
    helm: read('helm/kedja/templates/_helpers.tpl') + read('helm/kedja/values.yaml'),
  };
  for (const [way, text] of Object.entries(ways)) {
    // Behind a proxy with TLS, as all of them are.
    for (const env of [...required, 'KEDJA_TRUST_PROXY']) assert.ok(text.includes(env), `${way}: ${env}`);
  }
});

test('the chart names every variable that belongs into its secret', () => {
  const all = Object.values(sections).flatMap((section) => Object.values(section.variables));
  const values = read('helm/kedja/values.yaml');
  for (const { env } of all.filter(({ secret }) => secret)) assert.ok(values.includes(env), env);
});

test('data is where the image and the units keep it', () => {
  const folder = '/var/lib/kedja';
  assert.match(read('container/Containerfile'), new RegExp(`KEDJA_DATA_DIR=${folder}$`, 'm'));
  assert.ok(read('container/compose.yaml').includes(`'kedja:${folder}'`));
  assert.ok(read('helm/kedja/templates/_helpers.tpl').includes(`mountPath: ${folder}/keys, readOnly: true`));
  for (const unit of ['kedja.service', 'kedja@.service']) {
    assert.match(read(`systemd/${unit}`), new RegExp(`KEDJA_DATA_DIR=${folder}$`, 'm'));
    assert.match(read(`systemd/${unit}`), /^StateDirectory=kedja$/m);
  }
});

test('ports are those of the services, and probes ask addresses that they have', () => {
  const helpers = read('helm/kedja/templates/_helpers.tpl');
  const health = read('container/healthcheck.mjs');
  for (const [service, port] of Object.entries(PORTS)) {
    assert.ok(helpers.includes(`"${service}" ${port}`), service);
    assert.ok(health.includes(`${service}: ${port}`), service);
    if (service !== 'console') assert.ok(helpers.includes(`-${service}:${port}`), service);
  }
  const exposed = /^EXPOSE (.+)$/m.exec(read('container/Containerfile'))?.[1]?.split(' ').map(Number);
  assert.deepEqual(exposed, Object.values(PORTS).toSorted());
  assert.ok(read('proxy/nginx.conf').includes(`server 127.0.0.1:${PORTS.console};`));
  assert.ok(read('proxy/Caddyfile').includes(`127.0.0.1:${PORTS.console}`));
  const operations = readFileSync(path.join(ROOT, 'lib/http/operations.ts'), 'utf8');
  const probes = [...read('helm/kedja/templates/services.yaml').matchAll(/httpGet: \{ path: (\S+),/g)];
  assert.equal(probes.length, 3);
  for (const [, address = ''] of probes) assert.ok(operations.includes(`'${address}'`), address);
});

test('compose: Kedja waits for a database that others reach, and its role has no rights over the server', () => {
  const { database, kedja } = parseAllDocuments(read('container/compose.yaml'))[0]?.toJS()?.services ?? {};
  // By its socket the image answers while it makes the database, too.
  assert.ok(database.healthcheck.test.includes('--host=127.0.0.1'), database.healthcheck.test.join(' '));
  assert.equal(kedja.depends_on.database.condition, 'service_healthy');
  // The role of POSTGRES_USER is a superuser.
  assert.equal(database.environment.POSTGRES_USER, undefined);
  const [, script = ''] = /\.\/(\S+):\/docker-entrypoint-initdb\.d\//.exec(database.volumes.join('\n')) ?? [];
  const statements = read(`container/${script}`);
  assert.match(statements, /^CREATE ROLE kedja LOGIN PASSWORD :'password';$/m);
  assert.match(statements, /^CREATE DATABASE kedja OWNER kedja;$/m);
  assert.match(statements, /^ALTER ROLE postgres PASSWORD NULL;$/m);
});

test('compose: the health check is that of the image, which images in the format of OCI lack', () => {
  const { healthcheck } = parseAllDocuments(read('container/compose.yaml'))[0]?.toJS().services.kedja ?? {};
  const instruction = /^HEALTHCHECK --interval=(\S+) --timeout=(\S+) --start-period=(\S+) CMD (\[.+\])$/m;
  const [, interval, timeout, period, command = ''] = instruction.exec(read('container/Containerfile')) ?? [];
  const expected = { test: ['CMD', ...JSON.parse(command)], interval, timeout, start_period: period };
  assert.deepEqual(healthcheck, expected);
});

test('compose: log files are limited, and PostgreSQL has the time for its last checkpoint', () => {
  const services: Record<string, Record<string, unknown>> = parseAllDocuments(read('container/compose.yaml'))[0]?.toJS()
    .services ?? {};
  for (const [name, { logging }] of Object.entries(services)) {
    assert.deepEqual(logging, { driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } }, name);
  }
  // Without it 10 s, and then SIGKILL.
  assert.equal(services['database']?.['stop_grace_period'], '90s');
});

test('compose: a variable that must be given has a message, without which older podman-compose leaves it as it is', () => {
  const needed = [...read('container/compose.yaml').matchAll(/\$\{\w+:\?([^}]*)\}/g)];
  assert.ok(needed.length > 2);
  for (const [whole, message] of needed) assert.notEqual(message, '', whole);
});

test('programs and commands that are started exist', () => {
  const container = read('container/Containerfile');
  const started = [...container.matchAll(/(?:\/app\/|node )([\w./-]+\.(?:mjs|ts))/g)].map(([, file = '']) => file);
  assert.deepEqual(started.toSorted(), [
    'console/build/prepare.ts',
    'deploy/container/healthcheck.mjs',
    'deploy/container/sbom.ts',
    'kedja.mjs',
  ]);
  for (const file of started) assert.ok(existsSync(path.join(ROOT, file)), file);
  const commands = readFileSync(path.join(ROOT, 'kedja.mjs'), 'utf8');
  for (const name of ['start', 'migrate']) assert.match(commands, new RegExp(`^ {2}${name}: \\{`, 'm'));
  assert.match(read('helm/kedja/templates/migrate.yaml'), /args: \[migrate\]/);
});

test('the values of the chart fit its schema once the two that it needs are given', () => {
  const validate = new Ajv({ strict: false }).compile(JSON.parse(read('helm/kedja/values.schema.json')));
  const [document] = parseAllDocuments(read('helm/kedja/values.yaml'));
  const values = document?.toJS();
  assert.equal(validate(values), false);
  const given = { ...values, publicUrl: 'https://kedja.example.org', adminEmail: 'admin@example.org' };
  assert.equal(validate(given), true, JSON.stringify(validate.errors));
  assert.equal(validate({ ...given, environment: { PASSWORD: 'x' } }), false);
});

test('no value of a secret is in a file', () => {
  const secrets = [...knownVariables()].filter((name) => knownVariables().has(`${name}_FILE`));
  for (const file of files.filter((name) => !name.endsWith('.md'))) {
    for (const name of secrets) {
      assert.doesNotMatch(
        read(file),
        new RegExp(`^\\s*(?:Environment=)?${name}\\s*[=:]\\s*\\S`, 'm'),
        `${file}: ${name}`,
      );
    }
  }
});

test('systemd accepts the units', { skip: missing('systemd-analyze', '--version') }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-units-'));
  after(() => rm(folder, { recursive: true, force: true }));
  for (const [unit, name] of [
    ['kedja.service', 'kedja.service'],
    ['kedja@.service', 'kedja@identity.service'],
  ] as const) {
    // The program is installed where the unit is.
    const text = read(`systemd/${unit}`).replace('/opt/kedja/node_modules/.bin/node', '/bin/true');
    const file = path.join(folder, name);
    await writeFile(file, text);
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    assert.deepEqual([status, stderr.split('\n').filter((line) => line.includes('kedja'))], [0, []], stderr);
  }
});

const TOOLS: readonly (readonly [program: string, version: string, args: readonly string[]])[] = [
  ['hadolint', '--version', [path.join(DEPLOY, 'container/Containerfile')]],
  ['caddy', 'version', ['validate', '--adapter', 'caddyfile', '--config', path.join(DEPLOY, 'proxy/Caddyfile')]],
];

for (const [program, version, args] of TOOLS) {
  test(`${program} accepts its file`, { skip: missing(program, version) }, () => {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  });
}

const KINDS = [
  'Deployment',
  'Deployment',
  'Deployment',
  'Deployment',
  'Job',
  'Service',
  'Service',
  'Service',
  'Service',
];
const BUDGETS = KINDS.filter((kind) => kind === 'Deployment').map(() => 'PodDisruptionBudget');
const CHARTS: readonly (readonly [name: string, values: string, kinds: readonly string[]])[] = [
  ['as it is', '', [...KINDS, ...BUDGETS, 'Ingress', 'NetworkPolicy', 'NetworkPolicy']],
  [
    'with files and variables, and one node of a service',
    ',secrets.files=kedja-files,environment.KEDJA_DATABASE_POOLING=transaction,services.console.replicas=1',
    [...KINDS, ...BUDGETS.slice(1), 'Ingress', 'NetworkPolicy', 'NetworkPolicy'],
  ],
  [
    // A rule without sources would let everybody ask.
    'for a gateway that no namespace may ask',
    ',networkPolicy.ingressNamespaces=null',
    [...KINDS, ...BUDGETS, 'Ingress', 'NetworkPolicy'],
  ],
  ['alone', ',ingress.enabled=false,networkPolicy.enabled=false,disruptionBudget.enabled=false', KINDS],
];

for (const [name, values, kinds] of CHARTS) {
  test(`helm renders the chart ${name}`, { skip: missing('helm', 'version') }, () => {
    const { status, stdout, stderr } = renderChart(
      `publicUrl=https://kedja.example.org,adminEmail=a@example.org${values}`,
    );
    assert.equal(status, 0, stdout + stderr);
    const documents = parseAllDocuments(stdout);
    for (const document of documents) assert.deepEqual([...document.errors, ...document.warnings].map(String), []);
    assert.deepEqual(documents.flatMap((document) => document.toJS()?.kind ?? []).sort(), [...kinds].sort());
  });
}

for (const [name, values] of CHARTS) {
  const skip = missing('helm', 'version') || missing('kubernetes-validate', '--version');
  test(`Kubernetes knows every field of the chart ${name}`, { skip }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kedja-chart-'));
    after(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'chart.yaml');
    await writeFile(file, renderChart(`publicUrl=https://kedja.example.org,adminEmail=a@example.org${values}`).stdout);
    const args = ['--kubernetes-version', '1.29', '--strict', '--quiet', file];
    const { status, stdout, stderr } = spawnSync('kubernetes-validate', args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  });
}

test('a variable that the values name replaces the one of the chart', { skip: missing('helm', 'version') }, () => {
  const { stdout } = renderChart(
    'publicUrl=https://kedja.example.org,adminEmail=a@example.org,environment.KEDJA_TRUST_PROXY=192.0.2.1',
  );
  const pods = parseAllDocuments(stdout).flatMap((document) => document.toJS()?.spec?.template?.spec ?? []);
  assert.equal(pods.length, 5);
  for (const { containers } of pods) {
    const variables: { name: string; value: string }[] = containers[0].env;
    const names = variables.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(variables.find(({ name }) => name === 'KEDJA_TRUST_PROXY')?.value, '192.0.2.1');
    assert.ok(names.includes('KEDJA_ENGINE_URL'));
  }
});

test('helm refuses values that the chart does not know, and a chart without an address', {
  skip: missing('helm', 'version'),
}, () => {
  for (const values of [
    'publicUrl=https://kedja.example.org,adminEmail=a@example.org,ingres.enabled=false',
    'adminEmail=a@example.org',
  ]) {
    const { status, stderr } = renderChart(values);
    assert.notEqual(status, 0);
    assert.match(stderr, /ingres\b|publicUrl/);
  }
});

function renderChart(values: string): SpawnSyncReturns<string> {
  // The oldest release that the chart takes.
  const args = ['template', 'kedja', CHART, '--kube-version', '1.29.0', '--set', values];
  return spawnSync('helm', args, { encoding: 'utf8' });
}

test('the release has one version: in packages, lock file, chart, compose file, changelog and upgrade page', () => {
  const text = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
  const json = (file: string) => JSON.parse(text(file));
  const { version, packages } = json('package-lock.json');
  const chart = parseAllDocuments(read('helm/kedja/Chart.yaml'))[0]?.toJS();
  const versions = {
    console: json('console/package.json').version,
    lock: version,
    root: packages[''].version,
    'lock, console': packages['console'].version,
    chart: chart.version,
    application: chart.appVersion,
    compose: /^kedja:(.+)$/.exec(
      parseAllDocuments(read('container/compose.yaml'))[0]?.toJS().services.kedja.image,
    )?.[1],
    // A release under way has no date.
    changelog: /^## \[(\d\S*)\](?: - \d{4}-\d\d-\d\d)?$/m.exec(text('CHANGELOG.md'))?.[1],
    upgrade: /^# Upgrade to (\S+)$/m.exec(text('docs/operations/upgrade.md'))?.[1],
  };
  const own = json('package.json').version;
  assert.deepEqual(versions, Object.fromEntries(Object.keys(versions).map((name) => [name, own])));
});
