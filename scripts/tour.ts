// `npm run tour`: makes the pictures of docs/tour.md from the demo's data. It starts a demo on free ports, with a data
// folder of its own, signs in as its people and photographs their screens. It needs Chromium
// (KEDJA_TEST_CHROMIUM, or on the PATH), and takes some minutes.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from './find-chromium.ts';
import { freePorts } from './free-ports.ts';
import { STOPS, type Stop } from './tour-stops.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PICTURES = path.join(ROOT, 'docs/images/tour');
/** What a picture may weigh, in bytes: the repository keeps every version of it. */
const MOST_BYTES = 80_000;
const READY_MS = 300_000;
/** A busy machine builds the console and answers late. */
const SLOW_MS = 120_000;
const DRAWN_MS = 700;

const PORTS = ['IDENTITY', 'ENGINE', 'DISPATCH', 'CONSOLE'] as const;

interface Demo {
  readonly gateway: string;
  /** By the name of the person. */
  readonly accounts: ReadonlyMap<string, { readonly email: string; readonly password: string }>;
}

/** The names of pictures; all of them where none is given: `npm run tour -- palette`. */
const wanted = process.argv.slice(2);
const data = await mkdtemp(path.join(tmpdir(), 'kedja-tour-'));
const ports = await freePorts(PORTS.length);
const [gatewayPort] = ports.slice(-1);
const kedja = spawn(process.execPath, ['kedja.mjs', 'demo'], {
  cwd: ROOT,
  env: {
    ...process.env,
    KEDJA_DATA_DIR: data,
    ...Object.fromEntries(PORTS.map((name, index) => [`KEDJA_${name}_PORT`, String(ports[index])])),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const accounts = accountsIn(await untilReady());
  await photograph({ gateway: `http://127.0.0.1:${gatewayPort}`, accounts });
} finally {
  const ended = new Promise((resolve) => kedja.once('exit', resolve));
  kedja.kill('SIGTERM');
  await ended;
  await rm(data, { recursive: true, force: true });
}

/** What the demo has printed when it runs. @throws Error when it ends before */
function untilReady(): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The demo was not ready in time')), READY_MS);
    kedja.once('exit', (code) => reject(new Error(`The demo ended (${code}):\n${output}`)));
    kedja.stdout.on('data', (part: Buffer) => {
      output += part.toString();
      if (!/^Kedja is running/m.test(output) || !/@\S+ +\S+$/m.test(output)) return;
      clearTimeout(timer);
      // The table of accounts is printed at once, a moment later.
      setTimeout(() => resolve(output), 1_000);
    });
  });
}

/** The lines `role   name   email   password` of the demo. */
function accountsIn(output: string): Demo['accounts'] {
  const lines = output.split('\n').map((line) => line.trim().split(/ {2,}/));
  return new Map(
    lines.flatMap(([_role, name, email, password]) =>
      name !== undefined && email?.includes('@') && password !== undefined ? [[name, { email, password }]] : [],
    ),
  );
}

async function photograph(demo: Demo): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('The pictures need Chromium: apt-get install chromium-headless-shell');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const stops = STOPS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
    for (const [person, own] of Map.groupBy(stops, (stop) => stop.person)) await visit(browser, demo, person, own);
  } finally {
    await browser.close();
  }
}

async function visit(
  browser: Browser,
  { gateway, accounts }: Demo,
  person: string,
  stops: readonly Stop[],
): Promise<void> {
  const account = accounts.get(person);
  if (account === undefined) throw new Error(`The demo has no ${person}: ${[...accounts.keys()].join(', ')}`);
  const context = await browser.newContext({ locale: 'en', colorScheme: 'light' });
  context.setDefaultTimeout(SLOW_MS);
  const page = await context.newPage();
  await page.goto(`${gateway}/auth/login?page=login`);
  await page.fill('#email', account.email);
  await page.fill('#password', account.password);
  await page.click('form[method=post] button:has-text("in")');
  await page.waitForURL((url) => url.origin === gateway && !url.pathname.startsWith('/auth'));
  for (const stop of stops) {
    await page.setViewportSize({ width: stop.width ?? 1280, height: 800 });
    await openBuilt(page, `${gateway}${stop.path}`);
    await settled(page);
    await stop.prepare?.(page);
    await settled(page);
    await keep(page, stop.name);
  }
  await context.close();
}

/** The first start after a change builds the console, and answers 503 meanwhile. */
async function openBuilt(page: Page, address: string): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while ((await page.goto(address))?.ok() !== true) {
    if (performance.now() > deadline) throw new Error(`${address} was not there in time`);
    await page.waitForTimeout(DRAWN_MS);
  }
}

/** Nothing is being read any more. */
async function settled(page: Page): Promise<void> {
  await page.waitForSelector('main h1');
  await page.locator('main [role=status] .visually-hidden').first().waitFor({ state: 'detached' });
  // What was read is drawn. The stream of notifications stays open, so the network is never idle.
  await page.waitForTimeout(DRAWN_MS);
}

async function keep(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data: text } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 });
  const picture = Buffer.from(text, 'base64');
  if (picture.length > MOST_BYTES) throw new Error(`${name} has ${picture.length} bytes, more than ${MOST_BYTES}`);
  await writeFile(path.join(PICTURES, `${name}.webp`), picture);
  console.log(`${name}.webp ${Math.round(picture.length / 1000)} kB`);
}
