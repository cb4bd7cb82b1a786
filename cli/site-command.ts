// Runs a long command on a site's data: invalid arguments print the error and the usage, and Ctrl-C asks the command to
// end. Errors are printed as messages, and the site is always closed.
import { ServiceError } from '#lib/errors.ts';
import { explainError } from '../runtime/process.ts';
import { nextStopSignal } from '../runtime/shutdown.ts';
import { printable } from './printable.ts';
import { type CommandSite, openSite } from './site.ts';

export interface SiteCommand<C extends object> {
  readonly usage: string;
  /** Parses the arguments; undefined for an invalid combination. @throws Error of `parseArgs` */
  readonly parse: (args: readonly string[]) => C | undefined;
  /** Checks that need no open site. @throws Error with a message for an operator */
  readonly check?: (command: C) => void;
  /** Returns the exit code. @throws Error with a message for an operator */
  readonly run: (site: CommandSite, command: C, signal: AbortSignal) => Promise<number>;
}

/** Returns the exit code. */
export async function runOnSite<C extends object>(
  args: readonly string[],
  { usage, parse, check, run }: SiteCommand<C>,
): Promise<number> {
  return runCommand(args, {
    usage,
    parse,
    async run(command, signal) {
      let site: CommandSite | undefined;
      try {
        check?.(command);
        site = await openSite((message) => console.error(message));
        return await run(site, command, signal);
      } finally {
        await site?.close();
      }
    },
  });
}

/** The same for a command that opens its site itself, or needs none. */
export async function runCommand<C extends object>(
  args: readonly string[],
  {
    usage,
    parse,
    run,
  }: Pick<SiteCommand<C>, 'usage' | 'parse'> & {
    readonly run: (command: C, signal: AbortSignal) => Promise<number>;
  },
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return 0;
  }
  const command = read(args, parse);
  if (typeof command === 'string') {
    console.error(`${command}\n\n${usage}`);
    return 1;
  }
  const stopping = new AbortController();
  void nextStopSignal().then(() => stopping.abort());
  try {
    return await run(command, stopping.signal);
  } catch (error) {
    for (const line of explain(error)) console.error(line);
    return 1;
  }
}

/** The command, or the error in its arguments. */
function read<C extends object>(args: readonly string[], parse: SiteCommand<C>['parse']): C | string {
  try {
    const command = parse(args);
    if (command !== undefined) return command;
    return args.length === 0 ? 'Say what is to be done.' : `"${printable(args.join(' '))}" is none of the uses below.`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What the error says to an operator, line by line. */
export function explain(error: unknown): readonly string[] {
  if (error instanceof ServiceError && error.issues.length > 0) return error.issues.map((issue) => issue.message);
  const message = explainError(error);
  if (!(error instanceof ServiceError) || error.code !== 'unavailable') return [message];
  return [`${message[0]?.toUpperCase()}${message.slice(1)}. Run kedja doctor: it says what to do`];
}
