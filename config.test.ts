// The configuration as operators give it: defaults, checks across sections, and errors that name every issue.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Environment } from '#lib/config/environment.ts';
import type { Mode, Section } from '#lib/config/section.ts';
import { addressesOf, type Config, readConfig, sections, settingsOf } from './config.ts';

const LOCAL = {
  KEDJA_PUBLIC_URL: 'http://localhost:8080',
  KEDJA_ADMIN_EMAIL: 'admin@example.org',
  KEDJA_ADMIN_PASSWORD: 'stege-moln-trumma',
};
const PUBLIC = { ...LOCAL, KEDJA_PUBLIC_URL: 'https://kedja.example.org', KEDJA_TRUST_PROXY: '127.0.0.1' };

function accepted(environment: Environment, mode: Mode = 'production'): Config {
  const result = readConfig({ mode, environment });
  assert.ok(result.ok, result.ok ? '' : result.issues.join('\n'));
  return result.values;
}

function refused(environment: Environment, ...expected: readonly RegExp[]): void {
  const result = readConfig({ mode: 'production', environment });
  assert.ok(!result.ok, `accepted; expected ${expected.join()}`);
  assert.equal(result.issues.length, expected.length, result.issues.join('\n'));
  for (const [index, pattern] of expected.entries()) assert.match(result.issues[index] ?? '', pattern);
}

test('a service is handed its own settings and those of its process, with their source and without secrets', () => {
  const environment = { ...LOCAL, KEDJA_ADMIN_PASSWORD: 'a fine long phrase', KEDJA_RATE_LIMIT_LOGIN: '41' };
  const result = readConfig({ mode: 'production', environment });
  assert.ok(result.ok, JSON.stringify(result));
  const settings = settingsOf('identity', result.values);
  const one = (name: string) => settings.find((each) => each.name === name);
  assert.deepEqual(
    [one('KEDJA_RATE_LIMIT_LOGIN')?.value, one('KEDJA_RATE_LIMIT_LOGIN')?.source],
    ['41', 'environment'],
  );
  assert.deepEqual([one('KEDJA_HOST')?.source, one('KEDJA_SORT_LANGUAGE')?.value], ['default', 'sv']);
  assert.equal(one('KEDJA_ADMIN_PASSWORD')?.is_set, true);
  assert.equal(one('KEDJA_CONSENT_POLICY'), undefined, 'dispatch uses it');
  assert.doesNotMatch(JSON.stringify(settings), /fine long phrase/);
});

test('an empty environment is refused in production with everything that is missing', () => {
  refused({}, /^KEDJA_PUBLIC_URL is missing/, /^KEDJA_ADMIN_EMAIL is missing/, /^KEDJA_ADMIN_PASSWORD is missing/);
});

test('demo needs nothing and has its own defaults', () => {
  const config = accepted({}, 'demo');
  assert.deepEqual(config.shared.services, ['identity', 'dispatch', 'engine', 'console']);
  assert.equal(config.shared.logFormat, 'pretty');
  assert.equal(config.engine.registration, 'open');
  assert.equal(config.dispatch.webhookAllowPrivate, true);
});

test('the smallest valid configurations are short and have safe defaults', () => {
  for (const environment of [LOCAL, PUBLIC]) {
    const config = accepted(environment);
    assert.equal(config.shared.host, '127.0.0.1');
    assert.equal(config.shared.databaseUrl, undefined);
    assert.equal(config.shared.logFormat, 'json');
    assert.equal(config.identity.tokenTtlSeconds, 3600);
    assert.equal(config.engine.registration, 'approval');
    assert.equal(config.dispatch.consentPolicy, 'required');
    assert.equal(config.dispatch.webhookAllowPrivate, false);
    assert.equal(config.shared.workers, 1);
    const { rateLimitLogin, rateLimitRegister, rateLimitCatalogue, rateLimitAccessRequest } = config.identity;
    assert.deepEqual([rateLimitLogin, rateLimitRegister, rateLimitCatalogue, rateLimitAccessRequest], [20, 10, 60, 5]);
  }
});

