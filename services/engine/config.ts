// The engine's section of the configuration: registration, and external servers.
import { type CheckContext, defineSection, variable } from '#lib/config/section.ts';
import { servicePort } from '#lib/config/shared.ts';
import { boolean, oneOf, text } from '#lib/config/types.ts';
import { parseServerFile } from './servers/server-file.ts';

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
    serversFile: variable('KEDJA_SERVERS_FILE', text('file'), {
      description: 'A JSON list of the external FHIR and terminology servers.',
      whenUnset: 'none',
      example: '/etc/kedja/servers.json',
    }),
  },
  check: ({ serversFile }, context) => (serversFile === undefined ? [] : serversFileIssues(serversFile, context)),
});

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
