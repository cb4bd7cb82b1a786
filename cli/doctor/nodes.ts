// `kedja doctor` on ports and nodes. It checks that each port of this configuration is free or held by Kedja, each node
// is ready, and all nodes run one release.
import { createServer } from 'node:net';
import type { ServiceName } from '#lib/config/shared.ts';
import { addressesOf, type Config, localHost } from '../../config.ts';
import { VERSION } from '../../runtime/version.ts';
import { type Answer, ask, NO_ANSWER, reasonsOf } from './ask.ts';
import { type Finding, fail, fine, warn } from './findings.ts';

const RELEASE = /^kedja_build_info\{[^}]*version="([^"]+)"/m;

interface Place {
  readonly service: ServiceName;
  readonly url: string;
}

export interface NodeReport {
  readonly findings: readonly Finding[];
  /** Whether the gateway of this configuration answers. */
  readonly isGatewayUp: boolean;
}

export async function checkNodes(config: Config): Promise<NodeReport> {
  const { services } = config.shared;
  const here: Place[] = [];
  const findings: Finding[] = [];
  for (const service of services) {
    const finding = await portFinding(config, service);
    findings.push(finding);
    const { port } = config[service];
    if (finding.code === 'ports.held') here.push({ service, url: `http://${localHost(config.shared.host)}:${port}` });
  }
  const elsewhere = placesElsewhere(config);
  const places = [...here, ...elsewhere];
  const asked = await Promise.all(places.map((place) => askNode(place, here.length > 0)));
  findings.push(...asked.map(({ finding }) => finding), ...releaseFindings(asked));
  return { findings, isGatewayUp: here.some(({ service }) => service === 'console') };
}

/** The nodes of services that other processes run. */
function placesElsewhere(config: Config): Place[] {
  const { services } = config.shared;
  const { nodes } = addressesOf(config);
  const others = (['identity', 'dispatch', 'engine'] as const).filter((service) => !services.includes(service));
  return others.flatMap((service) => nodes[service].map((url) => ({ service, url })));
}

async function portFinding(config: Config, service: ServiceName): Promise<Finding> {
  const { host } = config.shared;
  const { port } = config[service];
  if (port === 0) return fine('ports.any', `${service} takes any free port`);
  const place = `port ${port} of ${host}`;
  const answer = await ask(`http://${localHost(host)}:${port}/livez`);
  if (typeof answer !== 'string' && answer.isKedja) return fine('ports.held', `Kedja holds ${place} (${service})`);
  const code = await bindingError(host, port);
  const variable = service === 'console' ? 'KEDJA_CONSOLE_PORT' : `KEDJA_${service.toUpperCase()}_PORT`;
  switch (code) {
    case undefined:
      return fine('ports.free', `${service} can take ${place}`);
    case 'EADDRINUSE':
      if (answer === NO_ANSWER) {
        const message = `What holds ${place} (${service}) takes connections and does not answer: a Kedja that hangs, or another program`;
        return fail('ports.silent', message, `See which process it is (ss -ltnp), and restart it, or set ${variable}`);
      }
      return fail('ports.taken', `Another program holds ${place} (${service})`, `End it, or set ${variable}`);
    case 'EACCES':
      return fail('ports.closed', `This account may not take ${place}`, `Set ${variable} to one above 1023`);
    case 'EADDRNOTAVAIL':
      return fail('ports.address', `${host} is no address of this machine`, 'Correct KEDJA_HOST');
    default:
      return fail('ports.error', `${service} cannot take ${place}: ${code}`, `Correct KEDJA_HOST or ${variable}`);
  }
}

/** Why the port cannot be taken; it is free again at once. */
function bindingError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

interface AskedNode extends Place {
  readonly finding: Finding;
  readonly release: string | undefined;
}

async function askNode({ service, url }: Place, isRunning: boolean): Promise<AskedNode> {
  const [ready, metrics] = await Promise.all([ask(`${url}/readyz`), ask(`${url}/metrics`)]);
  const release = typeof metrics === 'string' ? undefined : RELEASE.exec(metrics.text)?.[1];
  return { service, url, release, finding: readyFinding(`${service} at ${url}`, ready, isRunning) };
}

/** @param isRunning whether services of this configuration run, which need the others */
function readyFinding(node: string, ready: Answer | string, isRunning: boolean): Finding {
  if (typeof ready === 'string') {
    const say = isRunning ? fail : warn;
    return say('nodes.away', `${node} does not answer: ${ready}`, 'Start it, or correct its address');
  }
  if (ready.status === 200) return fine('nodes.ready', `${node} is ready`);
  return fail('nodes.not-ready', `${node} is not ready: ${reasonsOf(ready)}`, 'Look at its log');
}

/** Whether all nodes run the release of this command. */
export function releaseFindings(
  nodes: readonly { readonly release: string | undefined; readonly url: string }[],
): Finding[] {
  const known = nodes.filter(({ release }) => release !== undefined);
  if (known.length === 0) return [];
  const others = known.filter(({ release }) => release !== VERSION);
  if (others.length === 0) return [fine('versions.nodes', `All nodes that were asked run ${VERSION}`)];
  const list = others.map(({ release, url }) => `${url} runs ${release}`).join(', ');
  return [warn('versions.nodes', `This command is of ${VERSION}, and ${list}`, 'Finish the upgrade of all nodes')];
}
