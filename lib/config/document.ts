// Generates the operator's documentation of the configuration from its sections: `.env.example` and the reference page.
import type { Sections } from './parse.ts';
import type { Section, Variable } from './section.ts';

const LINE_WIDTH = 100;

/**
 * The text of `.env.example`: every variable with its description. Variables that a production start requires are
 * uncommented and empty.
 */
export function envExample(sections: Sections): string {
  const head = [
    '# Copy to .env and fill in. Made by `npm run generate`: change the sections, not this file.',
    '# The real environment wins over this file. A secret may be in a file of its own instead: NAME_FILE=/path/to/file.',
  ];
  const parts = Object.values(sections).map((section) => [
    `\n# --- ${section.title}`,
    ...variablesOf(section).map(envEntry),
  ]);
  return `${[...head, ...parts.flat()].join('\n')}\n`;
}

function envEntry(variable: Variable): string {
  const { production, demo } = variable.defaultTexts;
  const notes = [
    variable.required ? 'A production start needs it.' : '',
    variable.whenUnset === undefined ? '' : `Without it: ${variable.whenUnset}.`,
    demo === production ? '' : `Demo: ${demo}.`,
    variable.required && variable.example !== undefined ? `For example ${variable.example}.` : '',
  ];
  const comment = wrap([plain(variable.description), ...notes].filter((note) => note !== '').join(' '));
  const value = production === undefined || production === '' ? (variable.example ?? '') : production;
  const line = variable.required ? `${variable.env}=` : `# ${variable.env}=${value}`;
  return `\n${comment.map((words) => `# ${words}`).join('\n')}\n${line}`;
}

/** The text of the reference page, in Markdown. */
export function configurationReference(sections: Sections): string {
  const parts = Object.values(sections).map((section) => {
    const rows = variablesOf(section).map(referenceRow);
    return `## ${section.title}\n\n| variable | meaning | type | default |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `${REFERENCE_HEAD}\n${parts.join('\n')}`;
}

const REFERENCE_HEAD = `<!-- Made by \`npm run generate\` from the sections in lib/config/shared.ts, gateway/config.ts and services/*/config.ts. -->

# Configuration

Kedja is configured by environment variables. A \`.env\` file in the working folder may hold them; the real environment wins over it. An
empty value counts as not given. A start with errors in its configuration ends, and lists all of them. An unknown \`KEDJA_\` variable is
an error too, since it is a typing mistake.

A **secret** may be in a file: \`NAME_FILE\` names it. A line break at its end is dropped, and giving both is an error. Secrets are shown
neither in errors nor in logs.

\`kedja start\` (\`npm start\`) is a production start. It is refused without the variables marked **required**. It is also refused for settings
that are unsafe where other machines reach it. These are plain http in \`KEDJA_PUBLIC_URL\`, an open \`KEDJA_HOST\` without an https proxy
in front, and an https address without \`KEDJA_TRUST_PROXY\`. Also short secrets in \`KEDJA_SERVICE_CLIENTS\` and \`KEDJA_SSO_CLIENTS\`,
and \`KEDJA_WEBHOOK_ALLOW_PRIVATE=true\`. The least that a production needs:

\`\`\`sh
KEDJA_PUBLIC_URL=https://kedja.example.org
KEDJA_TRUST_PROXY=127.0.0.1
KEDJA_ADMIN_EMAIL=admin@example.org
KEDJA_ADMIN_PASSWORD_FILE=/run/secrets/kedja-admin
\`\`\`

\`kedja demo\` (\`npm run demo\`) needs none of them.
`;

function referenceRow(variable: Variable): string {
  const marks = [variable.required ? ' **required**' : '', variable.secret ? ' (secret)' : ''].join('');
  const cells = [`\`${variable.env}\`${marks}`, meaning(variable), variable.label, defaultCell(variable)];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function meaning(variable: Variable): string {
  return variable.example === undefined
    ? variable.description
    : `${variable.description} Example: \`${variable.example}\``;
}

function defaultCell(variable: Variable): string {
  const { production, demo } = variable.defaultTexts;
  const own = production === undefined || production === '' ? '' : `\`${production}\``;
  const ofDemo = demo === production ? '' : `demo: \`${demo}\``;
  return [own, variable.whenUnset ?? '', ofDemo].filter((part) => part !== '').join('; ');
}

function variablesOf(section: Section): readonly Variable[] {
  return Object.values(section.variables);
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
