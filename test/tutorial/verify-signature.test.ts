// The programs of docs/tutorials/receive-webhooks.md that verify a signature. They are taken as they are printed there,
// in four languages. Each must let the same messages through and refuse the same. A language that is not installed is
// skipped and says so; in CI it fails.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { newWebhookSecret, signWebhook } from '#lib/webhook/signature.ts';
import { readCodeBlocks } from '#test/support/code-blocks.ts';

const PAGE = path.join(import.meta.dirname, '../../docs/tutorials/receive-webhooks.md');
const blocks = readCodeBlocks(await readFile(PAGE, 'utf8'));

interface Language {
  readonly name: string;
  readonly kind: string;
  readonly file: string;
  /** What must be there, and what `apt-get install` brings it. */
  readonly needs: { readonly command: string; readonly version: string; readonly package: string };
  /** The page's program as a file that takes arguments as the others do. */
  readonly program?: (printed: string) => string;
  /** Run once before. */
  readonly build?: readonly string[];
  readonly run: readonly string[];
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'JavaScript',
    kind: 'js',
    file: 'verify.mjs',
    needs: { command: process.execPath, version: '--version', package: 'nodejs' },
    program: verifierOfReceiver,
    run: [process.execPath, 'verify.mjs'],
  },
  {
    name: 'Python',
    kind: 'python',
    file: 'verify.py',
    needs: { command: 'python3', version: '--version', package: 'python3' },
    run: ['python3', 'verify.py'],
  },
  {
    name: 'Java',
    kind: 'java',
    file: 'Verify.java',
    needs: { command: 'javac', version: '--version', package: 'default-jdk-headless' },
    build: ['javac', 'Verify.java'],
    run: ['java', '-cp', '.', 'Verify'],
  },
  {
    name: 'shell',
    kind: 'bash',
    file: 'verify.sh',
    needs: { command: 'openssl', version: 'version', package: 'openssl' },
    run: ['bash', 'verify.sh'],
  },
];

/** Of the receiver the part that checks; its server has a test of its own. */
function verifierOfReceiver(printed: string): string {
  const [judge] = /^const key = [\s\S]*?^const seen/m.exec(printed) ?? [];
  const [genuine] = /^function isGenuine[\s\S]*?^}$/m.exec(printed) ?? [];
  assert.ok(judge !== undefined && genuine !== undefined, 'the receiver has changed its form');
  return `import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
${judge.replace(/const seen$/, '')}
${genuine}
const [id, timestamp, signature] = process.argv.slice(2);
const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
process.exitCode = isGenuine(headers, readFileSync(0)) ? 0 : 1;
`;
}

function environment(secret: string, folder: string): Record<string, string> {
  const { PATH = '', HOME = folder } = process.env;
  return { PATH, HOME, WEBHOOK_SECRET: secret };
}

/** The exit code of a program that is given the body. */
function run([command = '', ...args]: readonly string[], folder: string, given: { secret: string; body: Buffer }) {
  return new Promise<number | null>((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: folder,
      env: environment(given.secret, folder),
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    // A program that refuses at once reads no body.
    child.stdin.on('error', () => undefined).end(given.body);
    child.once('error', reject).once('close', resolve);
  });
}

interface Message {
  readonly what: string;
  readonly isGenuine: boolean;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: Buffer;
}

function messages(secret: string, seconds: number): Message[] {
  const body = Buffer.concat([Buffer.from('{"name":"Åsa \u{1F600}"}\n\n'), Buffer.of(0, 255, 13, 10)]);
  const signed = (at: number, secrets: readonly string[] = [secret], text = body) => ({
    id: 'msg_1',
    timestamp: String(at),
    signature: signWebhook({ id: 'msg_1', timestampSeconds: at, body: text }, secrets)['webhook-signature'],
    body: text,
  });
  const good = signed(seconds);
  const other = newWebhookSecret();
  const yes = (what: string, message: Omit<Message, 'what' | 'isGenuine'>) => ({ what, isGenuine: true, ...message });
  const no = (what: string, message: Omit<Message, 'what' | 'isGenuine'>) => ({ what, isGenuine: false, ...message });
  return [
    yes('as it was sent', good),
    yes('an empty body', signed(seconds, [secret], Buffer.alloc(0))),
    yes('two signatures, ours the first', signed(seconds, [secret, other])),
    yes('two signatures, ours the second', signed(seconds, [other, secret])),
    yes('two minutes old', signed(seconds - 120)),
    no('a secret of another', signed(seconds, [other])),
    no('another id', { ...good, id: 'msg_2' }),
    no('another timestamp', { ...good, timestamp: String(seconds - 1) }),
    no('another body', { ...good, body: Buffer.concat([body, Buffer.from(' ')]) }),
    no('ten minutes old', signed(seconds - 600)),
    no('ten minutes ahead', signed(seconds + 600)),
    no('no signature', { ...good, signature: '' }),
    no('a part of the signature', { ...good, signature: good.signature.slice(0, -4) }),
    no('a signature that is none', { ...good, signature: 'v1,å *' }),
    no('a timestamp that is none', { ...good, timestamp: 'now' }),
  ];
}

async function prepare(t: TestContext, language: Language): Promise<string> {
  const printed = blocks.find(({ kind }) => kind === language.kind)?.body;
  assert.ok(printed !== undefined, `the page has a program in ${language.name}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-verify-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, language.file), language.program?.(printed) ?? printed);
  if (language.build !== undefined) {
    const built = await run(language.build, folder, { secret: '', body: Buffer.alloc(0) });
    assert.equal(built, 0, 'the program is built');
  }
  return folder;
}

/** Why the language cannot be run here; undefined when it can, and in CI, where the test shall fail. */
function skipReason({ name, needs }: Language): string | undefined {
  const isThere = spawnSync(needs.command, [needs.version], { stdio: 'ignore' }).status === 0;
  if (isThere || process.env['CI'] === 'true') return undefined;
  return `${name} is not installed (apt-get install ${needs.package})`;
}

for (const language of LANGUAGES) {
  test(`${language.name}: the printed program lets genuine messages through, and no other`, {
    skip: skipReason(language) ?? false,
  }, async (t) => {
    const folder = await prepare(t, language);
    const secret = newWebhookSecret();
    // Each is signed when it is sent: programs check by the real time.
    const now = () => Math.floor(Date.now() / 1000);
    for (const index of messages(secret, now()).keys()) {
      const { what, isGenuine, id, timestamp, signature, body } = messages(secret, now())[index]!;
      const code = await run([...language.run, id, timestamp, signature], folder, { secret, body });
      assert.equal(code, isGenuine ? 0 : 1, what);
    }
  });
}
