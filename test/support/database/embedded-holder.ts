// A process for tests that holds an embedded database until it gets a message to stop or is killed:
// `node embedded-holder.ts <data folder> [<uid> <gid>]`. It writes one line of JSON, `{ url }` or `{ error }`.
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';

const [dataDir = '', uid, gid] = process.argv.slice(2);
if (uid !== undefined && gid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(Number(gid));
  process.setuid?.(Number(uid));
}
try {
  const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
  process.stdout.write(`${JSON.stringify({ url: server.url('kedja') })}\n`);
  process.stdin.resume();
  process.stdin.once('end', () => server.stop());
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`);
}
