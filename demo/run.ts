// `kedja demo`: runs all services on this machine with demo data, and prints addresses and accounts after the start.
import path from 'node:path';
import { systemClock } from '#lib/clock.ts';
import { chooseLanguage } from '#lib/html/html.ts';
import { createLogger } from '#lib/log/logger.ts';
import { type Addresses, type Config, readConfig } from '../config.ts';
import type { StartPageContent } from '../gateway/start-page.ts';
import { endOnBugs, explainFailure, ownLogger, refuseConfiguration, startProcess } from '../runtime/process.ts';
import { endSoon, nextStopSignal, shutDown, stopLimitOf, Teardown } from '../runtime/shutdown.ts';
import { VERSION } from '../runtime/version.ts';
import { announcement, progressLine } from './announcement.ts';
import { collectGarbage } from './collect-garbage.ts';
import { withDemoAccounts } from './environment.ts';
import { loadDemo } from './load.ts';
import { startDemoReceiver } from './receiver.ts';
import type { DemoReport } from './report.ts';

/** The discard port (RFC 863), on which nothing listens. */
const DEAD_URL = 'http://127.0.0.1:9/webhook';

/** Runs until it is stopped; returns the exit code. */
export async function startDemo(environment: NodeJS.ProcessEnv): Promise<number> {
  const result = readConfig({ mode: 'demo', environment: withDemoAccounts(environment), envFile: '.env' });
  if (!result.ok) return refuseConfiguration(result.issues);
  const config = result.values;
  const { logLevel: level, logFormat: format, dataDir } = config.shared;
  const logFile = path.join(dataDir, 'demo.log');
  const root = createLogger({ level, format, file: logFile });
  const log = ownLogger(root);
  endOnBugs(log);
  const stopSignal = nextStopSignal();
  const teardown = new Teardown();
  const limitMs = stopLimitOf(config.shared.stopSeconds);
  let content: StartPageContent = { version: VERSION, accounts: [], suggestions: [] };
  const terminal = createTerminal();
  try {
    const startPage = () => content;
    const site = await startProcess(config, { log: root, teardown, onProgress: terminal.say, startPage, drainMs: 0 });
    const report = await load(config, { addresses: site.addresses, terminal, teardown });
    // What is announced must be there: on a busy machine the build takes longer than the data.
    await site.consoleBuilt();
    content = { version: VERSION, ...report };
    collectGarbage();
    terminal.clear();
    process.stdout.write(announcement(report, originsOf(site.addresses), languageOf(environment)));
    process.stdout.write(`  Log: ${logFile}\n\n`);
    await stopSignal;
  } catch (error) {
    terminal.clear();
    explainFailure(error, log);
    await shutDown(teardown, log, limitMs);
    endSoon(1);
    return 1;
  }
  process.stdout.write('\n');
  const exitCode = await shutDown(teardown, log, limitMs);
  endSoon(exitCode);
  return exitCode;
}

interface LoadSite {
  readonly addresses: Addresses;
  readonly terminal: Terminal;
  readonly teardown: Teardown;
}

async function load(config: Config, { addresses, terminal, teardown }: LoadSite): Promise<DemoReport> {
  const { email, password } = config.administrator;
  if (email === undefined || password === undefined) throw new Error('The demo has no administrator');
  const receiver = await startDemoReceiver({
    port: 0,
    dataDir: config.shared.dataDir,
    clock: systemClock,
    dispatch: { publicUrl: `${addresses.publicUrl}/dispatch`, localUrl: addresses.dispatchUrl },
  });
  teardown.add(() => receiver.close());
  return loadDemo({
    identity: addresses.identityUrl,
    dispatch: addresses.dispatchUrl,
    engine: addresses.engineUrl,
    admin: { email, password: password.reveal() },
    receiver,
    deadUrl: DEAD_URL,
    clock: systemClock,
    onProgress: (done, total, what) => terminal.say(progressLine(done, total, what)),
  });
}

interface Terminal {
  /** Replaces the previous line. Without a terminal it prints separate lines, without the steps of the bar. */
  say(line: string): void;
  clear(): void;
}

function createTerminal(): Terminal {
  const { stdout } = process;
  if (!stdout.isTTY) {
    return {
      say: (line) => void (line.includes('█') || line.includes('░') || stdout.write(`${line}\n`)),
      clear: () => undefined,
    };
  }
  return {
    say: (line) => void stdout.write(`\r\u001B[2K${line}`),
    clear: () => void stdout.write('\r\u001B[2K'),
  };
}

function originsOf(addresses: Addresses): Record<string, string> {
  const { publicUrl, identityUrl, dispatchUrl, engineUrl } = addresses;
  return { gateway: publicUrl, identity: identityUrl, dispatch: dispatchUrl, engine: engineUrl };
}

/** The terminal's language by POSIX variables: LC_ALL, LC_MESSAGES, LANG. */
function languageOf(environment: NodeJS.ProcessEnv) {
  const locale = environment['LC_ALL'] || environment['LC_MESSAGES'] || environment['LANG'] || '';
  return locale.startsWith('sv') ? 'sv' : chooseLanguage('en', undefined);
}
