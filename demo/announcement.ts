// The demo's terminal output: a progress line, and at the end addresses, accounts and suggestions.
import type { Language } from '#lib/html/html.ts';
import messages from './announcement.messages.json' with { type: 'json' };
import type { DemoReport } from './report.ts';

const BAR_WIDTH = 24;

/** One line of constant width, so that it overwrites the previous one. */
export function progressLine(done: number, total: number, what: string): string {
  const filled = Math.round((BAR_WIDTH * done) / total);
  const bar = '█'.repeat(filled).padEnd(BAR_WIDTH, '░');
  return `${bar} ${String(done).padStart(String(total).length)}/${total} ${what.padEnd(16)}`;
}

/** `origins`: those of the gateway and of the services by name, the gateway's first. */
export function announcement(
  report: DemoReport,
  origins: Readonly<Record<string, string>>,
  language: Language,
): string {
  const text = (name: keyof typeof messages) => messages[name][language];
  const addresses = Object.entries(origins).map(([name, origin]) => [
    name === 'gateway' ? text('start') : name,
    origin,
  ]);
  const [gateway = ''] = Object.values(origins);
  const head = (['role', 'name', 'email', 'password'] as const).map(text);
  const accounts = report.accounts.map(({ role, name, email, password }) => [role[language], name, email, password]);
  const links = report.accounts.map(({ href }) => `    ${gateway}${href}`);
  const suggestions = report.suggestions.map(
    ({ title, text: what, href }, index) =>
      `  ${index + 1}. ${title[language]}: ${what[language]}\n     ${gateway}${href}`,
  );
  return [
    text('ready'),
    table(addresses),
    withLinks(table([head, head.map((word) => '─'.repeat(word.length)), ...accounts]), links),
    `  ${text('tryOut')}\n${suggestions.join('\n')}`,
    '',
  ].join('\n\n');
}

/** The table with a link below each of its last rows. */
function withLinks(rows: string, links: readonly string[]): string {
  const lines = rows.split('\n');
  const first = lines.length - links.length;
  return lines
    .flatMap((line, index) => [line, ...links.slice(index - first, index - first + 1).filter(() => index >= first)])
    .join('\n');
}

/** Pads each column to its widest entry. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) => row.map((entry, column) => entry.padEnd(widths[column] ?? 0)).join('   ');
  return rows.map((row) => `  ${line(row).trimEnd()}`).join('\n');
}
