// `node console/build/prepare.ts`: builds the console when it is missing or stale, as the first start would. For images
// whose program folder is read-only later.
import { ensureConsole } from './ensure.ts';

const folder = await ensureConsole(AbortSignal.timeout(300_000));
process.stdout.write(`${folder}\n`);