test('settings that are unsafe on a reachable address are refused', () => {
  refused({ ...PUBLIC, KEDJA_PUBLIC_URL: 'http://kedja.example.org' }, /^KEDJA_PUBLIC_URL must be https/);
  refused({ ...LOCAL, KEDJA_HOST: '0.0.0.0', KEDJA_TRUST_PROXY: '10.0.0.1' }, /^KEDJA_HOST 0\.0\.0\.0 is open/);
  refused({ ...PUBLIC, KEDJA_TRUST_PROXY: '' }, /^KEDJA_TRUST_PROXY is missing/);
  const pooled = { KEDJA_DATABASE_POOLING: 'transaction' };
  refused({ ...PUBLIC, ...pooled }, /^KEDJA_DATABASE_DIRECT_URL is missing/, /^KEDJA_DATABASE_URL is missing/);
  refused({ ...PUBLIC, KEDJA_DATABASE_DIRECT_URL: 'postgres://u:p@h/kedja' }, /^KEDJA_DATABASE_URL is missing/);
});

test('standbys are those of a database of one’s own, and may be behind by a bounded time', () => {
  const urls = 'postgres://u:p@one/kedja,postgres://u:p@two:5433/kedja';
  const { shared } = accepted({
    ...PUBLIC,
    KEDJA_DATABASE_URL: 'postgres://u:p@h/kedja',
    KEDJA_DATABASE_READ_URL: urls,
  });
  assert.deepEqual(shared.databaseReadUrls?.map((url) => url.reveal()).join(), urls);
  assert.equal(shared.databaseReadMaxLag, 1_000);
  refused({ ...PUBLIC, KEDJA_DATABASE_READ_URL: urls }, /^KEDJA_DATABASE_URL is missing/);
  const given = { ...PUBLIC, KEDJA_DATABASE_URL: 'postgres://u:p@h/kedja' };
  refused({ ...given, KEDJA_DATABASE_READ_URL: `${urls},mysql://x/y` }, /^KEDJA_DATABASE_READ_URL entry 3 /);
  for (const lag of ['0', '60000', 'a second']) {
    refused({ ...given, KEDJA_DATABASE_READ_MAX_LAG: lag }, /^KEDJA_DATABASE_READ_MAX_LAG /);
  }
  refused({ ...LOCAL, KEDJA_HOST: '::' }, /^KEDJA_HOST :: is open/, /^KEDJA_TRUST_PROXY is missing/);
  refused({ ...PUBLIC, KEDJA_WEBHOOK_ALLOW_PRIVATE: 'true' }, /^KEDJA_WEBHOOK_ALLOW_PRIVATE must not be true/);
  refused(
    {
      ...PUBLIC,
      KEDJA_SSO_CLIENTS: 'portal:shorter',
      KEDJA_SERVICE_CLIENTS: 'dispatch:short,engine:short,identity:a-secret-of-some-length',
    },
    /^KEDJA_SERVICE_CLIENTS secret of dispatch must/,
    /^KEDJA_SERVICE_CLIENTS secret of engine must/,
    /^KEDJA_SSO_CLIENTS secret of portal must/,
  );
  accepted({ ...PUBLIC, KEDJA_HOST: '0.0.0.0', KEDJA_WEBHOOK_ALLOW_PRIVATE: '10.20.0.0/16' });
  accepted({ ...LOCAL, KEDJA_WEBHOOK_ALLOW_PRIVATE: 'true', KEDJA_SSO_CLIENTS: 'dispatch:short' });
});

test('CORS origins are origins, with plain http only on this machine', () => {
  const origins = 'https://app.example.org,http://localhost:5173';
  assert.deepEqual(accepted({ ...PUBLIC, KEDJA_CORS_ORIGINS: origins }).shared.corsOrigins, origins.split(','));
  assert.deepEqual(accepted(PUBLIC).shared.corsOrigins, []);
  refused({ ...PUBLIC, KEDJA_CORS_ORIGINS: '*' }, /^KEDJA_CORS_ORIGINS must be an absolute URL/);
  refused({ ...PUBLIC, KEDJA_CORS_ORIGINS: 'http://app.example.org' }, /^KEDJA_CORS_ORIGINS must be an https origin/);
  refused(
    { ...PUBLIC, KEDJA_CORS_ORIGINS: 'https://app.example.org/x' },
    /^KEDJA_CORS_ORIGINS must be an origin .* without a path/,
  );
});

