// Checks the client credentials of a configuration (docs/adr/0044). Services on several machines share their
// credentials by KEDJA_SERVICE_CLIENTS. Credentials that a relying application knows must not be among them.
import { CLIENT_SERVICES, type ClientService } from '../auth/principal.ts';
import { isLoopbackUrl } from './address.ts';
import type { ClientCredentials } from './network-types.ts';
import type { CheckContext } from './section.ts';

const SERVICE_CLIENTS = 'KEDJA_SERVICE_CLIENTS';
const APPLICATIONS = 'KEDJA_SSO_CLIENTS';
const SECRET_MIN_LENGTH = 16;

/** The services whose credentials a service needs: its own, and those of the services that call it. */
const NEEDED: Readonly<Record<ClientService, readonly ClientService[]>> = {
  identity: CLIENT_SERVICES,
  engine: CLIENT_SERVICES,
  dispatch: ['engine', 'dispatch'],
};

export interface ClientValues {
  readonly services?: readonly string[] | undefined;
  readonly serviceClients?: readonly ClientCredentials[] | undefined;
  readonly ssoClients?: readonly ClientCredentials[] | undefined;
  readonly identityUrls?: readonly string[] | undefined;
  readonly dispatchUrls?: readonly string[] | undefined;
  readonly engineUrls?: readonly string[] | undefined;
}

/** `isExposed`: others than this machine's users reach the system, so that secrets must be long. */
export function clientIssues(values: ClientValues, context: CheckContext, isExposed: boolean): string[] {
  const minimum = context.mode === 'production' && isExposed ? SECRET_MIN_LENGTH : 1;
  return [
    ...pairIssues(SERVICE_CLIENTS, values.serviceClients, minimum),
    ...pairIssues(APPLICATIONS, values.ssoClients, minimum),
    ...sharedSecretIssues(values),
    ...(values.serviceClients === undefined ? missingIssues(values, context) : incompleteIssues(values)),
  ];
}

function pairIssues(variable: string, clients: readonly ClientCredentials[] = [], minimum: number): string[] {
  const issues: string[] = [];
  for (const [index, client] of clients.entries()) {
    if (client.clientSecret.reveal().length < minimum) {
      issues.push(`${variable} secret of ${client.clientId} must have at least ${minimum} characters`);
    }
    if (clients.findIndex((other) => other.clientId === client.clientId) < index) {
      issues.push(`${variable} must not name ${client.clientId} twice`);
    }
  }
  return issues;
}

/** An application with a service's secret would be that service. */
function sharedSecretIssues({ serviceClients = [], ssoClients = [] }: ClientValues): string[] {
  const secrets = new Set(serviceClients.map(({ clientSecret }) => clientSecret.reveal()));
  return ssoClients
    .filter(({ clientSecret }) => secrets.has(clientSecret.reveal()))
    .map(
      ({ clientId }) =>
        `${APPLICATIONS} secret of ${clientId} must not be one of ${SERVICE_CLIENTS}: an application is not a service`,
    );
}

function incompleteIssues({ services = [], serviceClients = [] }: ClientValues): string[] {
  const given = new Set<string>(serviceClients.map(({ clientId }) => clientId));
  const needed = CLIENT_SERVICES.filter((service) => services.includes(service)).flatMap((service) => NEEDED[service]);
  const missing = [...new Set(needed)].filter((service) => !given.has(service));
  return missing.length === 0 ? [] : [`${SERVICE_CLIENTS} must name ${missing.join(', ')} too`];
}

/** Generated credentials are stored in the data folder, which services on another machine do not share. */
function missingIssues(values: ClientValues, context: CheckContext): string[] {
  const { services, ssoClients = [] } = values;
  if (context.mode !== 'production' || services === undefined || context.hasIssue(SERVICE_CLIENTS)) return [];
  const others = CLIENT_SERVICES.filter((service) => !services.includes(service));
  if (others.length === 0 || others.length === CLIENT_SERVICES.length) return [];
  // Earlier releases shared the pairs of services by the variable of applications.
  const moved = ssoClients.map(({ clientId }) => clientId).filter(isService);
  if (moved.length > 0) {
    return [
      `${SERVICE_CLIENTS} is missing: ${APPLICATIONS} names relying applications alone, so move the pairs of ${moved.join(', ')} to ${SERVICE_CLIENTS}, as they are, in every process`,
    ];
  }
  const urls = { identity: values.identityUrls, dispatch: values.dispatchUrls, engine: values.engineUrls };
  const isFar = (service: ClientService): boolean => urls[service]?.some((url) => !isLoopbackUrl(url)) ?? false;
  if (!others.some(isFar)) return [];
  return [`${SERVICE_CLIENTS} is missing: services on several machines need the same credentials`];
}

function isService(clientId: string): boolean {
  return CLIENT_SERVICES.some((service) => service === clientId);
}
