// The health check of the container, by Node.js itself: every service of KEDJA_SERVICES answers /livez. Readiness is
// for the load balancer, which asks /readyz: a container is not ended because its database is away.
import { env, exit } from 'node:process';

const PORTS = { identity: 8081, dispatch: 8082, engine: 8083, console: 8080 };
const services = (env.KEDJA_SERVICES ?? Object.keys(PORTS).join(',')).split(',').map((name) => name.trim());

async function isLive(service) {
  const port = env[`KEDJA_${service.toUpperCase()}_PORT`] || PORTS[service];
  try {
    return (await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(4_000) })).ok;
  } catch {
    return false;
  }
}

const live = await Promise.all(services.map(isLive));
exit(live.every(Boolean) ? 0 : 1);