test('weak passwords of the first administrator and of imports are refused and not shown', () => {
  refused({ ...LOCAL, KEDJA_ADMIN_PASSWORD: 'kort' }, /^KEDJA_ADMIN_PASSWORD must have at least 8 characters$/);
  const long = { ...LOCAL, KEDJA_STAFF_PASSWORD_LENGTH: '15', KEDJA_ADMIN_PASSWORD: 'stege-moln-tak' };
  refused(long, /^KEDJA_ADMIN_PASSWORD must have at least 15 characters$/);
  assert.equal(accepted({ ...long, KEDJA_ADMIN_PASSWORD: 'stege-moln-taket' }).administrator.staffPasswordLength, 15);
  const own = { ...LOCAL, KEDJA_ADMIN_EMAIL: 'siv.lundmark@example.org', KEDJA_ADMIN_PASSWORD: 'Siv.Lundmark1' };
  refused(own, /^KEDJA_ADMIN_PASSWORD must not be made of a name, address/);
  refused({ ...LOCAL, KEDJA_ADMIN_PASSWORD: 'Password1!' }, /^KEDJA_ADMIN_PASSWORD must not be one of the common/);
  refused({ ...LOCAL, KEDJA_IMPORT_PASSWORD: 'Välkommen1!' }, /^KEDJA_IMPORT_PASSWORD must not be one of the common/);
});

test('an unknown time zone is refused, with the name of its variable', () => {
  for (const name of ['Europe/Nowhere', 'Stockholm', '+01:00'])
    refused({ ...LOCAL, KEDJA_TIME_ZONE: name }, /^KEDJA_TIME_ZONE must be the IANA name of a time zone/);
  assert.equal(accepted({ ...LOCAL, KEDJA_TIME_ZONE: 'Europe/Helsinki' }).dispatch.timeZone, 'Europe/Helsinki');
  assert.equal(accepted(LOCAL).dispatch.timeZone, 'Europe/Stockholm');
});

const TRIO = 'identity:x1,engine:x2,dispatch:x3';

test('services on several machines share their credentials by configuration', () => {
  const apart = { ...LOCAL, KEDJA_SERVICES: 'dispatch', KEDJA_IDENTITY_URL: 'http://10.0.0.2:8081' };
  refused(apart, /^KEDJA_SERVICE_CLIENTS is missing/);
  refused({ ...apart, KEDJA_SERVICE_CLIENTS: 'x' }, /^KEDJA_SERVICE_CLIENTS must have the form/);
  refused({ ...apart, KEDJA_SERVICE_CLIENTS: `${TRIO},engine:y` }, /^KEDJA_SERVICE_CLIENTS must not name engine twice/);
  refused(
    { ...apart, KEDJA_SERVICE_CLIENTS: 'portal:x' },
    /^KEDJA_SERVICE_CLIENTS must name one of identity, dispatch/,
  );
  accepted({ ...apart, KEDJA_SERVICE_CLIENTS: TRIO });
  accepted({ ...apart, KEDJA_IDENTITY_URL: 'http://127.0.0.1:8081' });
  accepted({ ...apart, KEDJA_SERVICES: 'console' });
});

test('a process has its own pair and those of the services that call it', () => {
  const of = (services: string, clients: string) => ({
    ...LOCAL,
    KEDJA_SERVICES: services,
    KEDJA_SERVICE_CLIENTS: clients,
  });
  refused(of('dispatch', 'dispatch:x'), /^KEDJA_SERVICE_CLIENTS must name engine too$/);
  refused(of('identity', 'identity:x'), /^KEDJA_SERVICE_CLIENTS must name dispatch, engine too$/);
  refused(of('engine', 'engine:x,identity:y'), /^KEDJA_SERVICE_CLIENTS must name dispatch too$/);
  accepted(of('dispatch', 'dispatch:x,engine:y'));
});

test('pairs that earlier releases shared as applications must be moved, and no application has the secret of a service', () => {
  const apart = { ...LOCAL, KEDJA_SERVICES: 'dispatch', KEDJA_SSO_CLIENTS: 'dispatch:x,portal:y,engine:z' };
  const moved = /^KEDJA_SERVICE_CLIENTS is missing: .* move the pairs of dispatch, engine to KEDJA_SERVICE_CLIENTS/;
  refused(apart, moved);
  refused({ ...apart, KEDJA_IDENTITY_URL: 'http://10.0.0.2:8081' }, moved);
  accepted({ ...apart, KEDJA_SSO_CLIENTS: 'portal:y', KEDJA_SERVICE_CLIENTS: TRIO });
  accepted({ ...LOCAL, KEDJA_SSO_CLIENTS: 'dispatch:x,engine:z' });
  refused(
    { ...LOCAL, KEDJA_SSO_CLIENTS: 'portal:x2,journal:y', KEDJA_SERVICE_CLIENTS: TRIO },
    /^KEDJA_SSO_CLIENTS secret of portal must not be one of KEDJA_SERVICE_CLIENTS/,
  );
  refused({ ...LOCAL, KEDJA_SSO_CLIENTS: 'a:x,a:y' }, /^KEDJA_SSO_CLIENTS must not name a twice/);
});

