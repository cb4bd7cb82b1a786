// Makes sure that the console is built from its present sources, in `console/dist/<hash>`. That is done at the first
// start after a change, in a process of its own, while the services start. A second start builds nothing. Of several
// processes that start at once one builds, and the others wait for it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CONSOLE_FOLDER, hashOfSources } from './sources.ts';

const LOCK = '.building';
const POLL_MS = 200;
/** Who builds renews the lock that often. One that was not renewed for long was left by a process that was killed. */
const RENEW_MS = 10_000;
const LOCK_MS = 120_000;

interface Place {
  /** The folder of all builds. */
  readonly dist: string;
  /** The name of this one. */
  readonly name: string;
  /** Makes the files in a folder that is not there yet. */
  readonly build: (folder: string, signal: AbortSignal) => Promise<void>;
}

/**
 * The folder with the built console.
 * @throws Error when it cannot be built; the message is Vite's
 */
export function ensureConsole(signal: AbortSignal): Promise<string> {
  return ensureBuilt({ dist: path.join(CONSOLE_FOLDER, 'dist'), name: hashOfSources(), build: runBuild }, signal);
}

/** The same for any place and build. */
export async function ensureBuilt(place: Place, signal: AbortSignal): Promise<string> {
  const folder = path.join(place.dist, place.name);
  while (!isBuilt(folder)) {
    signal.throwIfAborted();
    if (await lock(folder)) await buildLocked(folder, place, signal);
    else await delay(POLL_MS, undefined, { signal });
  }
  return folder;
}

function isBuilt(folder: string): boolean {
  return existsSync(path.join(folder, 'index.html'));
}

/** False while another process builds. */
async function lock(folder: string): Promise<boolean> {
  await mkdir(path.dirname(folder), { recursive: true });
  try {
    await mkdir(folder + LOCK);
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const begun = await stat(folder + LOCK).catch(() => undefined);
    const isLeft = begun !== undefined && Date.now() - begun.mtimeMs > LOCK_MS;
    if (isLeft) await rm(folder + LOCK, { recursive: true, force: true });
    return false;
  }
}

async function buildLocked(folder: string, { dist, name, build }: Place, signal: AbortSignal): Promise<void> {
  const draft = `${folder}.${process.pid}.draft`;
  const renew = () => utimes(folder + LOCK, new Date(), new Date()).catch(() => undefined);
  const renewal = setInterval(() => void renew(), RENEW_MS);
  try {
    // The one before may have ended just now.
    if (isBuilt(folder)) return;
    await build(draft, signal);
    await rename(draft, folder).catch((error: unknown) => {
      // A process that slept has lost its lock, and another has built the same meanwhile.
      if (!isBuilt(folder)) throw error;
    });
    await removeOthers(dist, name);
  } finally {
    clearInterval(renewal);
    await rm(draft, { recursive: true, force: true });
    await rm(folder + LOCK, { recursive: true, force: true });
  }
}

async function runBuild(folder: string, signal: AbortSignal): Promise<void> {
  const main = path.join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, [main, folder], { stdio: ['ignore', 'ignore', 'pipe'], signal });
  // The services start at the same time, and go first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const texts: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => texts.push(text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`The console cannot be built: ${texts.join('').trim()}`);
}

/** Removes builds of other sources. A process that serves one has it in memory. */
async function removeOthers(dist: string, name: string): Promise<void> {
  const others = (await readdir(dist)).filter((entry) => /^[0-9a-f]{16}$/.test(entry) && entry !== name);
  await Promise.all(others.map((entry) => rm(path.join(dist, entry), { recursive: true, force: true })));
}
