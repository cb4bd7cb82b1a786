// The engine's section of the configuration: registration, and external servers.
import { type CheckContext, defineSection, variable } from '#lib/config/section.ts';
import { servicePort } from '#lib/config/shared.ts';
import { boolean, integer, oneOf, text } from '#lib/config/types.ts';
import { parseServerFile } from './servers/server-file.ts';

/** Of access logs: HSLF-FS 2016:40, chapter 4, section 9. */
const LAWFUL_MONTHS = 60;

export const engineSection = defineSection({
  title: 'Engine',
  variables: {
    port: servicePort('the engine', { env: 'KEDJA_ENGINE_PORT', port: 8083 }),
    registration: variable('KEDJA_REGISTRATION', oneOf(['open', 'approval', 'closed']), {
      default: 'approval',
      demo: 'open',
      description: 'Whether people may register themselves, at once or after approval.',
    }),
    checkReferences: variable('KEDJA_CHECK_REFERENCES', boolean(), {
      default: false,
      description:
        'Whether a write is refused that refers to a resource of this server that does not exist, or that the caller may not see.',
    }),
    accessLogNames: variable('KEDJA_ACCESS_LOG_NAMES', boolean(), {
      default: true,
      description:
        'Whether patients see the names of individuals in their access log. The unit and the role are always shown; administrators and privacy officers always see names.',
    }),
    retentionAccessLog: variable('KEDJA_RETENTION_ACCESS_LOG', integer({ min: 1, max: 1200 }), {
      description: `For how many months audit events are kept, and with them the access logs of patients. Less than ${LAWFUL_MONTHS} is refused, as Swedish law asks for five years.`,
      whenUnset: 'without end',
      example: '120',
    }),
    retentionBelowLaw: variable('KEDJA_RETENTION_BELOW_LAW', boolean(), {
      default: false,
      description: 'Permits a KEDJA_RETENTION_ACCESS_LOG of less than the law asks for.',
    }),
    serversFile: variable('KEDJA_SERVERS_FILE', text('file'), {
      description: 'A JSON list of the external FHIR and terminology servers.',
      whenUnset: 'none',
      example: '/etc/kedja/servers.json',
    }),
  },
  check: ({ serversFile, ...retention }, context) => [
    ...(serversFile === undefined ? [] : serversFileIssues(serversFile, context)),
    ...retentionIssues(retention),
  ],
});

/** Why the access log may not be kept for so short a time. */
export function retentionIssues({
  retentionAccessLog: months = LAWFUL_MONTHS,
  retentionBelowLaw = false,
}: {
  readonly retentionAccessLog?: number | undefined;
  readonly retentionBelowLaw?: boolean | undefined;
}): string[] {
  if (months >= LAWFUL_MONTHS || retentionBelowLaw) return [];
  const law = `the law asks for ${LAWFUL_MONTHS} (KEDJA_RETENTION_BELOW_LAW permits less)`;
  return [`KEDJA_RETENTION_ACCESS_LOG is ${months} months; ${law}`];
}

/** The file may contain credentials, so no error repeats its content. */
function serversFileIssues(path: string, context: CheckContext): string[] {
  let content: string;
  try {
    content = context.readFile(path);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return [`KEDJA_SERVERS_FILE cannot be read (${path}): ${reason}`];
  }
  const file = parseServerFile(content);
  return 'issues' in file ? file.issues.map((issue) => `KEDJA_SERVERS_FILE ${issue} (${path})`) : [];
}