test('only what a process runs needs its required variables', () => {
  const config = accepted({ KEDJA_PUBLIC_URL: 'http://127.0.0.1:8080', KEDJA_SERVICES: 'dispatch,console' });
  assert.equal(config.administrator.password, undefined, 'dispatch has no accounts');
  const unclear = { ...LOCAL, KEDJA_ADMIN_EMAIL: '', KEDJA_SERVICES: 'idnetity' };
  refused(unclear, /^KEDJA_SERVICES must be one of/, /^KEDJA_ADMIN_EMAIL is missing/);
});

test('two services of one process do not share a port', () => {
  const ports = { KEDJA_IDENTITY_PORT: '8083', KEDJA_DISPATCH_PORT: '0', KEDJA_CONSOLE_PORT: '0' };
  refused({ ...LOCAL, ...ports }, /^KEDJA_ENGINE_PORT must differ from KEDJA_IDENTITY_PORT \(both are 8083\)/);
  accepted({ ...LOCAL, ...ports, KEDJA_SERVICES: 'identity' });
});

test('the file of external servers must be readable JSON', () => {
  const here = import.meta.dirname;
  refused({ ...LOCAL, KEDJA_SERVERS_FILE: join(here, 'nowhere.json') }, /^KEDJA_SERVERS_FILE cannot be read .*ENOENT/);
  refused({ ...LOCAL, KEDJA_SERVERS_FILE: join(here, 'LICENSE') }, /^KEDJA_SERVERS_FILE must hold JSON /);
  refused({ ...LOCAL, KEDJA_SERVERS_FILE: join(here, 'package.json') }, /^KEDJA_SERVERS_FILE must hold a JSON list/);
});

test('addresses follow from ports and host unless they are configured', () => {
  const local = addressesOf(accepted({ KEDJA_HOST: '::', KEDJA_ENGINE_PORT: '0' }, 'demo'), { engine: 9999 });
  assert.deepEqual(local, {
    publicUrl: 'http://127.0.0.1:8080',
    identityUrl: 'http://127.0.0.1:8081',
    dispatchUrl: 'http://127.0.0.1:8082',
    engineUrl: 'http://127.0.0.1:9999',
    nodes: {
      identity: ['http://127.0.0.1:8081'],
      dispatch: ['http://127.0.0.1:8082'],
      engine: ['http://127.0.0.1:9999'],
    },
    planUrl: 'http://127.0.0.1:9999/api/v1',
    contractUrl: 'http://127.0.0.1:9999/api/v1',
    ssoRedirects: ['http://127.0.0.1:8080/', 'http://localhost:8080/'],
  });
  const given = addressesOf(
    accepted({ ...PUBLIC, KEDJA_ENGINE_URL: 'http://10.0.0.3:8083/', KEDJA_PLAN_URL: 'https://p.example/x' }),
  );
  assert.deepEqual(given.ssoRedirects, ['https://kedja.example.org/']);
  assert.equal(given.engineUrl, 'http://10.0.0.3:8083');
  assert.equal(given.contractUrl, 'http://10.0.0.3:8083/api/v1');
  assert.equal(given.planUrl, 'https://p.example/x');
});

test('every default and example is a valid value, and no name is declared twice', () => {
  const names = new Set<string>();
  for (const section of Object.values(sections) as Section[]) {
    for (const variable of Object.values(section.variables)) {
      assert.match(variable.env, /^KEDJA_[A-Z_]+$/);
      assert.ok(!names.has(variable.env), variable.env);
      names.add(variable.env);
      for (const text of [variable.defaultTexts.production, variable.defaultTexts.demo, variable.example]) {
        if (text) assert.ok(variable.parse(text).ok, `${variable.env}=${text}`);
      }
    }
  }
});

test('.env.example lacks only required variables, and is valid when they are filled in', () => {
  const envFile = join(import.meta.dirname, '.env.example');
  const result = readConfig({ mode: 'production', environment: {}, envFile });
  assert.deepEqual(result, readConfig({ mode: 'production', environment: {} }));
  assert.match(readFileSync(envFile, 'utf8'), /^KEDJA_PUBLIC_URL=$/m);
  assert.equal(readConfig({ mode: 'production', environment: LOCAL, envFile }).ok, true);
});

test('an unreadable .env is reported with the other errors', () => {
  const result = readConfig({ mode: 'production', environment: LOCAL, envFile: import.meta.dirname });
  assert.deepEqual(result, { ok: false, issues: [`${import.meta.dirname} cannot be read: EISDIR`] });
});

test('mail needs a server and a sender, is encrypted by default, and shows no password', () => {
  const FROM = { KEDJA_MAIL_FROM: 'no-reply@example.org' };
  const serverOf = (url: string) => accepted({ ...LOCAL, ...FROM, KEDJA_SMTP_URL: url }).mail.smtp;
  assert.deepEqual(
    { ...serverOf('smtp://mail.example.org') },
    { host: 'mail.example.org', port: 587, tls: 'starttls' },
  );
  const secured = serverOf('smtps://a%40b:p%3Aw@mail.example.org:4650');
  assert.deepEqual([secured?.port, secured?.tls, secured?.user], [4650, 'implicit', 'a@b']);
  assert.equal(secured?.password?.reveal(), 'p:w');
  assert.equal(serverOf('smtp://localhost:25')?.tls, 'none');
  assert.equal(serverOf('smtp://10.0.0.1:25?tls=none')?.tls, 'none');
  refused({ ...LOCAL, KEDJA_SMTP_URL: 'smtp://mail.example.org' }, /^KEDJA_MAIL_FROM is missing/);
  refused({ ...LOCAL, ...FROM }, /^KEDJA_SMTP_URL is missing/);
  for (const url of ['https://x', 'smtp://', 'smtp://u@host', 'smtp://h/p', 'smtp://h?tls=no', 'smtps://h?tls=none']) {
    refused({ ...LOCAL, ...FROM, KEDJA_SMTP_URL: url }, /^KEDJA_SMTP_URL /);
  }
  refused({ ...LOCAL, ...FROM, KEDJA_SMTP_URL: 'smtp://u:%ff@host' }, /^KEDJA_SMTP_URL must hold .* percent-encoded$/);
});

test('traces need a collector, a share of requests, and headers that are never shown', () => {
  const URL_ = { KEDJA_TRACES_URL: 'http://127.0.0.1:4318/v1/traces' };
  const tracesOf = (more: Record<string, string>) => accepted({ ...LOCAL, ...more }).traces;
  assert.deepEqual(tracesOf({}), { url: undefined, headers: undefined, ratio: 0.01 });
  assert.deepEqual(
    [tracesOf(URL_).url, tracesOf({ ...URL_, KEDJA_TRACES_RATIO: '.5' }).ratio],
    [URL_.KEDJA_TRACES_URL, 0.5],
  );
  const { headers = [] } = tracesOf({ ...URL_, KEDJA_TRACES_HEADERS: 'Authorization=Bearer%20abc, x-key=a=b' });
  assert.deepEqual(
    headers.map(([name, value]) => [name, value.reveal()]),
    [
      ['authorization', 'Bearer abc'],
      ['x-key', 'a=b'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(headers), /Bearer/);
  refused({ ...LOCAL, KEDJA_TRACES_HEADERS: 'a=b' }, /^KEDJA_TRACES_URL is missing/);
  refused({ ...LOCAL, KEDJA_TRACES_URL: 'collector:4318' }, /^KEDJA_TRACES_URL must be an absolute URL/);
  for (const ratio of ['2', '-1', '1 %', '1e-3']) {
    refused({ ...LOCAL, ...URL_, KEDJA_TRACES_RATIO: ratio }, /^KEDJA_TRACES_RATIO /);
  }
  for (const given of [
    'secret',
    '=secret',
    'a b=secret',
    'a=%zz',
    'a=secret%0d%0ax: 1',
    'a=secret,a=b',
    'host=secret',
  ]) {
    refused({ ...LOCAL, ...URL_, KEDJA_TRACES_HEADERS: given }, /^KEDJA_TRACES_HEADERS (?!.*secret)/);
  }
});
